"""What events refuse; the rest of the tree is in `play.errors`."""

from __future__ import annotations

from play.errors import PlayError, Refused
from play.events.event import Event
from rules.core import Reason


class EventRefused(Reason):
    """Why an event says no. The fields that come with each are in its comment."""

    NO_SUCH_EVENT = "event.refused.no-such-event"  # code
    OVER = "event.refused.over"
    ALREADY_IN = "event.refused.already-in"
    OUT = "event.refused.out"
    FULL = "event.refused.full"  # count
    NOT_IN = "event.refused.not-in"
    NO_CLOCK = "event.refused.no-clock"
    TEAMS = "event.refused.teams"


class StaleEvent(PlayError):
    """The event has changed meanwhile; `event` is how it stands now."""

    def __init__(self, event: Event) -> None:
        super().__init__(Refused.STALE)
        self.event = event


class NoSuchEvent(PlayError):
    """No event has that id."""

    def __init__(self, code: str) -> None:
        super().__init__(EventRefused.NO_SUCH_EVENT, code=code[:12])
