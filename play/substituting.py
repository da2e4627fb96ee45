"""Taking over the seat of somebody who left, or lost on time, while the others play on."""

from __future__ import annotations

from dataclasses import replace

from play.checks import check_fresh, check_playing
from play.clock import Now, renewed
from play.errors import BadRequest, NotAllowed, Refused, WrongPhase
from play.facts import Replaced
from play.keeping import over
from play.leaving import player_of
from play.match import Chair, Match
from play.people import Player, entering
from play.replay import Course
from rules.core import Seat


def vacant(course: Course) -> tuple[Seat, ...]:
    """The seats that somebody new could take: left by a player, and not blocked by the rules since."""
    return tuple(seat for seat in sorted(course.departed) if course.restorable(seat))


def substitute(
    match: Match,
    course: Course,
    who: Player,
    seat: Seat | None,
    *,
    now: Now,
    seen: int | None,
) -> tuple[Replaced, Course]:
    """Sit down in a vacant seat (None: the first one) and play on for it, with the time that a seat begins with.

    Raises:
        NotAllowed: seated here already, or the one who left; or the match is rated, where everybody answers for their
            own seat.
        BadRequest: no such seat.
        WrongPhase: not begun, over, or the seat is not vacant.
        Stale: looking at another revision.
    """
    check_playing(match)
    check_fresh(match, seen)
    if match.rated:
        raise NotAllowed(Refused.RATED_SEAT)
    own = next(match.seats_of(who.account), None)
    if own is not None:
        raise NotAllowed(Refused.SEAT_YOURS if own in course.live else Refused.SEAT_OWN)
    seat = _chosen(course, seat)
    before = player_of(match, seat)
    course = course.returned(seat, now.at)
    who = entering(who)
    chairs = (*match.chairs[:seat], Chair(player=who), *match.chairs[seat + 1 :])
    times = renewed(match.clock, match.times, seat) if match.clock and match.times else match.times
    match = replace(match, chairs=chairs, log=course.log, offer=None, times=times)
    if result := course.result:
        match = over(match, result, now)
    return Replaced(match, seat, who, before), course


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
