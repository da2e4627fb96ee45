"""Undoing: freely until another seat has acted, by consent after that. An exit or a return is never undone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from play.agreeing import open_question
from play.checks import check_fresh, check_in, check_playing, seat_of
from play.clock import Outage
from play.errors import Refused, WrongPhase
from play.facts import Asked, Undone
from play.keeping import taken_back
from play.match import Ask, Entry, Match, Ply
from play.pausing import check_going_on
from play.people import Who
from play.replay import Course
from rules.core import Seat


def undo(
    match: Match, course: Course, who: Who, *, at: datetime, outages: Sequence[Outage], seen: int | None
) -> tuple[Undone, Course]:
    """Take back one's own last ply, as long as no other seat has acted since.

    A seat that went out by its own ply may still undo it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, paused, nothing to undo, or others have acted.
        Stale: looking at another revision.
    """
    seat = _asker(match, course, who, seen)
    first = _last_turn_of(match, course, seat)
    if not _free(match, seat, first):
        raise WrongPhase(Refused.OTHERS_ACTED)
    return _undone(match, course, seat, len(match.log) - 1, at=at, outages=outages)


def ask_takeback(
    match: Match, course: Course, who: Who, *, at: datetime, outages: Sequence[Outage], seen: int | None
) -> tuple[Asked | Undone, Course]:
    """Ask to go back to before one's own last turn; where undoing is still free, go back at once.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, paused, nothing to take back, or another question is open.
        Stale: looking at another revision.
    """
    seat = _asker(match, course, who, seen)
    first = _last_turn_of(match, course, seat)
    if _free(match, seat, first):
        return _undone(match, course, seat, first, at=at, outages=outages)
    return open_question(match, course, seat, Ask.TAKEBACK, first)


def _asker(match: Match, course: Course, who: Who, seen: int | None) -> Seat:
    seat = seat_of(match, who)
    check_playing(match)
    last = match.log[-1] if match.log else None
    if not isinstance(last, Ply) or last.seat != seat:
        check_in(course, seat)
    check_going_on(match)
    check_fresh(match, seen)
    return seat


def _last_turn_of(match: Match, course: Course, seat: Seat) -> int:
    """Where in the log the last turn of a seat began."""
    for index in range(len(match.log) - 1, -1, -1):
        entry = match.log[index]
        if not isinstance(entry, Ply):
            break
        if entry.seat == seat:
            return _after_others(match.log, course.turn_start(index), index)
    raise WrongPhase(Refused.NOTHING_TO_UNDO)


def _after_others(log: tuple[Entry, ...], first: int, last: int) -> int:
    """The first entry of a turn that no exit or return follows within it."""
    return max((i + 1 for i in range(first, last) if not isinstance(log[i], Ply)), default=first)


def _free(match: Match, seat: Seat, first: int) -> bool:
    return all(entry.seat == seat for entry in match.log[first:])


def _undone(
    match: Match, course: Course, seat: Seat, keep: int, *, at: datetime, outages: Sequence[Outage]
) -> tuple[Undone, Course]:
    plies = tuple(entry for entry in match.log[keep:] if isinstance(entry, Ply))
    course = course.cut(keep)
    return Undone(taken_back(match, course, at, outages), seat, plies), course
