"""Counting rated matches: once each, when they are over."""

from __future__ import annotations

from collections.abc import Sequence

from play.match import Match
from play.people import Account
from play.ratings import NEWCOMER, Change, Rating, changes, counts, places
from play.renaming import GONE, is_forgotten
from play.requests import Requests


class Counting(Requests):
    """The requests that have to do with ratings."""

    async def counted(self, match: Match) -> Sequence[Change | None]:
        """What a match did to ratings, as in `count`; it counts now if it has not."""
        if not counts(match):
            return ()
        done = await self._store.counted(match.game, match.id)
        return await self.count(match.id) if done is None else done

    async def count(
        self, match_id: str, people: Sequence[Account | None] | None = None
    ) -> Sequence[Change | None]:
        """Have a match count for ratings if it is to; it counts once, however often this is asked.

        Args:
            match_id: Its code.
            people: Who had each seat, by their first account, where the match does not name all of them any more.

        Returns:
            What it did to them, by seat: None for who has been forgotten. Nothing where it does not count.
        """
        match = await self.get(match_id)
        if not counts(match):
            return ()
        people = people or await self._people(match)
        kept = [person for person in people if person is not None]
        if len(set(kept)) < len(kept):
            return ()  # two accounts that have become one person's: nobody plays against themselves
        course = self.course(match)
        taken = places(match, course)

        def change(before: Sequence[Rating | None]) -> Sequence[Change]:
            return changes(course.sides, taken, [rating or NEWCOMER for rating in before])

        return await self._store.count(match.game, match.id, people, change)

    async def _people(self, match: Match) -> Sequence[Account | None]:
        """Who has each seat, by their first account; None for who was forgotten."""
        seated = [chair.player.account if chair.player else Account(GONE, "") for chair in match.chairs]
        settings = await self._store.settings_of(*seated)
        return [
            None if is_forgotten(account) else chosen.person or account
            for account, chosen in zip(seated, settings, strict=True)
        ]
