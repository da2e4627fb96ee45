"""Questions to the other sides: a draw, a takeback, a pause. Every live seat of every other side has to agree.

A pause needs consent, its end does not: one seat that plays is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, TypeAlias

from play.actions.action import Action, Replayer
from play.actions.turn_transitions import over, taken_back
from play.checks import check_fresh, check_going_on, playing_seat
from play.errors import NotAllowed, Refused, WrongPhase
from play.facts import Asked, Declined, Drawn, Paused, Resumed, TakenBack
from play.match import Ask, Closing, Match, Offer, Ply, Put, Result
from play.replay import Course
from play.request import Request
from play.time.clock import Now, resumed, stopped
from rules.core import Seat

Answered: TypeAlias = Asked | TakenBack | Drawn | Declined | Paused | Resumed

_OPEN: Final[Mapping[Ask, Refused]] = {
    Ask.DRAW: Refused.ASKED_DRAW,
    Ask.TAKEBACK: Refused.ASKED_TAKEBACK,
    Ask.PAUSE: Refused.ASKED_PAUSE,
}
"""Which question stands in the way of another one."""


@dataclass(frozen=True, slots=True)
class OfferDraw(Action[Asked | Drawn]):
    """Offer a draw; where another side has offered one already, accept it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, or one's own side has asked already, or another question is open.
        Stale: the position is not as it was seen.
    """

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Asked | Drawn, Course]:
        """See `Action.decide`."""
        course = replay(match)
        seat = playing_seat(match, course, request)
        check_fresh(match, request, match.position_since)
        offer = match.offer
        if offer and offer.ask is Ask.DRAW and seat in course.opponents(offer.by):
            return _still_open(match, course, offer, seat) or _drawn(match, request.now), course
        return open_question(match, course, seat, Ask.DRAW, len(match.log)), course


@dataclass(frozen=True, slots=True)
class AskPause(Action[Asked | Paused]):
    """Ask for a pause of the clock; where another side has asked already, agree to it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, without a clock, paused, or one's own side has asked already, or another question
            is open.
    """

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Asked | Paused, Course]:
        """See `Action.decide`."""
        course = replay(match)
        seat = playing_seat(match, course, request)
        if match.clock is None:
            raise WrongPhase(Refused.NO_CLOCK)
        check_going_on(match)
        offer = match.offer
        if offer and offer.ask is Ask.PAUSE and seat in course.opponents(offer.by):
            waiting = _still_open(match, course, offer, seat)
            return waiting or _paused(match, offer.by, request.now), course
        return open_question(match, course, seat, Ask.PAUSE, len(match.log)), course


@dataclass(frozen=True, slots=True)
class Resume(Action[Resumed]):
    """Go on after a pause.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, or not paused.
        Stale: the question, or the pause, is another.
    """

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Resumed, Course]:
        """See `Action.decide`."""
        course = replay(match)
        seat = playing_seat(match, course, request)
        check_fresh(match, request, match.question_since)
        if not match.paused:
            raise WrongPhase(Refused.NOT_PAUSED)
        times = resumed(match.times, request.at) if match.times else None
        return Resumed(replace(match, paused=None, times=times), seat), course


@dataclass(frozen=True, slots=True)
class Answer(Action[Answered]):
    """Say yes or no to an open question; the seat that asked may say no to take it back.

    Going on is not a question: yes ends a pause at once, no leaves it as it is, and says so.

    Raises:
        NotAllowed: not seated, out, or the question is one's own side's.
        WrongPhase: not begun, over, no such question is open, or it is answered already.
        Stale: the question, or the pause, is another.
    """

    ask: Ask
    yes: bool

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Answered, Course]:
        """See `Action.decide`."""
        if self.ask is Ask.RESUME and self.yes:
            return Resume().decide(match, replay, request)
        course = replay(match)
        seat = playing_seat(match, course, request)
        check_fresh(match, request, match.question_since)
        offer = match.offer
        if offer is None and self.ask is Ask.RESUME:
            raise WrongPhase(Refused.PAUSED if match.paused else Refused.NOT_PAUSED)
        if offer is None or offer.ask is not self.ask:
            raise WrongPhase(Refused.NOTHING_ASKED)
        if seat not in course.opponents(offer.by) and (self.yes or seat != offer.by):
            raise NotAllowed(Refused.OWN_OFFER)
        if not self.yes:
            return Declined(replace(match, offer=None), self.ask, seat), course
        if waiting := _still_open(match, course, offer, seat):
            return waiting, course
        return _agreed(match, course, offer, request.now)


def open_question(match: Match, course: Course, seat: Seat, ask: Ask, keep: int) -> Asked:
    """Put a question to the other sides. What they did not agree to may be asked again once one's own side has played.

    Raises:
        WrongPhase: one is open already, or one's own side has asked this since its last turn.
    """
    if match.offer:
        raise WrongPhase(_OPEN.get(match.offer.ask, Refused.PAUSED))
    own = course.side_of(seat)
    earlier = [put for put in match.asked if put.ask is ask and put.by in own]
    if not all(course.turn_completed(own, put.entries) for put in earlier):
        raise WrongPhase(Refused.ASKED_ALREADY)
    asked = (*(put for put in match.asked if put not in earlier), Put(ask, seat, len(match.log)))
    return Asked(replace(match, offer=Offer(ask, seat, (), keep), asked=asked), ask, seat)


def _still_open(match: Match, course: Course, offer: Offer, seat: Seat) -> Asked | None:
    """Return the question after one more yes, or None when that was the last one needed."""
    if seat in offer.agreed:
        raise WrongPhase(Refused.NOTHING_ASKED)
    agreed = tuple(sorted((*offer.agreed, seat)))
    if set(course.opponents(offer.by)) <= set(agreed):
        return None
    return Asked(replace(match, offer=replace(offer, agreed=agreed)), offer.ask, offer.by, seat)


def _agreed(match: Match, course: Course, offer: Offer, now: Now) -> tuple[Answered, Course]:
    """Return what a question leads to once all have agreed."""
    if offer.ask is Ask.DRAW:
        return _drawn(match, now), course
    if offer.ask is Ask.PAUSE:
        return _paused(match, offer.by, now), course
    plies = tuple(entry for entry in match.log[offer.keep :] if isinstance(entry, Ply))
    course = course.without_plies(offer.keep)
    match = replace(taken_back(match, course, offer.keep, now), asked=())
    return TakenBack(match, offer.by, plies), course


def _drawn(match: Match, now: Now) -> Drawn:
    return Drawn(over(match, Result((), Closing.DRAW_AGREED.value), now))


def _paused(match: Match, by: Seat, now: Now) -> Paused:
    times = replace(stopped(match.times, now), up=False) if match.times else None
    return Paused(replace(match, offer=None, asked=(), paused=now.at, times=times), by)
