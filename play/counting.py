"""Counting rated matches: once each, when they are over."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from play.match import Match
from play.people import Account
from play.ratings import MOST_A_DAY, NEWCOMER, Change, Rating, changes, counts, ended_rated, places, played
from play.renaming import GONE, is_forgotten
from play.requests import Requests

_DAY: Final = timedelta(days=1)


class Counting(Requests):
    """The requests that have to do with ratings."""

    async def counted(self, match: Match) -> Sequence[Change | None]:
        """What a match did to ratings, as in `count`; it counts now if it has not."""
        if not ended_rated(match) or not counts(match, self.course(match)):
            return ()
        done = await self._store.ratings.counted(match.game, match.id)
        return await self.count(match.id) if done is None else done

    async def count(
        self, match_id: str, people: Sequence[Account | None] | None = None
    ) -> Sequence[Change | None]:
        """Have a match count for ratings if it is to; it counts once, however often this is asked.

        Args:
            match_id: Its code.
            people: Who had each seat, by their first account, where the match does not name all of them any more.

        Returns:
            What it did to them, by seat: None for who has been forgotten, or left before their first turn; for all where
            the same people had played too often. Nothing where it does not count.
        """
        match = await self.get(match_id)
        if not ended_rated(match) or not counts(match, course := self.course(match)):
            return ()
        if (done := await self._store.ratings.counted(match.game, match.id)) is not None:
            return done
        people = people or await self._people(match)
        sides = played(course)
        rated = {seat for side in sides for seat in side}
        people = [person if seat in rated else None for seat, person in enumerate(people)]
        kept = [person for person in people if person is not None]
        if len(set(kept)) < len(kept):
            return ()  # two accounts that have become one person's: nobody plays against themselves
        if len(kept) > 1 and not await self._admitted(match, kept):
            people = [None] * len(people)
        place = dict(zip(course.sides, places(match, course), strict=True))

        def change(before: Sequence[Rating | None]) -> Sequence[Change]:
            return changes(sides, [place[side] for side in sides], [rating or NEWCOMER for rating in before])

        return await self._store.ratings.count(match.game, match.id, people, change)

    async def _admitted(self, match: Match, people: Iterable[Account]) -> bool:
        """Whether a match is one of the few that count between the same people within a day.

        Each takes one of so many notes, which are thrown away after a day; the same match always finds its own.
        """
        told = "\n".join(sorted(map(str, people)))
        whose = hashlib.blake2b(told.encode(), digest_size=12).hexdigest()
        names = [f"rated:{match.game}:{whose}:{number}" for number in range(MOST_A_DAY)]
        if match.id in (standing := await self._store.notes.read(*names)):
            return True
        free = [name for name, stands in zip(names, standing, strict=True) if stands is None]
        for name in free:
            if await self._store.notes.write_once(name, match.id, keep=_DAY):
                return True
            if (await self._store.notes.read(name))[0] == match.id:  # somebody else is counting it, too
                return True
        return False

    async def _people(self, match: Match) -> Sequence[Account | None]:
        """Who has each seat, by their first account; None for who was forgotten."""
        seated = [chair.player.account if chair.player else Account(GONE, "") for chair in match.chairs]
        settings = await self._store.settings.get_many(*seated)
        return [
            None if is_forgotten(account) else chosen.person or account
            for account, chosen in zip(seated, settings, strict=True)
        ]
