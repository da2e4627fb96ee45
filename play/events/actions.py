"""What people, matches and time do to an event, each a value with its pure decision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from play.errors import NotAllowed, WrongPhase
from play.events.entries import (
    Bound,
    Ended,
    Entered,
    Entrant,
    EventClosed,
    EventEntry,
    ExitReason,
    GameEnd,
    Left,
    OnProbation,
    Queued,
    Returned,
    Stage,
    Voided,
    Withdrawn,
)
from play.events.event import Event, EventRefused, code_of
from play.match import MAX_ADDRESSES
from play.people import Account, Address, Player, entering, is_channel, private_place
from play.request import Request

MOST_PEOPLE: Final = 500  # people who ever enter an event that never ends; its record names each of them


class EventAction(ABC):
    """One thing that can be done to an event."""

    __slots__ = ()

    @abstractmethod
    def decide(self, event: Event, request: Request, /) -> Event:
        """Return the event after it, `event.logged(...)`; the same event: there is nothing to do."""


@dataclass(frozen=True, slots=True)
class Advance(EventAction):
    """Have all follow that follows by itself, because a timer has come."""

    def decide(self, event: Event, _request: Request) -> Event:
        return event


@dataclass(frozen=True, slots=True)
class Enter(EventAction):
    """Enter an event. One that never ends people may leave, and return to; of a cup that has begun, wait for a free seat.

    It is for people, or for places that play: as who entered first, or a place that opened it.
    """

    young_until: datetime | None = None  # until when a young account takes no one's place

    def decide(self, event: Event, request: Request) -> Event:
        check_live(event)
        state, mine = event.state, (request.account, *request.others)
        known, perpetual = state.entrant_of(*mine), event.setup.perpetual
        if state.queued(*mine) or (known is not None and known.out is None):
            raise NotAllowed(EventRefused.ALREADY_IN)
        if known is not None:
            if not perpetual or known.out not in (ExitReason.LEFT, ExitReason.ABSENT):
                raise NotAllowed(EventRefused.OUT)
            return event.logged(Returned(known.number, at=request.at))
        number = len(state.entrants)
        places = is_channel((state.entrants[0].player if number else event.host).account)
        if (number or places) and is_channel(request.account) is not places:
            raise NotAllowed(EventRefused.FOR_PLACES if places else EventRefused.FOR_PEOPLE)
        if perpetual and number >= MOST_PEOPLE:
            raise NotAllowed(EventRefused.FULL, count=MOST_PEOPLE)
        kind = Entered if perpetual or state.stage is Stage.OPEN else Queued
        event = event.logged(kind(entering(request.who), request.account, at=request.at))
        if not perpetual or self.young_until is None:
            return event
        return event.logged(OnProbation(number, self.young_until, at=request.at))


@dataclass(frozen=True, slots=True)
class LeaveEvent(EventAction):
    """Leave an event, or its queue."""

    def decide(self, event: Event, request: Request) -> Event:
        check_live(event)
        state, mine = event.state, (request.account, *request.others)
        if (waits := state.queued(*mine)) is not None:
            return event.logged(Withdrawn(waits.person, at=request.at))
        entrant = playing_entrant(event, request)
        return event.logged(Left(entrant.number, ExitReason.LEFT, at=request.at))


@dataclass(frozen=True, slots=True)
class StopEvent(EventAction):
    """End an event at once. Its matches go on; what they bring counts for nothing here."""

    def decide(self, event: Event, request: Request) -> Event:
        check_live(event)
        return event.logged(EventClosed(stopped=True, at=request.at))


@dataclass(frozen=True, slots=True)
class Show(EventAction):
    """Show an event at one more place, if there is room for it; again, nothing changes."""

    where: Address

    def decide(self, event: Event, _request: Request) -> Event:
        if self.where in event.addresses or len(event.addresses) >= MAX_ADDRESSES:
            return event
        return replace(event, addresses=(*event.addresses, self.where))


@dataclass(frozen=True, slots=True)
class Rebind(EventAction):
    """Give a game another code, since the one that it has is another match's; once for each code."""

    game: int
    taken: str

    def decide(self, event: Event, request: Request) -> Event:
        game = event.state.game(self.game)
        if game is None or game.match != self.taken or not game.open or not event.live:
            return event
        codes = [code_of(event, game, attempt) for attempt in range(len(event.log) + 2)]
        after = codes[codes.index(self.taken) + 1]
        return event.logged(Bound(game.number, after, at=request.at))


@dataclass(frozen=True, slots=True)
class Report(EventAction):
    """Report how a game's match ended; again, or once the game has ended otherwise, nothing changes."""

    game: int
    match: str
    places: tuple[int, ...]  # the place of each of its players, 0 for the best; empty: it counts for nothing
    absent: tuple[int, ...] = ()  # the seats whose players were absent

    def decide(self, event: Event, request: Request) -> Event:
        game = event.state.game(self.game)
        if not event.live or game is None or not game.open or game.match != self.match:
            return event
        if not self.places:
            return event.logged(Voided((game.number,), at=request.at))
        absent = tuple(game.entrants[seat] for seat in self.absent)
        end = GameEnd.ABSENT if absent else GameEnd.PLAYED
        return event.logged(Ended(game.number, self.places, end, absent, at=request.at))


@dataclass(frozen=True, slots=True)
class RenameEntrant(EventAction):
    """Put another player wherever the account that asks is named in an event.

    Where both play in it, who asks is out: a person plays once.
    """

    to: Player

    def decide(self, event: Event, request: Request) -> Event:
        mine, first = event.state.entrant_of(request.account), event.state.entrant_of(self.to.account)
        twice = mine is not None and first is not None and mine != first and mine.out is first.out is None
        if event.live and mine is not None and twice:
            event = event.logged(Left(mine.number, ExitReason.LEFT, at=request.at))
        return _renamed(event, request.account, self.to)


@dataclass(frozen=True, slots=True)
class ForgetEntrant(EventAction):
    """Take the person who asks out of an event, and their name out of its log."""

    unknown: Player

    def decide(self, event: Event, request: Request) -> Event:
        state = event.state
        entrant = state.entrant_of(request.account)
        if event.live and entrant is not None and entrant.out is None:
            event = event.logged(Left(entrant.number, ExitReason.FORGOTTEN, at=request.at))
        log, who, private = event.log, request.account, private_place(request.account)
        if any(one.player.account == who for one in state.waiting):
            log = tuple(one for one in log if not (isinstance(one, Queued) and one.player.account == who))
        event = replace(event, log=log, addresses=tuple(one for one in event.addresses if one != private))
        return _renamed(event, who, self.unknown)


def _renamed(event: Event, who: Account, to: Player) -> Event:
    # With another player wherever an account is named in it.
    def other(entry: EventEntry) -> EventEntry:
        if isinstance(entry, Entered | Queued):
            player = to if entry.player.account == who else entry.player
            first = to.account if who in (entry.person, entry.player.account) else entry.person
            return replace(entry, player=player, person=first)
        if isinstance(entry, Withdrawn) and entry.person == who:
            return replace(entry, person=to.account)
        return entry

    log = tuple(map(other, event.log))
    host = to if event.host.account == who else event.host
    return event if (log, host) == (event.log, event.host) else replace(event, log=log, host=host)


def check_live(event: Event) -> None:
    """Refuse what cannot be done once nothing more can happen."""
    if not event.live:
        raise WrongPhase(EventRefused.OVER)


def playing_entrant(event: Event, request: Request) -> Entrant:
    """Return the entrant of a live event who asks, with any of their accounts, and is not out."""
    check_live(event)
    entrant = event.state.entrant_of(request.account, *request.others)
    if entrant is None or entrant.out is not None:
        raise NotAllowed(EventRefused.NOT_IN)
    return entrant
