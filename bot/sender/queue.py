"""Per-recipient delivery queue: ordered, coalesced per match."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from bot.sender.ports import Recipient
from bot.sender.routing import is_final
from play.facts import Fact


@dataclass(slots=True)
class Bundle:
    """Facts of one match that are delivered together.

    Attributes:
        facts: In the order of their revisions.
        entries: Where in the stream they came from.
    """

    match_id: str
    facts: list[Fact]
    entries: list[str]

    @property
    def final(self) -> bool:
        """Whether it holds the end of its match."""
        return any(map(is_final, self.facts))


class DeliveryQueue:
    """The bundles for one recipient, delivered by one task, so that a slow chat delays no other."""

    def __init__(self, to: Recipient) -> None:
        self.to = to
        self.task: asyncio.Task[None] | None = None
        self._waiting: deque[Bundle] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, bundle: Bundle) -> None:
        """Add a bundle at the end.

        What waits of the same match goes out with it, and the older board never does; but the end of a match is not
        replaced by anything.
        """
        before = self._of(bundle.match_id)
        if before is not None and not before.final:
            self._waiting.remove(before)
            _merge(before, bundle)
        self._waiting.append(bundle)

    def take(self) -> Bundle | None:
        """Remove and return the first bundle; None if there is none."""
        return self._waiting.popleft() if self._waiting else None

    def replaced(self, bundle: Bundle) -> bool:
        """Merge a bundle that did not get through into a newer one of its match, if one waits; whether one did."""
        if bundle.final:
            return False
        newer = self._of(bundle.match_id, last=False)
        if newer is None:
            return False
        _merge(bundle, newer)
        return True

    def _of(self, match_id: str, *, last: bool = True) -> Bundle | None:
        waiting: Iterator[Bundle] = reversed(self._waiting) if last else iter(self._waiting)
        return next((bundle for bundle in waiting if bundle.match_id == match_id), None)


def _merge(before: Bundle, after: Bundle) -> None:
    after.facts[:0] = before.facts
    after.entries[:0] = before.entries
