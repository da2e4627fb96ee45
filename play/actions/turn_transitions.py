"""The clock, the question and the plans of a match when the turn goes on, goes back, or the match ends.

Time that was used stays used. A takeback gives no time back: the seat that thought last is charged for it, and the
seat whose turn it is again goes on with what it had left when it had played; a bank is paid once for each turn, however
often it is played. Per move, the turn after that one begins with its full time, because the position is another.
"""

from __future__ import annotations

from dataclasses import replace

from play.match import COMMENT, Match, Phase, Ply, Result
from play.replay import Course
from play.time.clock import Now, begun, completed, stopped, turned
from rules.core import Seat


def over(match: Match, result: Result, now: Now) -> Match:
    """Return the match at its end: nothing is asked, planned or paused any more, and no time runs."""
    return replace(
        match,
        phase=Phase.OVER,
        result=result,
        offer=None,
        asked=(),
        paused=None,
        plans=(),
        touched=None,
        noticed=None,
        silence=None,
        times=stopped(match.times, now) if match.times else None,
    )


def handed_on(match: Match, course: Course, now: Now) -> Match:
    """Return the match, played as far as its course, when a turn has just been completed."""
    if match.clock is None or match.times is None:
        return match
    to = course.position.to_move
    return replace(match, times=completed(match.clock, match.times, to, len(course.log), now))


def passed_on(match: Match, course: Course, now: Now) -> Match:
    """Return the match when a seat was left: if it was its turn, the next one begins."""
    to = course.position.to_move
    if match.clock is None or match.times is None or match.times.seat == to:
        return match
    since = match.times.since and now.at
    return replace(match, times=begun(match.clock, stopped(match.times, now), to, since))


def taken_back(match: Match, course: Course, keep: int, now: Now) -> Match:
    """Return the match when the plies after the first `keep` entries of its log are taken back; the course is what stays."""
    times, to = match.times, course.position.to_move
    if times is not None and times.credited > keep:
        # Exits and returns that stay come before the plies that were paid for, once those are played again.
        later = sum(not isinstance(entry, Ply) for entry in match.log[times.credited :])
        times = replace(times, credited=times.credited + later)
    if times is not None and times.seat != to:
        times = turned(stopped(times, now), to, times.since and now.at)
    plans = tuple(plan for plan in match.plans if plan.base <= keep)
    remarks = tuple(each for each in match.remarks if each[0] != COMMENT or int(each[1]) <= keep)
    return replace(match, log=course.log, offer=None, plans=plans, times=times, remarks=remarks)


def without_plan(match: Match, seat: Seat) -> Match:
    """Return the match when a seat has no plan any more."""
    if not match.plans:
        return match
    return replace(match, plans=tuple(plan for plan in match.plans if plan.seat != seat))
