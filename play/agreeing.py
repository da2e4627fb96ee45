"""Questions to the other sides: a draw, a takeback, a pause. Every live seat of every other side has to agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from play import pausing
from play.checks import playing_seat
from play.clock import Now
from play.errors import NotAllowed, Refused, WrongPhase
from play.facts import Asked, Declined, Drawn, Paused, Resumed, TakenBack
from play.keeping import over, taken_back
from play.match import Ask, Closing, Match, Offer, Ply, Result
from play.people import Who
from play.replay import Course
from rules.core import Seat

_OPEN: Final[Mapping[Ask, Refused]] = {
    Ask.DRAW: Refused.ASKED_DRAW,
    Ask.TAKEBACK: Refused.ASKED_TAKEBACK,
    Ask.PAUSE: Refused.ASKED_PAUSE,
}
"""Which question stands in the way of another one."""


def offer_draw(
    match: Match, course: Course, who: Who, *, now: Now, seen: int | None
) -> tuple[Asked | Drawn, Course]:
    """Offer a draw; where another side has offered one already, accept it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, or one's own side has asked already, or another question is open.
        Stale: looking at another revision.
    """
    seat = playing_seat(match, course, who, seen)
    offer = match.offer
    if offer and offer.ask is Ask.DRAW and seat in asked(course, offer.by):
        return _still_open(match, course, offer, seat) or _drawn(match, now), course
    return open_question(match, course, seat, Ask.DRAW, 0)


def ask_pause(
    match: Match, course: Course, who: Who, *, now: Now, seen: int | None
) -> tuple[Asked | Paused, Course]:
    """Ask for a pause of the clock; where another side has asked already, agree to it.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, without a clock, paused, or one's own side has asked already, or another question
            is open.
        Stale: looking at another revision.
    """
    seat = playing_seat(match, course, who, seen)
    pausing.check_can_pause(match)
    offer = match.offer
    if offer and offer.ask is Ask.PAUSE and seat in asked(course, offer.by):
        waiting = _still_open(match, course, offer, seat)
        return waiting or pausing.paused(match, offer.by, now), course
    return open_question(match, course, seat, Ask.PAUSE, 0)


def answer(
    match: Match,
    course: Course,
    who: Who,
    ask: Ask,
    yes: bool,
    *,
    now: Now,
    seen: int | None,
) -> tuple[Asked | TakenBack | Drawn | Declined | Paused | Resumed, Course]:
    """Say yes or no to an open question; the seat that asked may say no to take it back.

    Going on is not a question: yes ends a pause at once, no leaves it as it is, and says so.

    Raises:
        NotAllowed: not seated, out, or the question is one's own side's.
        WrongPhase: not begun, over, no such question is open, or it is answered already.
        Stale: looking at another revision.
    """
    if ask is Ask.RESUME and yes:
        return pausing.resume(match, course, who, at=now.at, seen=seen), course
    seat = playing_seat(match, course, who, seen)
    offer = match.offer
    if offer is None and ask is Ask.RESUME:
        raise WrongPhase(Refused.PAUSED if match.paused else Refused.NOT_PAUSED)
    if offer is None or offer.ask is not ask:
        raise WrongPhase(Refused.NOTHING_ASKED)
    if seat not in asked(course, offer.by) and (yes or seat != offer.by):
        raise NotAllowed(Refused.OWN_OFFER)
    if not yes:
        return Declined(replace(match, offer=None), ask, seat), course
    if waiting := _still_open(match, course, offer, seat):
        return waiting, course
    if ask is Ask.DRAW:
        return _drawn(match, now), course
    if ask is Ask.PAUSE:
        return pausing.paused(match, offer.by, now), course
    return _taken_back(match, course, offer, now)


def asked(course: Course, by: Seat) -> tuple[Seat, ...]:
    """The seats that have to agree to a question: those still in, of all sides but the asker's."""
    own = next(side for side in course.sides if by in side)
    return tuple(seat for seat in course.live if seat not in own)


def open_question(match: Match, course: Course, seat: Seat, ask: Ask, keep: int) -> tuple[Asked, Course]:
    """Put a question to the other sides.

    Raises:
        WrongPhase: one is open already.
    """
    if match.offer:
        raise WrongPhase(_OPEN.get(match.offer.ask, Refused.PAUSED))
    offer = Offer(ask, seat, (), keep)
    return Asked(replace(match, offer=offer), ask, seat), course


def _still_open(match: Match, course: Course, offer: Offer, seat: Seat) -> Asked | None:
    """The question after one more yes, or None when that was the last one needed."""
    if seat in offer.agreed:
        raise WrongPhase(Refused.NOTHING_ASKED)
    agreed = tuple(sorted((*offer.agreed, seat)))
    if set(asked(course, offer.by)) <= set(agreed):
        return None
    return Asked(replace(match, offer=replace(offer, agreed=agreed)), offer.ask, offer.by, seat)


def _drawn(match: Match, now: Now) -> Drawn:
    return Drawn(over(match, Result((), Closing.DRAW_AGREED.value), now))


def _taken_back(match: Match, course: Course, offer: Offer, now: Now) -> tuple[TakenBack, Course]:
    plies = tuple(entry for entry in match.log[offer.keep :] if isinstance(entry, Ply))
    course = course.without_plies(offer.keep)
    return TakenBack(taken_back(match, course, offer.keep, now), offer.by, plies), course
