"""Results of the puzzle of the day at a place: who has finished, the streaks, and the points of the week."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Final

from bot.puzzles.daily_attempts import KEPT, DailyAttempt, DailyAttempts
from bot.puzzles.ports import PuzzleStore
from bot.puzzles.streaks import Streak, Streaks
from play.people import Account, Address, Player, entering

MOST: Final = 200
"""People listed at one place on one day."""

POINTS: Final = (3, 2, 1)
"""Points for the best three who solved a day's puzzle."""

WEEK: Final = 7

_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class DailyResult:
    """A person who has finished a day's puzzle, and how."""

    player: Player
    attempt: DailyAttempt


@dataclass(frozen=True, slots=True)
class WeekLine:
    """A person's week: the points, and the result of each day from Monday on; None where there is none."""

    player: Player
    points: int
    days: tuple[DailyAttempt | None, ...]


class DailyResults:
    """The results at places."""

    def __init__(self, store: PuzzleStore) -> None:
        self._store = store
        self._attempts = DailyAttempts(store)
        self._streaks = Streaks(store)

    async def finished(self, player: Player, attempt: DailyAttempt) -> Streak:
        """List a finished attempt at its places, once, and count it for the streaks; return the person's."""
        for place in attempt.places:
            await self._list(place, attempt.day, entering(player))
            if attempt.solved:
                await self._streaks.count(place, attempt.day)
        if attempt.solved:
            return await self._streaks.count(player.account, attempt.day)
        return await self._streaks.read(player.account)

    async def _list(self, place: Address, day: date, player: Player) -> None:
        """Write a person into the first free note of a place and day, once, also if it is done twice at the same time."""
        text = json.dumps([player.account.platform, player.account.uid, player.name], ensure_ascii=False)
        while True:
            listed = await self._listed(place, day)
            if any(each and each.account == player.account for each in listed):
                return
            for number in (number for number, each in enumerate(listed) if each is None):
                name = _note(place, day, number)
                if await self._store.notes.write_once(name, text, keep=KEPT):
                    return
                there = _player((await self._store.notes.read(name))[0])
                if there and there.account == player.account:
                    return
            if len(listed) == MOST:
                return

    async def _listed(self, place: Address, day: date) -> list[Player | None]:
        """Return who is in the notes of a place and day, with free ones after and, where a person was forgotten, between."""
        found: list[Player | None] = []
        while len(found) < MOST:
            numbers = range(len(found), len(found) + _AT_ONCE)
            notes = await self._store.notes.read(*(_note(place, day, number) for number in numbers))
            found += map(_player, notes)
            if not any(notes):
                break
        return found

    async def table(self, place: Address, day: date) -> Sequence[DailyResult]:
        """Return who has finished a day's puzzle at a place, the best first."""
        people = [each for each in await self._listed(place, day) if each is not None]
        attempts = await self._attempts.read(day, *(each.account for each in people))
        found = [
            DailyResult(player, attempt)
            for player, attempt in zip(people, attempts, strict=True)
            if attempt is not None and attempt.over
        ]
        return sorted(found, key=lambda each: (each.attempt.rank, each.player.name))

    async def week(self, place: Address, day: date) -> Sequence[WeekLine]:
        """Return the week of a day at a place: most points first, then most solved."""
        people: dict[Account, Player] = {}
        points: dict[Account, int] = {}
        days: dict[Account, list[DailyAttempt | None]] = {}
        monday = day - timedelta(days=day.weekday())
        for number in range(day.weekday() + 1):
            table = await self.table(place, monday + timedelta(days=number))
            for result, gained in zip(table, points_of(table), strict=True):
                account = result.player.account
                people[account] = result.player
                points[account] = points.get(account, 0) + gained
                days.setdefault(account, [None] * WEEK)[number] = result.attempt
        lines = [WeekLine(people[who], points[who], tuple(days[who])) for who in people]
        return sorted(lines, key=lambda line: (-line.points, -_solved(line), line.player.name))

    async def streak(self, whose: Account | Address, day: date) -> int:
        """Return how many days a person's or a place's streak has on a day."""
        streak = await self._streaks.read(whose)
        return streak.standing(day, forgiving=isinstance(whose, Account))


def points_of(table: Sequence[DailyResult]) -> Sequence[int]:
    """Return the points of each result of a day: 3, 2 and 1 for the best who solved it; equal results get the same."""
    points: list[int] = []
    for rank, results in groupby(table, key=lambda each: each.attempt.rank):
        place, same = len(points), len(list(results))
        failed, *_ = rank
        points += [0 if failed or place >= len(POINTS) else POINTS[place]] * same
    return points


def _solved(line: WeekLine) -> int:
    return sum(each is not None and each.solved for each in line.days)


def _player(text: str | None) -> Player | None:
    try:
        platform, uid, name = json.loads(text or "")
        return Player(Account(platform, uid), name)
    except (TypeError, ValueError):
        return None


def _note(place: Address, day: date, number: int) -> str:
    return f"daily-finished:{place}:{day}:{number}"
