"""Checks that many actions begin with: who asks, in which phase, and whether they saw the match as it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from play.errors import BadRequest, NotAllowed, Refused, Stale, WrongPhase
from play.match import Cancel, Match, Phase
from play.people import Account, clean
from play.replay import Course
from play.request import Request
from rules.core import AnyGame, Seat


def game_named(games: Mapping[str, AnyGame], key: str) -> AnyGame:
    """Return the game with that key.

    Raises:
        BadRequest: there is none.
    """
    game = games.get(key)
    if game is None:
        raise BadRequest(Refused.NO_SUCH_GAME, game=clean(key, 20), known=tuple(games))
    return game


def seat_of(match: Match, account: Account) -> Seat:
    """Return the seat of an account.

    Raises:
        NotAllowed: nowhere.
    """
    seat = next(match.seats_of(account), None)
    if seat is None:
        raise NotAllowed(Refused.NOT_SEATED)
    return seat


def check_unexpired(match: Match, at: datetime) -> None:
    """Refuse anything to an invitation whose time has run out."""
    if match.expired(at):
        raise WrongPhase(Refused.EXPIRED)


def check_open(match: Match) -> None:
    """Refuse what can be done only before the start."""
    if match.phase is Phase.PLAYING:
        raise WrongPhase(Refused.ALREADY_STARTED)
    check_live(match)


def check_playing(match: Match) -> None:
    """Refuse what can be done only between the start and the end."""
    if match.phase is Phase.OPEN:
        raise WrongPhase(Refused.NOT_STARTED)
    check_live(match)


def check_live(match: Match) -> None:
    """Refuse what cannot be done once nothing more can happen."""
    if match.phase is Phase.OVER:
        raise WrongPhase(Refused.OVER)
    check_not_called_off(match)


def check_not_called_off(match: Match) -> None:
    """Refuse an invitation that came to nothing."""
    if match.phase is Phase.CALLED_OFF:
        late = match.cancelled is Cancel.EXPIRED
        raise WrongPhase(Refused.EXPIRED if late else Refused.CALLED_OFF)


def check_in(course: Course, seat: Seat) -> None:
    """Refuse a seat that plays no more."""
    if seat not in course.live:
        raise NotAllowed(Refused.YOU_ARE_OUT)


def check_going_on(match: Match) -> None:
    """Refuse what cannot be done during a pause."""
    if match.paused:
        raise WrongPhase(Refused.PAUSED)


def check_fresh(match: Match, request: Request, since: int) -> None:
    """Refuse a request made for the match as it was before some revision.

    A move depends on `match.position_since`, an answer on `match.question_since`, a timer on the latest revision. What is
    done to the match as such, to resign it or to take a chair, depends on its phase alone and needs no such check.
    """
    if request.seen is not None and not since <= request.seen <= match.revision:
        raise Stale(match)


def playing_seat(match: Match, course: Course, request: Request) -> Seat:
    """Return the seat of the player who asks, who is still in a match under way.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, or over.
    """
    seat = seat_of(match, request.account)
    check_playing(match)
    check_in(course, seat)
    return seat
