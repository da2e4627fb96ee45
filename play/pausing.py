"""A pause by consent: the clock stands still until anybody goes on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from play.checks import playing_seat
from play.clock import Now, resumed, stopped
from play.errors import Refused, WrongPhase
from play.facts import Paused, Resumed
from play.match import Match
from play.people import Who
from play.replay import Course
from rules.core import Seat


def check_can_pause(match: Match) -> None:
    """Refuse to pause what has no clock, or rests already."""
    if match.clock is None:
        raise WrongPhase(Refused.NO_CLOCK)
    check_going_on(match)


def check_going_on(match: Match) -> None:
    """Refuse what cannot be done during a pause."""
    if match.paused:
        raise WrongPhase(Refused.PAUSED)


def paused(match: Match, by: Seat, now: Now) -> Paused:
    """The match at rest, when all have agreed."""
    times = replace(stopped(match.times, now), up=False) if match.times else None
    return Paused(replace(match, offer=None, paused=now.at, times=times), by)


def resume(match: Match, course: Course, who: Who, *, at: datetime, seen: int | None) -> Resumed:
    """Go on after a pause; one who still plays is enough.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, or not paused.
        Stale: looking at another revision.
    """
    seat = playing_seat(match, course, who, seen)
    if not match.paused:
        raise WrongPhase(Refused.NOT_PAUSED)
    times = resumed(match.times, at) if match.times else None
    return Resumed(replace(match, paused=None, times=times), seat)
