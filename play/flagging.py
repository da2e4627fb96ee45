"""The flag: what happens when the time of the seat on turn is up."""

from __future__ import annotations

from dataclasses import replace

from play.agreeing import asked
from play.checks import playing_seat
from play.clock import Now, deadline
from play.errors import NotAllowed, Refused, WrongPhase
from play.facts import Flagged, TimeIsUp
from play.leaving import lost, player_of
from play.match import Closing, Match, Phase
from play.people import Who
from play.replay import Course


def falls(match: Match, now: Now) -> bool:
    """Whether the time of the seat on turn is up, and nobody has been told."""
    times = match.times
    if match.phase is not Phase.PLAYING or times is None or times.up:
        return False
    ends = deadline(times, now)
    return ends is not None and ends <= now.at


def flag(match: Match, course: Course, now: Now) -> tuple[Flagged | TimeIsUp, Course]:
    """Let the flag fall: the seat on turn loses, or, on a soft clock, everybody is told that its time is up."""
    times = match.times
    assert times is not None, "timed"  # noqa: S101 - only such a match has the timer
    if match.clock and match.clock.soft:
        return TimeIsUp(replace(match, times=replace(times, up=True)), times.seat), course
    player = player_of(match, times.seat)
    match, course = lost(match, course, times.seat, Closing.TIME, now=now)
    return Flagged(match, times.seat, player), course


def claim(match: Match, course: Course, who: Who, *, now: Now, seen: int | None) -> tuple[Flagged, Course]:
    """Claim that the seat on turn has lost on time; for its opponents, on a soft clock, once the time is up.

    Raises:
        NotAllowed: not seated, out, or of the same side.
        WrongPhase: not begun, over, or nobody's time is up.
        Stale: looking at another revision.
    """
    seat = playing_seat(match, course, who, seen)
    times = match.times
    if times is None or not times.up:
        raise WrongPhase(Refused.NOTHING_TO_CLAIM)
    if seat not in asked(course, times.seat):
        raise NotAllowed(Refused.NOTHING_TO_CLAIM)
    player = player_of(match, times.seat)
    match, course = lost(match, course, times.seat, Closing.TIME, now=now)
    return Flagged(match, times.seat, player, claimed_by=seat), course
