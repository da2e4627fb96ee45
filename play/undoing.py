"""Undoing: freely until another seat has acted, by consent after that. An exit is never undone."""

from __future__ import annotations

from dataclasses import replace

from play.agreeing import open_question
from play.checks import check_fresh, check_in, check_playing, seat_of
from play.errors import Refused, WrongPhase
from play.facts import Asked, Undone
from play.match import Ask, Entry, Exit, Match, Ply
from play.people import Who
from play.replay import Course
from rules.core import Seat


def undo(match: Match, course: Course, who: Who, seen: int | None) -> tuple[Undone, Course]:
    """Take back one's own last ply, as long as no other seat has acted since.

    A seat that went out by its own ply may still undo it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, nothing to undo, or others have acted.
        Stale: looking at another revision.
    """
    seat = _asker(match, course, who, seen)
    first = _last_turn_of(match, course, seat)
    if not _free(match, seat, first):
        raise WrongPhase(Refused.OTHERS_ACTED)
    return _undone(match, course, seat, len(match.log) - 1)


def ask_takeback(match: Match, course: Course, who: Who, seen: int | None) -> tuple[Asked | Undone, Course]:
    """Ask to go back to before one's own last turn; where undoing is still free, go back at once.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, nothing to take back, or another question is open.
        Stale: looking at another revision.
    """
    seat = _asker(match, course, who, seen)
    first = _last_turn_of(match, course, seat)
    if _free(match, seat, first):
        return _undone(match, course, seat, first)
    return open_question(match, course, seat, Ask.TAKEBACK, first)


def _asker(match: Match, course: Course, who: Who, seen: int | None) -> Seat:
    seat = seat_of(match, who)
    check_playing(match)
    last = match.log[-1] if match.log else None
    if not isinstance(last, Ply) or last.seat != seat:
        check_in(course, seat)
    check_fresh(match, seen)
    return seat


def _last_turn_of(match: Match, course: Course, seat: Seat) -> int:
    """Where in the log the last turn of a seat began."""
    for index in range(len(match.log) - 1, -1, -1):
        entry = match.log[index]
        if isinstance(entry, Exit):
            break
        if entry.seat == seat:
            return _after_exits(match.log, course.turn_start(index), index)
    raise WrongPhase(Refused.NOTHING_TO_UNDO)


def _after_exits(log: tuple[Entry, ...], first: int, last: int) -> int:
    """The first entry of a turn that no exit follows within it."""
    return max((i + 1 for i in range(first, last) if isinstance(log[i], Exit)), default=first)


def _free(match: Match, seat: Seat, first: int) -> bool:
    return all(entry.seat == seat for entry in match.log[first:])


def _undone(match: Match, course: Course, seat: Seat, keep: int) -> tuple[Undone, Course]:
    plies = tuple(entry for entry in match.log[keep:] if isinstance(entry, Ply))
    return Undone(replace(match, log=match.log[:keep], offer=None), seat, plies), course.cut(keep)
