"""What people do on a ladder."""

from __future__ import annotations

from dataclasses import dataclass

from play.errors import NotAllowed, WrongPhase
from play.events.actions import EventAction, check_live
from play.events.errors import EventRefused
from play.events.event import Event
from play.events.ladder import (
    Challenge,
    Challenged,
    LadderRefused,
    Refused,
    Rested,
    TakenBack,
    ladder_of,
)
from play.events.ladder_rules import accepted
from play.people import Account
from play.request import Request
from play.time.clock import Span


@dataclass(frozen=True, slots=True)
class Dare(EventAction):
    """Challenge a player above.

    Attributes:
        challenged: The number of the player above.
        accounts: All accounts of the person who asks.
        away: The vacation that the challenged is on, if they are.
        apart: Whether one of the two has blocked the other.

    Raises:
        NotAllowed: not possible now (`Ladder.barred`), or one has blocked the other.
        WrongPhase: the ladder is over.
    """

    challenged: int
    accounts: tuple[Account, ...] = ()
    away: Span | None = None
    apart: bool = False

    def decide(self, event: Event, request: Request) -> Event:
        """See `EventAction.decide`."""
        check_live(event)
        challenger = _mine(event, request, self.accounts)
        if self.apart:
            raise NotAllowed(LadderRefused.APART)
        ladder = ladder_of(event)
        if self.away is not None and ladder.away(self.challenged, request.at) is None:
            event = event.logged(Rested(self.challenged, *self.away, at=request.at))
            ladder = ladder_of(event)
        barred = ladder.barred(challenger, self.challenged, request.at)
        if barred is not None:
            raise NotAllowed(barred.why, **barred.fields(ladder.reach, request.at))
        return event.logged(Challenged(challenger, self.challenged, at=request.at))


@dataclass(frozen=True, slots=True)
class Answer(EventAction):
    """Accept or refuse a challenge; what was answered already stays as it is.

    Attributes:
        challenge: Its number.
        accept: Whether to play.
        accounts: All accounts of the person who asks.

    Raises:
        NotAllowed: it is another player's to answer.
        WrongPhase: it is not open any more, or the ladder is over.
    """

    challenge: int
    accept: bool
    accounts: tuple[Account, ...] = ()

    def decide(self, event: Event, request: Request) -> Event:
        """See `EventAction.decide`."""
        check_live(event)
        challenge = _waiting(event, self.challenge)
        if challenge.challenged != _mine(event, request, self.accounts):
            raise NotAllowed(LadderRefused.NOT_YOURS)
        if self.accept:
            return event.logged(accepted(event, challenge, request.at))
        return event.logged(Refused(challenge.number, at=request.at))


@dataclass(frozen=True, slots=True)
class TakeBack(EventAction):
    """Take one's challenge back before it is answered; the seven days count from then.

    Attributes:
        challenge: Its number.
        accounts: All accounts of the person who asks.

    Raises:
        NotAllowed: it is another player's.
        WrongPhase: it is not open any more, or the ladder is over.
    """

    challenge: int
    accounts: tuple[Account, ...] = ()

    def decide(self, event: Event, request: Request) -> Event:
        """See `EventAction.decide`."""
        check_live(event)
        challenge = _waiting(event, self.challenge)
        if challenge.challenger != _mine(event, request, self.accounts):
            raise NotAllowed(LadderRefused.NOT_YOURS)
        return event.logged(TakenBack(challenge.number, at=request.at))


def _mine(event: Event, request: Request, accounts: tuple[Account, ...]) -> int:
    """Return the number of the player who asks."""
    entrant = event.state.entrant_of(request.account, *accounts)
    if entrant is None or entrant.out is not None:
        raise NotAllowed(EventRefused.NOT_IN)
    return entrant.number


def _waiting(event: Event, number: int) -> Challenge:
    """Return a challenge that is not answered."""
    for challenge in ladder_of(event).waiting:
        if challenge.number == number:
            return challenge
    raise WrongPhase(LadderRefused.ANSWERED)
