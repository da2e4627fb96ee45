"""Ways in which an invitation comes to nothing: declined, withdrawn, or expired."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from play.actions.action import Action, Replayer
from play.checks import check_fresh, check_open
from play.engine_players import is_engine
from play.errors import NotAllowed, Refused, Stale
from play.facts import CalledOff, TurnedDown
from play.match import Cancel, Chair, Match, Phase
from play.people import Account, Player
from play.request import Request


@dataclass(frozen=True, slots=True)
class Decline(Action[TurnedDown | CalledOff]):
    """Turn down an invitation that was meant for oneself. The seat is free then; a challenge that leaves its host alone ends.

    A match from a file ends as well: no other player may take a seat in it.

    Raises:
        WrongPhase: begun already, or called off.
        NotAllowed: not invited, one's own challenge, or seated already.
    """

    def decide(
        self, match: Match, _replay: Replayer, request: Request
    ) -> tuple[TurnedDown | CalledOff, None]:
        """See `Action.decide`."""
        check_open(match)
        account = request.account
        check_unseated(match, account)
        seat = next(
            (i for i, c in enumerate(match.chairs) if c.reserved and c.reserved.account == account), None
        )
        if seat is None:
            own = match.host.account == account
            raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.NOT_INVITED)
        invited = match.chairs[seat].reserved
        assert invited is not None, "invited"  # noqa: S101 - it was looked for
        left = replace(match, chairs=(*match.chairs[:seat], Chair(), *match.chairs[seat + 1 :]))
        if match.log or not (match.lobby or _has_others(left)):
            return called_off(match, Cancel.DECLINED, invited), None
        return TurnedDown(left, invited), None


@dataclass(frozen=True, slots=True)
class Withdraw(Action[CalledOff]):
    """Take back one's own invitation.

    Raises:
        NotAllowed: not its host.
        WrongPhase: begun already, or called off.
    """

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[CalledOff, None]:
        """See `Action.decide`."""
        check_open(match)
        if match.host.account != request.account:
            seated = any(True for _ in match.seats_of(request.account))
            reason = Refused.NOT_HOST if seated else Refused.NOT_HOST_NOR_SEATED
            raise NotAllowed(reason, host=match.host.name)
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
        check_fresh(match, request, match.revision)
        if not match.expired(request.at):
            raise Stale(match)
        return called_off(match, Cancel.EXPIRED, None), None


def _has_others(match: Match) -> bool:
    """Whether a challenge of more than two still has people besides its host, seated or invited."""
    people = [who.account for chair in match.chairs for who in (chair.player, chair.reserved) if who]
    others = [who for who in people if who != match.host.account and not is_engine(who)]
    return len(match.chairs) > 2 and bool(others)


def called_off(match: Match, why: Cancel, by: Player | None) -> CalledOff:
    """Return the end of an invitation that came to nothing."""
    return CalledOff(replace(match, phase=Phase.CALLED_OFF, cancelled=why), why, by)


def check_unseated(match: Match, account: Account) -> None:
    """Refuse a person who has a chair already."""
    if any(True for _ in match.seats_of(account)):
        own = match.host.account == account and not match.lobby
        raise NotAllowed(Refused.OWN_CHALLENGE if own else Refused.ALREADY_SEATED)
