"""Counting rated matches: once each, when they are over."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from play.match import Match
from play.people import GONE, Account, is_forgotten
from play.ratings.model import (
    MOST_A_DAY,
    NEWCOMER,
    Change,
    Rating,
    changes,
    counts,
    ended_rated,
    places,
    played,
)
from play.table import Table

_DAY: Final = timedelta(days=1)


async def counted(table: Table, match: Match) -> Sequence[Change | None]:
    """Return what a match did to ratings, as in `count`; it counts now if it has not."""
    if not ended_rated(match) or not counts(match, table.course(match)):
        return ()
    done = await table.store.ratings.counted(match.game, match.id)
    return await count(table, match.id) if done is None else done


async def count(
    table: Table, match_id: str, people: Sequence[Account | None] | None = None
) -> Sequence[Change | None]:
    """Have a match count for ratings if it is to; it counts once, however often this is asked.

    Args:
        table: Where it was played.
        match_id: Its code.
        people: Who had each seat, by their first account, where the match does not name all of them any more.

    Returns:
        What it did to them, by seat: None for who has been forgotten, or left before their first turn; for all where
        the same people had played too often. Nothing where it does not count.
    """
    match = await table.get(match_id)
    if not ended_rated(match) or not counts(match, course := table.course(match)):
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

    def change(before: Sequence[Rating | None]) -> Sequence[Change]:
        return changes(sides, [place[side] for side in sides], [rating or NEWCOMER for rating in before])

    return await table.store.ratings.count(match.game, match.id, people, change)


async def _admitted(table: Table, match: Match, people: Iterable[Account]) -> bool:
    """Whether a match is one of the few that count between the same people within a day.

    Each takes one of so many notes, which are thrown away after a day; the same match always finds its own.
    """
    told = "\n".join(sorted(map(str, people)))
    whose = hashlib.blake2b(told.encode(), digest_size=12).hexdigest()
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
