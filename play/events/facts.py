"""What happened to an event, as it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from play.events.entries import Entry
from play.events.event import Event
from play.facts import Fact
from play.match import Match


@dataclass(frozen=True, slots=True)
class Changed:
    """An event has more entries in its log than before, or is shown elsewhere.

    Attributes:
        event: As it is now.
        since: How many entries had been made before (`Event.length`).
        opened: Whether it is new.
    """

    event: Event
    since: int
    opened: bool = False

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is new in the log."""
        return self.event.log[max(0, self.since - self.event.dropped) :]


AnyFact: TypeAlias = Fact | Changed
"""What goes through the outgoing stream."""


def subject_of(fact: AnyFact) -> Match | Event:
    """Return what a fact is about."""
    return fact.event if isinstance(fact, Changed) else fact.match
