"""Records: what a person's finished matches with people came to, one small text each; and what follows from many of them.

A text is a function of the match alone, so writing it again changes nothing. It names its own person, so that the person can
be forgotten, and opponents by signs only, so that a record of others stays theirs.

Counting rated matches: once each, when they are over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from itertools import groupby, pairwise
from statistics import median, quantiles
from typing import Final

from play.match import Match, Phase, Ply, is_engine
from play.people import GONE, Account, Player, is_forgotten
from play.ratings.model import (
    MOST_A_DAY,
    NEWCOMER,
    START,
    Rating,
    RatingChange,
    changes,
    places,
    played,
    uncounted,
)
from play.replay import Course
from play.table import Table
from rules.core import Seat

MOST: Final = 500  # matches that a person's record holds; the earliest make room
PACED: Final = 10  # matches from which on a usual pace is told

_LATEST: Final = 30  # matches that the usual pace comes from
_QUARTERS: Final = 4


class Score(StrEnum):
    """How a match ended for a person."""

    WON = "w"
    DRAWN = "d"
    LOST = "l"


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match from one person's side.

    Attributes:
        player: The person, under the name in the match.
        opponents: The signs of the people on the other sides.
        ended: When something was last done in it.
        rating: The rating after it; None where it was not rated.
        pace: Seconds in which three of four turns were answered; None for less than two turns.
    """

    match: str
    game: str
    player: Player
    score: Score
    opponents: tuple[str, ...]
    ended: datetime
    rating: Rating | None = None
    pace: int | None = None

    def pack(self) -> str:
        who = [self.player.account.platform, self.player.account.uid, self.player.name]
        rating = self.rating and [
            round(self.rating.skill, 4),
            round(self.rating.doubt, 4),
            self.rating.played,
        ]
        rest = [list(self.opponents), round(self.ended.timestamp()), rating, self.pace]
        return json.dumps([self.match, self.game, self.score, *who, *rest], ensure_ascii=False)

    @classmethod
    def unpack(cls, text: str, zone: datetime) -> PlayedMatch | None:
        """Return what a text packs, its time in the zone of another one; None for any other text."""
        try:
            match, game, score, platform, uid, name, opponents, ended, rating, pace = json.loads(text)
            at = datetime.fromtimestamp(ended, zone.tzinfo)
            who = Player(Account(platform, uid), name)
            held = Rating(*rating) if rating else None
            return cls(match, game, who, Score(score), tuple(opponents), at, held, pace)
        except (TypeError, ValueError):
            return None


def sign_of(account: Account) -> str:
    """Return what stands for an opponent in a record."""
    return blake2b(str(account).encode(), digest_size=6).hexdigest()


def played_in(
    match: Match, course: Course, people: Sequence[Account | None], changes: Sequence[RatingChange | None]
) -> Iterator[PlayedMatch]:
    """Yield what a match came to for each person; nothing for a match that is not over, or not between people."""
    if match.phase is not Phase.OVER or match.result is None or match.imported or uncounted(match, course):
        return
    for side in course.sides:
        others = {
            account
            for seat in (seat for other in course.sides if other != side for seat in other)
            if (account := people[seat]) is not None and not is_engine(account)
        }
        if not others or len(course.sides) - 1 > len(others):
            continue  # an engine, or a forgotten person, was among them
        won = not set(match.result.winners).isdisjoint(side)
        score = Score.WON if won else Score.LOST if match.result.winners else Score.DRAWN
        for seat in side:
            account, player = people[seat], match.chairs[seat].player
            if account is None or player is None or is_forgotten(account) or is_engine(account):
                continue
            change = changes[seat] if seat < len(changes) else None
            yield PlayedMatch(
                match.id,
                match.game,
                Player(account, player.name),
                score,
                tuple(sorted(map(sign_of, others))),
                match.touched or match.opened,
                change.after if change else None,
                _pace(match, seat),
            )


def _pace(match: Match, seat: Seat) -> int | None:
    plies = [entry for entry in match.log if isinstance(entry, Ply)]
    turns = [list(turn) for _, turn in groupby(plies, key=lambda ply: ply.seat)]
    taken = [
        (turn[-1].at - before[-1].at).total_seconds()
        for before, turn in pairwise(turns)
        if turn[0].seat == seat
    ]
    return round(quantiles(taken, n=_QUARTERS)[-1]) if len(taken) > 1 else None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many matches were won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @classmethod
    def of(cls, record: Sequence[PlayedMatch]) -> Tally:
        scores = [each.score for each in record]
        return cls(*(scores.count(score) for score in Score))

    @property
    def all(self) -> int:
        return self.won + self.drawn + self.lost


def usual_pace(record: Sequence[PlayedMatch]) -> timedelta | None:
    """Return within which time a person usually answers; None from fewer than `PACED` matches."""
    known = [each.pace for each in record if each.pace is not None][-_LATEST:]
    return timedelta(seconds=median(known)) if len(known) >= PACED else None


def by_day(record: Sequence[PlayedMatch], most: int) -> Sequence[int]:
    """Return the last rating of each day with a rated match, of the latest days, as people see them."""
    rated = [each for each in record if each.rating is not None]
    days = [list(of_day)[-1] for _, of_day in groupby(rated, key=lambda each: each.ended.date())]
    return [each.rating.shown for each in days[-most:] if each.rating is not None]


def rating_at(record: Sequence[PlayedMatch], at: datetime) -> int:
    """Return the rating that people saw at a moment; that of a newcomer before the first rated match."""
    before = [each.rating.shown for each in record if each.rating is not None and each.ended < at]
    return before[-1] if before else START


_DAY: Final = timedelta(days=1)


async def counted(table: Table, match: Match) -> Sequence[RatingChange | None]:
    """Return what a match did to ratings, as in `count`; it counts now if it has not."""
    if not match.ended_rated or uncounted(match, table.course(match)):
        return ()
    done = await table.store.ratings.counted(match.game, match.id)
    return await count(table, match.id) if done is None else done


async def count(
    table: Table, match_id: str, people: Sequence[Account | None] | None = None
) -> Sequence[RatingChange | None]:
    """Have a match count for ratings if it is to, once, however often this is asked; return what it did to them, by seat.

    That is None for who has been forgotten, or left before their first turn, and for all where the same people had played
    too often; nothing where it does not count. `people` had the seats, by their first accounts, where the match does not
    name all of them any more.
    """
    match = await table.get(match_id)
    if not match.ended_rated or uncounted(match, course := table.course(match)):
        return ()
    if (done := await table.store.ratings.counted(match.game, match.id)) is not None:
        return done
    people = people or await seated(table, match)
    sides = played(course)
    rated = {seat for side in sides for seat in side}
    people = [person if seat in rated else None for seat, person in enumerate(people)]
    kept = [person for person in people if person is not None]
    if len(set(kept)) < len(kept):
        return ()  # two accounts that have become one person's
    if len(kept) > 1 and not await _admitted(table, match, kept):
        people = [None] * len(people)
    place = dict(zip(course.sides, places(match, course), strict=True))

    def change(before: Sequence[Rating | None]) -> Sequence[RatingChange]:
        return changes(sides, [place[side] for side in sides], [rating or NEWCOMER for rating in before])

    return await table.store.ratings.count(match.game, match.id, people, change)


async def _admitted(table: Table, match: Match, people: Iterable[Account]) -> bool:
    # Each match takes one of so many notes, which are thrown away after a day; the same match always finds its own.
    everyone = "\n".join(sorted(map(str, people)))
    whose = hashlib.blake2b(everyone.encode(), digest_size=12).hexdigest()
    names = [f"rated:{match.game}:{whose}:{number}" for number in range(MOST_A_DAY)]
    if match.id in (standing := await table.store.notes.read(*names)):
        return True
    free = [name for name, stands in zip(names, standing, strict=True) if stands is None]
    for name in free:
        if await table.store.notes.write_once(name, match.id, keep=_DAY):
            return True
        if (await table.store.notes.read(name))[0] == match.id:  # another process is counting it, too
            return True
    return False


async def seated(table: Table, match: Match) -> Sequence[Account | None]:
    """Return who has each seat, by their first account; None for who was forgotten."""
    seated = [chair.player.account if chair.player else Account(GONE, "") for chair in match.chairs]
    settings = await table.store.settings.get_many(*seated)
    return [
        None if is_forgotten(account) else chosen.person or account
        for account, chosen in zip(seated, settings, strict=True)
    ]
