"""Undoing: freely until another seat has acted, by consent after that.

In a rated match only a turn under way is undone freely. Leaving, or taking over a seat, is not acting, and is never
undone: the plies go, exits and returns stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from play.actions.action import Action, Replayer
from play.actions.agreeing import open_question
from play.actions.turn_transitions import taken_back
from play.checks import check_fresh, check_going_on, check_in, check_playing, seat_of
from play.errors import BadLog, Refused, WrongPhase
from play.facts import Asked, Undone
from play.match import Ask, Match, Ply
from play.replay import Course
from play.request import Request
from play.time.clock import Now
from rules.core import Seat


@dataclass(frozen=True, slots=True)
class Undo(Action[Undone]):
    """Take back one's own last ply, as long as no other seat has acted since.

    A seat that went out by its own ply may still undo it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, paused, nothing to undo, others have acted, or a seat was left since and the
            match could not go on without that ply; or the match is rated, and the turn complete.
        Stale: the match is not as it was seen.
    """

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Undone, Course]:
        """See `Action.decide`."""
        course = replay(match)
        seat = _asker(match, course, request)
        last = _last_ply_of(match, seat)
        if not _free(match, seat, last):
            raise WrongPhase(Refused.OTHERS_ACTED)
        if match.rated and not _under_way(course, seat):
            raise WrongPhase(Refused.RATED_TURN)
        return _undone(match, course, seat, last, request.now)


@dataclass(frozen=True, slots=True)
class AskTakeback(Action[Asked | Undone]):
    """Ask to go back to before one's own last turn; where undoing is still free, go back at once.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, paused, nothing to take back, another question is open, or a seat was left since
            and the match could not go on without that turn.
        Stale: the match is not as it was seen.
    """

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Asked | Undone, Course]:
        """See `Action.decide`."""
        course = replay(match)
        seat = _asker(match, course, request)
        first = course.turn_start(_last_ply_of(match, seat))
        if _free(match, seat, first) and (_under_way(course, seat) or not match.rated):
            return _undone(match, course, seat, first, request.now)
        _rewound(course, seat, first)
        return open_question(match, course, seat, Ask.TAKEBACK, first), course


def _asker(match: Match, course: Course, request: Request) -> Seat:
    seat = seat_of(match, request.account)
    check_playing(match)
    last = next((entry for entry in reversed(match.log) if isinstance(entry, Ply)), None)
    if last is None or last.seat != seat or seat in course.departed:
        check_in(course, seat)
    check_going_on(match)
    check_fresh(match, request, match.position_since)
    return seat


def _last_ply_of(match: Match, seat: Seat) -> int:
    """Return where in the log the last ply of a seat is; one of who sat there before is not its own."""
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
    """Return the course without its plies after the first `keep` entries, the seat to move again.

    Raises:
        WrongPhase: a seat was left or taken since, and with that the match would be over there, or not the seat's to
            go on with.
    """
    try:
        course = course.without_plies(keep)
    except BadLog as broken:
        raise WrongPhase(Refused.LEFT_SINCE) from broken
    if course.result or course.position.to_move != seat:
        raise WrongPhase(Refused.LEFT_SINCE)
    return course


def _undone(match: Match, course: Course, seat: Seat, keep: int, now: Now) -> tuple[Undone, Course]:
    plies = tuple(entry for entry in match.log[keep:] if isinstance(entry, Ply))
    course = _rewound(course, seat, keep)
    return Undone(taken_back(match, course, keep, now), seat, plies), course
