"""Leaving a match: giving a chair back, resigning, losing on time, and being ended by who runs the place.

Of two sides, the other one wins; of more, the others play on.

Taking over a seat that was left, or lost on time, while the others play on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from play.actions.playing import over, passed_on, without_plan
from play.actions.seating import called_off
from play.errors import BadRequest, NotAllowed, Refused, WrongPhase
from play.facts import CalledOff, Closed, Departed, Flagged, LeftLobby, Replaced, TimeIsUp
from play.match import Cancel, Chair, Closing, Match, Phase, Result, is_engine, only_engines
from play.people import entering
from play.replay import Course
from play.request import (
    Action,
    Replayer,
    Request,
    check_fresh,
    check_live,
    check_open,
    check_playing,
    playing_seat,
    seat_of,
)
from play.time.clock import Now, renewed
from play.time.timers import ending
from rules.core import Seat


@dataclass(frozen=True, slots=True)
class Resign(Action[Departed]):
    """Give a match up."""

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Departed, Course]:
        course = replay(match)
        seat = playing_seat(match, course, request)
        player = match.player(seat)
        match, course = lost(match, course, seat, Closing.RESIGNED, request.now)
        return Departed(match, seat, player), course


@dataclass(frozen=True, slots=True)
class Leave(Action[LeftLobby | CalledOff]):
    """Give a chair back before the start.

    A host's place passes to the player in the next chair; the last one who leaves calls the invitation off.
    """

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[LeftLobby | CalledOff, None]:
        seat = seat_of(match, request.account)
        if match.phase is Phase.PLAYING:
            raise WrongPhase(Refused.STARTED_RESIGN)
        check_open(match)
        player = match.player(seat)
        chairs = list(match.chairs)
        # In a match from a file the log belongs to its people: no other player may go on with it.
        chairs[seat] = Chair(reserved=player) if match.log else Chair()
        match = replace(match, chairs=tuple(chairs))
        if match.host.account != player.account:
            return LeftLobby(match, player, None), None
        seated = [chair.player for chair in (*chairs[seat:], *chairs[:seat]) if chair.player]
        seated = [player for player in seated if not is_engine(player.account)]
        if not seated:
            return called_off(match, Cancel.EMPTY, player), None
        return LeftLobby(replace(match, host=seated[0]), player, seated[0]), None


@dataclass(frozen=True, slots=True)
class Claim(Action[Flagged]):
    """Claim that the seat on turn has lost on time; for its opponents, on a soft clock, once the time is up."""

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Flagged, Course]:
        course = replay(match)
        seat = playing_seat(match, course, request)
        check_fresh(match, request, match.position_since)
        times = match.times
        if times is None:
            raise WrongPhase(Refused.UNTIMED, ending=ending(match, course, request.now, seat))
        if not times.up:
            raise WrongPhase(Refused.NOTHING_TO_CLAIM)
        if seat not in course.opponents(times.seat):
            raise NotAllowed(Refused.NOTHING_TO_CLAIM)
        player = match.player(times.seat)
        match, course = lost(match, course, times.seat, Closing.TIME, request.now)
        return Flagged(match, times.seat, player, claimed_by=seat), course


@dataclass(frozen=True, slots=True)
class Flag(Action[Flagged | TimeIsUp]):
    """Let the flag fall: the seat on turn loses, or, on a soft clock, is announced to have no time left."""

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Flagged | TimeIsUp, Course]:
        check_fresh(match, request, match.revision)
        times, course = match.times, replay(match)
        assert times is not None, "timed"  # noqa: S101 - only such a match has the timer
        if match.clock and match.clock.soft:
            return TimeIsUp(replace(match, times=replace(times, up=True)), times.seat), course
        player = match.player(times.seat)
        match, course = lost(match, course, times.seat, Closing.TIME, request.now)
        return Flagged(match, times.seat, player), course


@dataclass(frozen=True, slots=True)
class End(Action[Closed | CalledOff]):
    """End a match without a winner, or call an invitation off, by the word of a person who runs its place.

    Whether they may do that depends on the place, and is checked there.
    """

    by_player: ClassVar[bool] = False

    def decide(self, match: Match, _replay: Replayer, request: Request) -> tuple[Closed | CalledOff, None]:
        check_live(match)
        if match.phase is Phase.OPEN:
            return called_off(match, Cancel.WITHDRAWN, entering(request.who)), None
        return Closed(over(match, Result((), Closing.ENDED.value), request.now)), None


def lost(match: Match, course: Course, seat: Seat, why: Closing, now: Now) -> tuple[Match, Course]:
    """Return the match when a live seat is out of it, though not by the rules; over where only engines would go on."""
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


@dataclass(frozen=True, slots=True)
class Substitute(Action[Replaced]):
    """Sit down in a vacant seat (None: the first one) and play on for it, with the time that a seat begins with."""

    seat: Seat | None = None

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Replaced, Course]:
        course = replay(match)
        check_playing(match)
        if match.rated:
            raise NotAllowed(Refused.RATED_SEAT)
        own = match.seat_of(request.account)
        if own is not None:
            raise NotAllowed(Refused.SEAT_YOURS if own in course.live else Refused.SEAT_OWN)
        seat = _chosen(course, self.seat)
        before = match.player(seat)
        course = course.returned(seat, request.at)
        who = entering(request.who)
        chairs = (*match.chairs[:seat], Chair(player=who), *match.chairs[seat + 1 :])
        times = renewed(match.clock, match.times, seat) if match.clock and match.times else match.times
        match = replace(match, chairs=chairs, log=course.log, offer=None, times=times)
        if result := course.result:
            match = over(match, result, request.now)
        return Replaced(match, seat, who, before), course


def _chosen(course: Course, seat: Seat | None) -> Seat:
    if seat is None:
        if not course.vacant:
            raise WrongPhase(Refused.NO_SEAT_LEFT)
        return course.vacant[0]
    seats = course.game.seats(course.options)
    if seat >= seats:
        raise BadRequest(Refused.NO_SUCH_SEAT, number=seat.number, seats=seats)
    if seat in course.live:
        raise WrongPhase(Refused.SEAT_TAKEN, seat=seat)
    if seat not in course.vacant:
        raise WrongPhase(Refused.SEAT_BLOCKED, seat=seat)
    return seat
