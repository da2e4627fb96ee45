"""Ways in which an invitation comes to nothing: declined, withdrawn, or expired."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from play.actions.action import Action, Replayer
from play.checks import check_fresh, check_open
from play.errors import NotAllowed, Refused, Stale
from play.facts import CalledOff
from play.match import Cancel, Match, Phase
from play.people import Account, Player
from play.request import Request


@dataclass(frozen=True, slots=True)
class Decline(Action[CalledOff]):
    """Turn down an invitation that was meant for oneself; it comes to nothing for all.

    Raises:
        WrongPhase: begun already, or called off.
        NotAllowed: not invited, one's own challenge, or seated already.
        Stale: the match is not as it was seen.
    """

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[CalledOff, None]:
        """See `Action.decide`."""
        check_open(match)
        check_fresh(match, request)
        account = request.account
        check_unseated(match, account)
        invited = next(
            (c.reserved for c in match.chairs if c.reserved and c.reserved.account == account), None
        )
        if invited is None:
            own = match.host.account == account
            raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.NOT_INVITED)
        return called_off(match, Cancel.DECLINED, invited), None


@dataclass(frozen=True, slots=True)
class Withdraw(Action[CalledOff]):
    """Take back one's own invitation.

    Raises:
        NotAllowed: not its host.
        WrongPhase: begun already, or called off.
        Stale: the match is not as it was seen.
    """

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[CalledOff, None]:
        """See `Action.decide`."""
        if match.host.account != request.account:
            raise NotAllowed(Refused.NOT_HOST, host=match.host.name)
        check_open(match)
        check_fresh(match, request)
        return called_off(match, Cancel.WITHDRAWN, match.host), None


@dataclass(frozen=True, slots=True)
class Expire(Action[CalledOff]):
    """Call off an invitation whose time has run out.

    Raises:
        WrongPhase: begun already, or called off.
        Stale: it is not time yet, which the error's match shows; or the match is not as it was seen.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[CalledOff, None]:
        """See `Action.decide`."""
        check_open(match)
        check_fresh(match, request)
        if not match.expired(request.at):
            raise Stale(match)
        return called_off(match, Cancel.EXPIRED, None), None


def called_off(match: Match, why: Cancel, by: Player | None) -> CalledOff:
    """Return the end of an invitation that came to nothing."""
    return CalledOff(replace(match, phase=Phase.CALLED_OFF, cancelled=why), why, by)


def check_unseated(match: Match, account: Account) -> None:
    """Refuse a person who has a chair already."""
    if any(True for _ in match.seats_of(account)):
        own = match.host.account == account and not match.lobby
        raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.ALREADY_SEATED)
