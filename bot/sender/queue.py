"""What waits to be told at one place: in order, and only what nothing newer has replaced."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from bot.sender.ports import To
from bot.sender.routing import final
from play.facts import Fact


@dataclass(slots=True)
class Parcel:
    """Facts of one match that are told together.

    Attributes:
        match_id: Of the match.
        facts: In the order of their revisions.
        entries: Where in the stream they came from.
    """

    match_id: str
    facts: list[Fact]
    entries: list[str]

    @property
    def final(self) -> bool:
        """Whether it holds the end of its match."""
        return any(map(final, self.facts))


class Lane:
    """The parcels for one place, served by one task, so that a slow place holds up no other."""

    def __init__(self, to: To) -> None:
        self.to = to
        self.task: asyncio.Task[None] | None = None
        self._waiting: deque[Parcel] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, parcel: Parcel) -> None:
        """Add a parcel at the end.

        What waits of the same match goes out with it, and the older board never does; but the end of a match is not
        replaced by anything.
        """
        before = self._of(parcel.match_id)
        if before is not None and not before.final:
            self._waiting.remove(before)
            _merge(before, parcel)
        self._waiting.append(parcel)

    def take(self) -> Parcel | None:
        """The parcel whose turn it is."""
        return self._waiting.popleft() if self._waiting else None

    def replaced(self, parcel: Parcel) -> bool:
        """Hand a parcel that did not get through to a newer one of its match, if one waits."""
        if parcel.final:
            return False
        newer = self._of(parcel.match_id, last=False)
        if newer is None:
            return False
        _merge(parcel, newer)
        return True

    def _of(self, match_id: str, *, last: bool = True) -> Parcel | None:
        waiting: Iterator[Parcel] = reversed(self._waiting) if last else iter(self._waiting)
        return next((parcel for parcel in waiting if parcel.match_id == match_id), None)


def _merge(before: Parcel, after: Parcel) -> None:
    after.facts[:0] = before.facts
    after.entries[:0] = before.entries
