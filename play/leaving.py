"""Leaving a match under way. Of two, the other wins; of more, the others play on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from play.checks import playing_seat
from play.facts import Departed
from play.match import Closing, Match, Phase, Result
from play.people import Who
from play.replay import Course


def resign(match: Match, course: Course, who: Who, at: datetime, seen: int | None) -> tuple[Departed, Course]:
    """Give a match up.

    Raises:
        NotAllowed: not seated, or out already.
        WrongPhase: not begun, or over.
        Stale: looking at another revision.
    """
    seat = playing_seat(match, course, who, seen)
    player = match.chairs[seat].player
    assert player is not None, "seated"  # noqa: S101 - playing_seat found the account in this chair
    if len(match.chairs) == 2:
        winners = tuple(other for side in course.sides if seat not in side for other in side)
        result: Result | None = Result(winners, Closing.RESIGNED.value)
    else:
        course = course.left(seat, Closing.RESIGNED, at)
        result = course.result
    phase = Phase.OVER if result else Phase.PLAYING
    after = replace(match, log=course.log, offer=None, phase=phase, result=result)
    return Departed(after, seat, player), course
