"""Undoing: freely until another seat has acted, by consent after that.

In a rated match only a turn under way is undone freely. Leaving, or taking over a seat, is not acting, and is never
undone: the plies go, exits and returns stay.
"""

from __future__ import annotations

from play.agreeing import open_question
from play.checks import check_fresh, check_in, check_playing, seat_of
from play.clock import Now
from play.errors import BadLog, Refused, WrongPhase
from play.facts import Asked, Undone
from play.keeping import taken_back
from play.match import Ask, Match, Ply
from play.pausing import check_going_on
from play.people import Who
from play.replay import Course
from rules.core import Seat


def undo(match: Match, course: Course, who: Who, *, now: Now, seen: int | None) -> tuple[Undone, Course]:
    """Take back one's own last ply, as long as no other seat has acted since.

    A seat that went out by its own ply may still undo it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, paused, nothing to undo, others have acted, or somebody has left since and the
            match could not go on without that ply; or the match is rated, and the turn complete.
        Stale: looking at another revision.
    """
    seat = _asker(match, course, who, seen)
    last = _last_ply_of(match, seat)
    if not _free(match, seat, last):
        raise WrongPhase(Refused.OTHERS_ACTED)
    if match.rated and not _under_way(course, seat):
        raise WrongPhase(Refused.RATED_TURN)
    return _undone(match, course, seat, last, now=now)


def ask_takeback(
    match: Match, course: Course, who: Who, *, now: Now, seen: int | None
) -> tuple[Asked | Undone, Course]:
    """Ask to go back to before one's own last turn; where undoing is still free, go back at once.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, paused, nothing to take back, another question is open, or somebody has left since
            and the match could not go on without that turn.
        Stale: looking at another revision.
    """
    seat = _asker(match, course, who, seen)
    first = course.turn_start(_last_ply_of(match, seat))
    if _free(match, seat, first) and (_under_way(course, seat) or not match.rated):
        return _undone(match, course, seat, first, now=now)
    _rewound(course, seat, first)
    return open_question(match, course, seat, Ask.TAKEBACK, first)


def _asker(match: Match, course: Course, who: Who, seen: int | None) -> Seat:
    seat = seat_of(match, who)
    check_playing(match)
    last = next((entry for entry in reversed(match.log) if isinstance(entry, Ply)), None)
    if last is None or last.seat != seat or seat in course.departed:
        check_in(course, seat)
    check_going_on(match)
    check_fresh(match, seen)
    return seat


def _last_ply_of(match: Match, seat: Seat) -> int:
    """Where in the log the last ply of a seat is; one of whoever sat there before is not its own."""
    for index in range(len(match.log) - 1, -1, -1):
        entry = match.log[index]
        if entry.seat == seat:
            if isinstance(entry, Ply):
                return index
            break
    raise WrongPhase(Refused.NOTHING_TO_UNDO)


def _free(match: Match, seat: Seat, first: int) -> bool:
    return all(entry.seat == seat for entry in match.log[first:] if isinstance(entry, Ply))


def _under_way(course: Course, seat: Seat) -> bool:
    """Whether a seat is in the middle of its turn."""
    position = course.position
    return position.to_move == seat and position.plies_left < position.turn_length


def _rewound(course: Course, seat: Seat, keep: int) -> Course:
    """The course without its plies after the first `keep` entries, the seat to move again.

    Raises:
        WrongPhase: somebody has left or come back since, and with that the match would be over there, or not the
            seat's to go on with.
    """
    try:
        course = course.without_plies(keep)
    except BadLog as broken:
        raise WrongPhase(Refused.LEFT_SINCE) from broken
    if course.result or course.position.to_move != seat:
        raise WrongPhase(Refused.LEFT_SINCE)
    return course


def _undone(match: Match, course: Course, seat: Seat, keep: int, *, now: Now) -> tuple[Undone, Course]:
    plies = tuple(entry for entry in match.log[keep:] if isinstance(entry, Ply))
    course = _rewound(course, seat, keep)
    return Undone(taken_back(match, course, keep, now), seat, plies), course
