"""An event: a cup, a ladder or a league, as a setup and the log that all of its state is replayed from.

An `Event` is to its games what a `Match` is to its plies: a frozen value whose log says everything. The same log gives the
same `EventState`, table and pairings; nothing is drawn by lot, and what was decided with knowledge from outside (ratings,
blocks) stands in the log as it was decided.

**How a form plugs in.** A form is one module of `play/events/forms`, named as the form is, with

* a `Rules` value, `RULES`;
* where it needs them: kinds of entries of its own, which hold plain values only (texts, numbers, times, players, accounts,
  enums, and tuples of those); a state of its own,
  a `Fold` of the log, `event.folded(Ladder)`, beside `event.state`, which holds what all forms share; and actions
  (`play.events.actions.EventAction`). After each action, `settle` adds all that follows by itself;

and what people do with it and see of it is one module (`bot.features.events.parts.EventForm`) with its texts.

A game of an event goes: `Paired` (its players are known) -> `Bound` (it has the code of its match; `settle` binds as many
as `wanted` says) -> the match is opened and played -> `Ended` or `Voided`. Forms pair and count; all else is common.

Entrants and games are numbered from 0, in the order of the log. A seat of an event keeps its number when a substitute
takes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Final, TypeAlias, TypeVar, cast

from play.errors import PlayError, Refused
from play.events.entries import (
    Archived,
    Bound,
    Entered,
    EventEntry,
    EventGame,
    EventState,
    Fold,
    Queued,
    Stage,
)
from play.facts import Fact
from play.match import Match
from play.people import Account, Address, Player, each_once
from play.ports import derived
from play.time.clock import Clock, Now
from play.time.week import Span
from rules.core import Reason

S = TypeVar("S", bound=Fold)

TOGETHER: Final = 3  # games of one event that a person plays at the same time, at most
GIVES_TIME: Final = "moretime"  # the key of the setting that allows it
STEPS: Final = 10_000  # more steps than ever follow from one action; a form that goes on for longer is broken


@dataclass(frozen=True, slots=True)
class EventSetup:
    """What an event is played with; never changes."""

    form: str  # what kind of event it is: `cup`, `ladder`, `league`
    game: str
    options: tuple[tuple[str, str], ...]  # texts that differ from the game's defaults, in the schema's order
    clock: Clock
    rated: bool
    settings: tuple[tuple[str, str], ...] = ()  # the form's own, by key

    @property
    def perpetual(self) -> bool:
        """Whether it goes on for ever: nothing says when entries close."""
        return "closes" not in dict(self.settings)

    @property
    def gives_time(self) -> bool:
        """Whether its host allows that opponents give each other time."""
        return dict(self.settings).get(GIVES_TIME) == "on"


@dataclass(frozen=True)
class Event:
    """All that is known of an event. A value: changing it makes another, with the next revision."""

    id: str  # `e` and six characters, `[a-z0-9]{7}`; a match's has six
    setup: EventSetup
    host: Player  # who opened it; has no other part in it
    addresses: tuple[Address, ...]  # where it is shown; the first is where it was made
    opened: datetime
    log: tuple[EventEntry, ...] = ()
    revision: int = 0  # 1 when first stored, one more at each change

    @property
    def state(self) -> EventState:
        """What the log says, as far as all forms share it."""
        return self.folded(EventState)

    @cached_property
    def folds(self) -> dict[type[Fold], tuple[int, Fold]]:
        """The states made so far, and of how many entries each is."""
        return {}

    def folded(self, kind: type[S]) -> S:
        """Return the state of a kind that the log makes, of which only entries that are new are replayed."""
        length, state = self.folds.get(kind) or (0, kind())
        if length != len(self.log):
            state = state.after(self.log[length:])
            self.folds[kind] = len(self.log), state
        return cast("S", state)

    @property
    def live(self) -> bool:
        """Whether anything can still happen in it."""
        return self.state.stage is not Stage.OVER

    @property
    def dropped(self) -> int:
        """How many entries fewer the log has than have been made, since older ones are archived."""
        return next((entry.dropped for entry in self.log if isinstance(entry, Archived)), 0)

    @property
    def length(self) -> int:
        """How many entries have been made."""
        return len(self.log) + self.dropped

    def logged(self, *entries: EventEntry) -> Event:
        """Return the event with more entries in its log."""
        if not entries:
            return self
        after = replace(self, log=(*self.log, *entries))
        after.folds.update(self.folds)
        return after

    def players(self) -> Iterator[Player]:
        """Everybody who has, had or waits for a seat, and the host; each account once."""
        entered = (entry.player for entry in self.log if isinstance(entry, Entered | Queued))
        return each_once((self.host, *entered))

    def people(self) -> Iterator[Account]:
        return (player.account for player in self.players())


@dataclass(frozen=True, slots=True)
class EntrantInfo:
    """What an event cannot know by itself, as it is when something follows.

    Attributes:
        ratings: As people see them, by number.
        apart: Pairs, the lower first, of whom one has blocked the other.
        away: The last vacation that each has begun, whether it is over or not.
    """

    ratings: Mapping[int, int] = field(default_factory=dict)
    apart: frozenset[tuple[int, int]] = frozenset()
    away: Mapping[int, Span] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a form decides, in pure functions.

    Attributes:
        follow: Returns what happens next by itself in an event as it is at a moment; nothing: it waits. It is one step, and
            asked again with that in the log. Where it returns `Began` or `Paired`, what is known of entrants is used.
        due: Returns when `follow` may next have something, if no person acts; None: never.
        outdated: Returns how many of the first entries of a log may be archived at a moment; 0: none, or too few.
        archived: Returns what a log says of the form's own state, as one entry; where there is something to archive.
    """

    follow: Callable[[Event, Now, EntrantInfo], Sequence[EventEntry]]
    due: Callable[[Event, Now], datetime | None]
    outdated: Callable[[Event, datetime], int] = lambda _event, _at: 0
    archived: Callable[[Event], EventEntry] | None = None


def settle(rules: Rules, event: Event, now: Now, known: EntrantInfo) -> Event:
    """Return an event with all that follows by itself at a moment: its form's steps, and codes for the games that begin."""
    for _ in range(STEPS):
        more = rules.follow(event, now, known) if event.live else ()
        if not more:
            return event.logged(
                *[Bound(game.number, code_of(event, game), at=now.at) for game in wanted(event)]
            )
        event = event.logged(*more)
    raise RuntimeError(f"event {event.id} never settles")


def wanted(event: Event) -> tuple[EventGame, ...]:
    """Return the games that should begin: those without a match whose players have fewer than `TOGETHER` games running.

    Games of an earlier round come first. Only a running event has any.
    """
    state = event.state
    if state.stage is not Stage.RUNNING:
        return ()
    running = Counter(entrant for game in state.open_games if game.match for entrant in game.entrants)
    begin = []
    for game in sorted(state.open_games, key=lambda game: (game.round, game.number)):
        if game.match is None and all(running[entrant] < TOGETHER for entrant in game.entrants):
            begin.append(game)
            running.update(game.entrants)
    return tuple(begin)


def code_of(event: Event, game: EventGame, attempt: int = 0) -> str:
    """Return the code that a game's match gets; it follows from the event and the game."""
    return derived(f"{event.id}/{game.number}", attempt)


@dataclass(frozen=True, slots=True)
class Changed:
    """An event has more entries in its log than before, or is shown elsewhere."""

    event: Event
    since: int  # how many entries had been made before (`Event.length`)
    opened: bool = False

    @property
    def entries(self) -> tuple[EventEntry, ...]:
        return self.event.log[max(0, self.since - self.event.dropped) :]


AnyFact: TypeAlias = Fact | Changed  # what goes through the outgoing stream


def subject_of(fact: AnyFact) -> Match | Event:
    """Return what a fact is about."""
    return fact.event if isinstance(fact, Changed) else fact.match


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
    FOR_PLACES = "event.refused.for-places"
    FOR_PEOPLE = "event.refused.for-people"


class StaleEvent(PlayError):
    """The event has changed meanwhile; `event` is how it stands now."""

    def __init__(self, event: Event) -> None:
        super().__init__(Refused.STALE)
        self.event = event


class NoSuchEvent(PlayError):
    """No event has that id."""

    def __init__(self, code: str) -> None:
        super().__init__(EventRefused.NO_SUCH_EVENT, code=code[:12])
