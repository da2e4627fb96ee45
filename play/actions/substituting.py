"""Taking over a seat that was left, or lost on time, while the others play on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from play.actions.action import Action, Replayer
from play.actions.turn_transitions import over
from play.checks import check_playing
from play.errors import BadRequest, NotAllowed, Refused, WrongPhase
from play.facts import Replaced
from play.match import Chair, Match
from play.people import entering
from play.replay import Course
from play.request import Request
from play.time.clock import renewed
from rules.core import Seat


@dataclass(frozen=True, slots=True)
class Substitute(Action[Replaced]):
    """Sit down in a vacant seat (None: the first one) and play on for it, with the time that a seat begins with.

    Raises:
        NotAllowed: seated here already, or the one who left; or the match is rated, where each player answers for
            their own seat.
        BadRequest: no such seat.
        WrongPhase: not begun, over, or the seat is not vacant.
    """

    seat: Seat | None = None

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Replaced, Course]:
        """See `Action.decide`."""
        course = replay(match)
        check_playing(match)
        if match.rated:
            raise NotAllowed(Refused.RATED_SEAT)
        own = next(match.seats_of(request.account), None)
        if own is not None:
            raise NotAllowed(Refused.SEAT_YOURS if own in course.live else Refused.SEAT_OWN)
        seat = _chosen(course, self.seat)
        before = match.player(seat)
        course = course.returned(seat, request.at)
        who = entering(request.who)
        chairs = (*match.chairs[:seat], Chair(player=who), *match.chairs[seat + 1 :])
        times = renewed(match.clock, match.times, seat) if match.clock and match.times else match.times
        match = replace(match, chairs=chairs, log=course.log, offer=None, times=times)
        if result := course.result:
            match = over(match, result, request.now)
        return Replaced(match, seat, who, before), course


def vacant(course: Course) -> tuple[Seat, ...]:
    """Return the seats that can be taken over: left by a player, and not blocked by the rules since."""
    return tuple(seat for seat in sorted(course.departed) if course.restorable(seat))


def _chosen(course: Course, seat: Seat | None) -> Seat:
    if seat is None:
        free = vacant(course)
        if not free:
            raise WrongPhase(Refused.NO_SEAT_LEFT)
        return free[0]
    seats = course.game.seats(course.options)
    if seat >= seats:
        raise BadRequest(Refused.NO_SUCH_SEAT, number=seat.number, seats=seats)
    if seat in course.live:
        raise WrongPhase(Refused.SEAT_TAKEN, seat=seat)
    if seat not in vacant(course):
        raise WrongPhase(Refused.SEAT_BLOCKED, seat=seat)
    return seat
