"""What people, matches and time do to an event, each a value with its pure decision."""

from __future__ import annotations

from abc import ABC, abstractmethod

from play.events.event import Event
from play.request import Request


class EventAction(ABC):
    """One thing that can be done to an event."""

    __slots__ = ()

    @abstractmethod
    def decide(self, event: Event, request: Request, /) -> Event:
        """Return the event after it, `event.logged(...)`; the same event: there is nothing to do.

        Raises:
            PlayError: it cannot be done; each action says which.
        """
