"""The one way in which actions reach an event: it is loaded, the action decides, what follows is added, all is committed.

The log of an event that never ends is kept short: what older entries said stands in it as two, with who entered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module
from typing import Final, Protocol

from play.errors import Unavailable
from play.events import entries, forms
from play.events.actions import Advance, EventAction
from play.events.entries import Archived, Began, Entered, EventEntry, Paired
from play.events.event import (
    Changed,
    EntrantInfo,
    Event,
    EventSetup,
    NoSuchEvent,
    StaleEvent,
    settle,
)
from play.events.forms import FORMS
from play.people import Address, entering
from play.ports import Store, SubjectStore, Timer, derived
from play.request import CLOCKWORK, Request, blocked_pairs
from play.settings import as_of
from play.table import CODES, Table
from play.time.clock import Now

ENTRIES: Final[Sequence[type[EventEntry]]] = list(
    {
        kind: None
        for module in (entries, *map(import_module, (f"{forms.__name__}.{name}" for name in FORMS)))
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, EventEntry) and kind is not EventEntry
    }
)
"""All kinds of entries that a log can hold: those that all forms share, and those of each form."""


def shortened(event: Event, at: datetime) -> Event:
    """Return an event that says the same with a shorter log, if its form archives anything at that moment; else the same."""
    rules = FORMS[event.setup.form]
    count = rules.outdated(event, at)
    if not count or rules.archived is None:
        return event
    old = replace(event, log=event.log[:count])
    kept = [entry for entry in old.log if isinstance(entry, Entered | Began)]
    state, last = old.state, old.log[-1].at
    short = Archived(
        dropped=old.dropped + count - len(kept) - 2,
        games=state.count,
        open=tuple(
            (game.number, game.round, game.entrants, game.paired, game.match) for game in state.open_games
        ),
        out=tuple((one.number, one.out) for one in state.entrants if one.out is not None),
        flags=tuple((one.number, one.flags) for one in state.entrants if one.flags),
        round=state.round,
        paired=state.paired,
        at=last,
    )
    return replace(event, log=(*kept, short, rules.archived(old), *event.log[count:]))


@dataclass(frozen=True, slots=True)
class LoadedEvent:
    """An event as last committed; and whether an operation was done on it already."""

    event: Event
    done: Changed | None = None


class EventStore(SubjectStore[Event, Changed, LoadedEvent], Protocol):
    """Events."""

    async def at(self, address: Address) -> Sequence[Event]:
        """Return the live events shown at an address, and the last few that are over; the latest change first."""


ATTEMPTS: Final = 50
"""How often an action is decided again when other commits come first: all games of a round may end at once."""

TIMER: Final = "event"  # the name of an event's one timer
_PREFIX: Final = "e"  # what an event's id begins with


class EventsStore(Store, Protocol):
    """A store that has events, too."""

    @property
    def events(self) -> EventStore: ...


class Events:
    """Where events are held: every change of an event is an action, or an opening, that goes through here."""

    def __init__(self, table: Table, store: EventsStore) -> None:
        self.table = table
        self.store = store

    async def get(self, event_id: str) -> Event:
        """Return an event as it is now."""
        return (await self.store.events.load(event_id)).event

    async def open(
        self, setup: EventSetup, addresses: Iterable[Address], request: Request, *, name: str | None = None
    ) -> Changed:
        """Store a new event, without entrants; the same operation always finds the same one.

        With a name, so do all who open one of the same kind under it, as long as it is live: it is not `opened` again then.
        """
        event = Event("", setup, entering(request.who), tuple(addresses), request.at)
        source = name or (request.operation.id if request.operation else None)
        for attempt in range(CODES):
            code = derived(source, attempt) if source else self.table.chance.code()
            try:
                return await self._commit(replace(event, id=_PREFIX + code), 0, 0, request)
            except StaleEvent as taken:
                there = taken.event
                if name is not None and there.live and _kind(there) == _kind(event):
                    return Changed(there, there.length)
        raise Unavailable

    async def act(self, event_id: str, action: EventAction, request: Request) -> Changed:
        """Have an action decide on an event as it is, and commit that; on the event that another commit made first, again.

        What the request's operation did before is not done again. Where nothing changes, nothing is committed.
        """
        request = replace(request, outages=self.table.outages)
        loaded = await self.store.events.load(event_id, request.operation)
        if loaded.done is not None:
            return loaded.done
        event = loaded.event
        for _ in range(ATTEMPTS):
            event = shortened(event, request.at)
            after = await self._settled(action.decide(event, request), request.now)
            if after is event:
                return Changed(event, event.length)
            try:
                return await self._commit(after, event.revision, event.length, request)
            except StaleEvent as overtaken:
                event = overtaken.event
        raise StaleEvent(event)

    async def fire(self, event_id: str, now: Now) -> Changed | None:
        """Do what an event's timer was set for; None: there is no such event. Firing it again, or late, does no harm."""
        request = Request(CLOCKWORK, now.at)
        try:
            fact = await self.act(event_id, Advance(), request)
        except NoSuchEvent:
            return None
        event = fact.event
        due = self._due(event, now) if not fact.entries else None
        if due is not None and due > now.at:  # it came too early, before an outage was known: it is set anew
            again = Changed(event, event.length)
            timers = (Timer(TIMER, due),)
            return await self.store.events.commit(again, event.revision, timers=timers, announce=False)
        return fact

    async def _commit(self, event: Event, expected: int, since: int, request: Request) -> Changed:
        due = self._due(event, Now(request.at, self.table.outages))
        return await self.store.events.commit(
            Changed(event, since, opened=not expected),
            expected,
            operation=request.operation,
            timers=() if due is None else (Timer(TIMER, due),),
        )

    def _due(self, event: Event, now: Now) -> datetime | None:
        return FORMS[event.setup.form].due(event, now) if event.live else None

    async def _settled(self, event: Event, now: Now) -> Event:
        """Return an event with what follows; who knows whom is looked up only where people are paired."""
        rules = FORMS[event.setup.form]
        after = settle(rules, event, now, EntrantInfo())
        if any(isinstance(entry, Began | Paired) for entry in after.log[len(event.log) :]):
            after = settle(rules, event, now, await self._known(event, now.at))
        return after

    async def _known(self, event: Event, at: datetime) -> EntrantInfo:
        entrants = event.state.entrants
        people = [one.person for one in entrants]
        ratings = await self.store.ratings.get(event.setup.game, *people)
        apart = await blocked_pairs(self.store.settings, [one.player.account for one in entrants])
        shown = {one.number: rating.shown for one, rating in zip(entrants, ratings, strict=True) if rating}
        settings = await self.store.settings.get_many(*[one.player.account for one in entrants])
        away = {
            one.number: (days.since, days.until)
            for one, chosen in zip(entrants, settings, strict=True)
            if (days := as_of(chosen.vacation, at)) is not None
            and days.since is not None
            and days.until is not None
        }
        return EntrantInfo(shown, apart, away)


def _kind(event: Event) -> object:
    return event.addresses[:1], event.setup.form, event.setup.game, event.setup.options
