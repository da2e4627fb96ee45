"""What events need of a store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from play.events.event import Event
from play.events.facts import Changed
from play.people import Account, Address
from play.ports import Operation, Timer


@dataclass(frozen=True, slots=True)
class LoadedEvent:
    """An event as last committed; and whether an operation was done on it already."""

    event: Event
    done: Changed | None = None


class EventStore(Protocol):
    """Events, stored as matches are (`play.ports.MatchStore`). Every method may raise `Unavailable`."""

    async def load(self, event_id: str, operation: Operation | None = None) -> LoadedEvent:
        """Return the event as last committed, and the fact that the operation led to, if it was done within 7 days.

        Raises:
            NoSuchEvent: nothing is stored under that id.
            ReusedOperation: the operation's id was used with another payload.
        """
        ...

    async def commit(
        self,
        fact: Changed,
        expected: int,
        *,
        operation: Operation | None = None,
        timers: Sequence[Timer] = (),
        announce: bool = True,
    ) -> Changed:
        """Store a fact and its event in one step, if the stored revision is still `expected` (0: not stored yet).

        Returns:
            The fact, its event with the new revision; or, where the operation was done before, the fact of that time,
            with the event as it is now.

        Raises:
            StaleEvent: another change came first; the error holds the event as it is now. Nothing was written.
            ReusedOperation: the operation's id was used with another payload. Nothing was written.
        """
        ...

    async def at(self, address: Address) -> Sequence[Event]:
        """Return the live events shown at an address, and the last few that are over; the latest change first."""
        ...

    async def of(self, account: Account) -> Sequence[Event]:
        """Return a person's live events and the last few that are over, wherever shown; the latest change first."""
        ...

    def ids(self) -> AsyncIterator[str]:
        """Yield the ids of all events; one that is made meanwhile may be left out."""
        ...
