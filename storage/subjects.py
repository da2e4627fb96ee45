"""What tells matches from events where they are stored alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Final, Generic, TypeVar

from play.errors import NoSuchMatch, PlayError, Refused, Stale
from play.events.errors import NoSuchEvent, StaleEvent
from play.events.event import Event
from play.events.facts import AnyFact, Changed
from play.events.ports import LoadedEvent
from play.facts import Fact
from play.match import Match
from play.ports import Loaded
from storage import keys
from storage.listing import S

F = TypeVar("F", bound=AnyFact)
L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Subject(Generic[S, F, L]):
    """Matches, or events.

    Attributes:
        pattern: Of the keys of their records.
        is_id: Whether a text has the form of an id.
        loaded: Makes what `load` returns.
        revised: Returns a fact whose match or event has another revision.
        moved: Returns a fact with its match or event as it is now.
        missing: Returns the error that nothing is stored under an id.
        stale: Returns the error that another change came first.
    """

    pattern: str
    is_id: Callable[[str], bool]
    loaded: Callable[[S, F | None], L]
    revised: Callable[[F, int], F]
    moved: Callable[[F, S], F]
    missing: Callable[[str], PlayError]
    stale: Callable[[S], PlayError]


_values: Final = attrgetter(*[field.name for field in fields(Match)])
_REVISION: Final = [field.name for field in fields(Match)].index("revision")


def _revised(fact: Fact, revision: int) -> Fact:
    """Return the fact with its match at another revision; `dataclasses.replace` of a match would take twice as long."""
    values = list(_values(fact.match))
    values[_REVISION] = revision
    return replace(fact, match=Match(*values))


MATCHES: Final[Subject[Match, Fact, Loaded]] = Subject(
    keys.MATCHES,
    keys.is_match_id,
    Loaded,
    _revised,
    lambda fact, match: replace(fact, match=match),
    lambda code: NoSuchMatch(Refused.NO_SUCH_MATCH, code=code),
    Stale,
)

EVENTS: Final[Subject[Event, Changed, LoadedEvent]] = Subject(
    keys.EVENTS,
    keys.is_event_id,
    LoadedEvent,
    lambda fact, revision: replace(fact, event=replace(fact.event, revision=revision)),
    lambda fact, event: replace(fact, event=event),
    NoSuchEvent,
    StaleEvent,
)
