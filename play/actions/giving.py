"""Giving time: a player lets an opponent have more of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from play.errors import BadRequest, NotAllowed, Refused, WrongPhase
from play.facts import TimeGiven
from play.match import Match, is_engine
from play.replay import Course
from play.request import Action, Replayer, Request, check_fresh, playing_seat
from play.time.clock import NO_TIME, deadline, extended, spell
from play.time.week import A_DAY
from rules.core import Seat

SHORTEST: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class GiveTime(Action[TimeGiven]):
    """Give an opponent time: without a bank it is added to the turn, else to the bank, beyond its cap too.

    In one turn all together give at most as much as the clock begins with.

    Attributes:
        length: None: as much as one gives at a tap (`usual_gift`).
        to: None: the player on turn.
        hosted: In a match of an event, whether its host allows it.
    """

    length: timedelta | None = None
    to: Seat | None = None
    hosted: bool = False

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[TimeGiven, Course]:
        """See `Action.decide`. A press counts for the time as it was seen: two taps on one key give once."""
        course = replay(match)
        seat = playing_seat(match, course, request)
        check_fresh(match, request, match.revision)
        clock, times = match.clock, match.times
        if clock is None or times is None:
            raise WrongPhase(Refused.NO_CLOCK)
        if match.event and not self.hosted:
            raise NotAllowed(Refused.NO_GIFT_IN_EVENT)
        to = times.seat if self.to is None else self.to
        if to in course.side_of(seat):
            raise NotAllowed(Refused.NO_GIFT_TO_SELF)
        if is_engine(match.player(to).account):
            raise NotAllowed(Refused.NO_GIFT_TO_ENGINE)
        if to not in course.live or (clock.increment is None and to != times.seat):
            raise WrongPhase(Refused.NO_GIFT_AHEAD, seat=times.seat)
        length, most = self.length or usual_gift(match), most_to_give(match)
        if most < SHORTEST:
            raise WrongPhase(Refused.GIVEN_ALL)
        if not SHORTEST <= length <= most:
            raise BadRequest(Refused.GIFT_BOUNDS, most=most, example=spell(most))
        times = extended(times, to, length, request.now)
        until = deadline(times, request.now) if to == times.seat else None
        return TimeGiven(replace(match, times=times), seat, to, length, until), course


def most_to_give(match: Match) -> timedelta:
    """Return how much time may still be given in the turn under way."""
    return match.clock.initial - match.times.given if match.clock and match.times else NO_TIME


def usual_gift(match: Match) -> timedelta:
    """Return how much time one gives at a tap: what a turn has, or a day if that is less, as far as it is allowed."""
    return min(A_DAY, most_to_give(match))
