"""What people do in a league, and what decides games whose time is up."""

from __future__ import annotations

from dataclasses import dataclass

from play.errors import NotAllowed
from play.events.actions import EventAction, check_live
from play.events.entries import End, Ended, Exit, Left
from play.events.errors import EventRefused
from play.events.event import Event
from play.events.league import Stays, league_of, undecided
from play.people import Account
from play.request import Request


@dataclass(frozen=True, slots=True)
class NextSeason(EventAction):
    """Say whether one plays in the next season; said again, nothing changes. Who has played in none yet leaves instead.

    Attributes:
        stays: Whether.
        accounts: All accounts of the person who asks.

    Raises:
        NotAllowed: not in it.
        WrongPhase: it is over.
    """

    stays: bool
    accounts: tuple[Account, ...] = ()

    def decide(self, event: Event, request: Request) -> Event:
        """See `EventAction.decide`."""
        check_live(event)
        entrant = event.state.entrant_of(request.account, *self.accounts)
        if entrant is None or entrant.out is not None:
            raise NotAllowed(EventRefused.NOT_IN)
        league = league_of(event)
        if entrant.number in league.newcomers:
            return event if self.stays else event.logged(Left(entrant.number, Exit.LEFT, at=request.at))
        if league.stays.get(entrant.number) is self.stays:
            return event
        return event.logged(Stays(entrant.number, self.stays, at=request.at))


@dataclass(frozen=True, slots=True)
class Adjudicate(EventAction):
    """Decide a game whose season is over; what has ended otherwise meanwhile stays as it is.

    Attributes:
        game: Its number.
        places: Of each of its players, 0 for the best: as proved; all 0, a draw, where nothing is.
    """

    game: int
    places: tuple[int, ...]

    def decide(self, event: Event, request: Request) -> Event:
        """See `EventAction.decide`."""
        if not event.live or self.game not in {game.number for game in undecided(event)}:
            return event
        return event.logged(Ended(self.game, self.places, End.ADJUDICATED, at=request.at))
