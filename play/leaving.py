"""Leaving a match under way. Of two, the other wins; of more, the others play on."""

from __future__ import annotations

from dataclasses import replace

from play.checks import playing_seat
from play.clock import Now
from play.facts import Departed
from play.keeping import over, passed_on, without_plan
from play.machines import only_engines
from play.match import Closing, Match, Result
from play.people import Player, Who
from play.replay import Course
from rules.core import Seat


def resign(match: Match, course: Course, who: Who, *, now: Now, seen: int | None) -> tuple[Departed, Course]:
    """Give a match up.

    Raises:
        NotAllowed: not seated, or out already.
        WrongPhase: not begun, or over.
        Stale: looking at another revision.
    """
    seat = playing_seat(match, course, who, seen)
    player = player_of(match, seat)
    match, course = lost(match, course, seat, Closing.RESIGNED, now=now)
    return Departed(match, seat, player), course


def lost(match: Match, course: Course, seat: Seat, why: Closing, *, now: Now) -> tuple[Match, Course]:
    """The match when a live seat is out of it, though not by the rules. It ends where only engines would go on."""
    if len(match.chairs) == 2:
        winners = tuple(other for side in course.sides if seat not in side for other in side)
        return over(match, Result(winners, why.value), now), course
    course = course.left(seat, why, now.at)
    match = replace(without_plan(match, seat), log=course.log, offer=None)
    if result := course.result:
        return over(match, result, now), course
    if only_engines(match, course.live):
        return over(match, Result((), Closing.DESERTED.value), now), course
    return passed_on(match, course, now), course


def player_of(match: Match, seat: Seat) -> Player:
    """Who sits in a chair that is taken."""
    player = match.chairs[seat].player
    assert player is not None, "taken"  # noqa: S101 - once a match has begun, every chair is
    return player
