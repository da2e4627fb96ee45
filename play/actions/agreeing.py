"""Questions to the other sides: a draw, a takeback, a pause. Every live seat of every other side has to agree.

A pause needs consent, its end does not: one seat that plays is enough. Where there is no clock, people can also vote to end
the match, or to remove the player on turn, who does not play: `carried` says when a vote decides it. Engines have no vote.

Plies are undone freely until another seat has acted, by consent after that; anyone may ask to go back to any turn. In a rated
match only a turn under way is undone freely, and a takeback by consent is allowed. Leaving, or taking over a seat, is not acting, and is never
undone: the plies go, exits and returns stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import ClassVar, Final, TypeAlias

from play.actions.leaving import lost
from play.actions.playing import over, taken_back
from play.errors import BadLog, NotAllowed, Refused, WrongPhase
from play.facts import Asked, Closed, Declined, Departed, Drawn, Paused, Resumed, TakenBack, Undone
from play.match import VOTES, Ask, Closing, Match, Offer, Ply, Put, Result
from play.replay import Course, turn_numbered, turns_of
from play.request import (
    Action,
    Replayer,
    Request,
    check_fresh,
    check_going_on,
    check_in,
    check_playing,
    playing_seat,
    seat_of,
)
from play.time.clock import Now, resumed, stopped
from play.time.timers import BY_MOST, BY_ONE, ending, people_in, silent_at, untimed
from play.voting import settled
from rules.core import Seat

Voted: TypeAlias = Asked | Declined | Closed | Departed
Answered: TypeAlias = Voted | TakenBack | Drawn | Paused | Resumed

_OPEN: Final[Mapping[Ask, Refused]] = {
    Ask.DRAW: Refused.ASKED_DRAW,
    Ask.TAKEBACK: Refused.ASKED_TAKEBACK,
    Ask.PAUSE: Refused.ASKED_PAUSE,
    Ask.END: Refused.ASKED_END,
    Ask.REMOVE: Refused.ASKED_REMOVE,
}
"""Which question stands in the way of another one."""


@dataclass(frozen=True, slots=True)
class OfferDraw(Action[Answered]):
    """Offer a draw; where another side has offered one already, accept it."""

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Answered, Course]:
        course = replay(match)
        seat = playing_seat(match, course, request)
        check_fresh(match, request, match.position_since)
        return _asked(match, course, seat, Ask.DRAW, request.now)


@dataclass(frozen=True, slots=True)
class AskPause(Action[Answered]):
    """Ask for a pause of the clock; where another side has asked already, agree to it."""

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Answered, Course]:
        course = replay(match)
        seat = playing_seat(match, course, request)
        if match.clock is None:
            raise WrongPhase(Refused.NO_CLOCK)
        check_going_on(match)
        return _asked(match, course, seat, Ask.PAUSE, request.now)


@dataclass(frozen=True, slots=True)
class Propose(Action[Voted]):
    """Propose to end a match without a clock, or to remove the player on turn; else vote for what was proposed."""

    ask: Ask

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Voted, Course]:
        course = replay(match)
        seat = playing_seat(match, course, request)
        check_fresh(match, request, match.position_since)
        if not untimed(match):
            raise WrongPhase(Refused.HAS_CLOCK)
        offer, now = match.offer, request.now
        if self.ask is Ask.REMOVE:
            _check_removable(match, course, seat, now)
        if offer and offer.ask is not self.ask:
            raise WrongPhase(_OPEN[offer.ask])
        if offer is None:
            earlier = [put for put in match.asked if put.ask is self.ask and put.by == seat]
            early = silent_at(match, BY_MOST, now) > now.at
            if early and not all(course.turn_completed((seat,), put.entries) for put in earlier):
                raise WrongPhase(Refused.NOT_YET_ENDED, ending=ending(match, course, now, seat))
            others = tuple(put for put in match.asked if put not in earlier)
            match = replace(match, asked=(*others, Put(self.ask, seat, len(match.log))))
            return _voted(match, course, Offer(self.ask, seat, (), len(match.log)), seat, now)
        if seat != offer.by and seat not in offer.agreed:
            return _voted(match, course, _with_vote(offer, seat, yes=True), seat, now)
        fact, course = _voted(match, course, offer, seat, now)
        if isinstance(fact, Asked):
            raise WrongPhase(Refused.NOT_YET_ENDED, ending=ending(match, course, now, seat))
        return fact, course


@dataclass(frozen=True, slots=True)
class Resume(Action[Resumed]):
    """Go on after a pause."""

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Resumed, Course]:
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
    """

    ask: Ask
    yes: bool

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Answered, Course]:
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
        if seat not in asked_seats(match, course, offer) and (self.yes or seat != offer.by):
            own = offer.ask not in VOTES or seat == offer.by
            raise NotAllowed(Refused.OWN_OFFER if own else Refused.NO_VOTE)
        if offer.ask in VOTES and seat != offer.by:
            return _voted(match, course, _with_vote(offer, seat, yes=self.yes), seat, request.now)
        if not self.yes:
            return Declined(replace(match, offer=None), self.ask, seat, offer.keep), course
        return _agreed(match, course, offer, seat, request.now)


def _asked(match: Match, course: Course, seat: Seat, ask: Ask, now: Now) -> tuple[Answered, Course]:
    """Put a question to the other sides; where one of them has put it already, agree. Who plays all sides has agreed."""
    offer = match.offer
    if match.for_one:
        return _carried_out(match, course, Offer(ask, seat, (), len(match.log)), now)
    if offer and offer.ask is ask and seat in course.opponents(offer.by):
        return _agreed(match, course, offer, seat, now)
    return _opened(match, course, seat, ask, len(match.log)), course


def _opened(match: Match, course: Course, seat: Seat, ask: Ask, keep: int) -> Asked:
    """Put a question. What the others did not agree to may be asked again once one's own side has played."""
    if match.offer:
        raise WrongPhase(_OPEN[match.offer.ask])
    own = course.side_of(seat)
    earlier = [put for put in match.asked if put.ask is ask and put.by in own]
    if not all(course.turn_completed(own, put.entries) for put in earlier):
        raise WrongPhase(Refused.ASKED_ALREADY)
    asked = (*(put for put in match.asked if put not in earlier), Put(ask, seat, len(match.log)))
    return Asked(replace(match, offer=Offer(ask, seat, (), keep), asked=asked), ask, seat)


def asked_seats(match: Match, course: Course, offer: Offer) -> tuple[Seat, ...]:
    """Return the seats that a question is put to: the other sides, of a vote all people who have one."""
    if offer.ask not in VOTES:
        return tuple(course.opponents(offer.by))
    mover = course.position.to_move if offer.ask is Ask.REMOVE else None
    return tuple(seat for seat in people_in(match, course) if seat not in (offer.by, mover))


def carried(
    ask: Ask, yes: Set[Seat], others: Set[Seat], everyone: Set[Seat], silent: tuple[bool, bool]
) -> bool:
    """Return whether votes decide a question: those of all; of most of the others; of one of them, to end the match.

    The others are the people who are in, without the player on turn; who is `silent` has done nothing for `BY_MOST`, and
    for `BY_ONE`.
    """
    most = silent[0] and settled((len(others - yes), len(yes & others)), 0) == 1
    if ask is Ask.REMOVE:
        return most
    return most or yes >= everyone or (silent[1] and not yes.isdisjoint(others))


def _with_vote(offer: Offer, seat: Seat, *, yes: bool) -> Offer:
    if seat in (offer.agreed if yes else offer.against):
        raise WrongPhase(Refused.NOTHING_ASKED)
    agreed, against = ({*seats} - {seat} for seats in (offer.agreed, offer.against))
    (agreed if yes else against).add(seat)
    return replace(offer, agreed=tuple(sorted(agreed)), against=tuple(sorted(against)))


def _voted(match: Match, course: Course, offer: Offer, seat: Seat, now: Now) -> tuple[Voted, Course]:
    mover, people = course.position.to_move, frozenset(people_in(match, course))
    gone = mover in people and seat != mover
    by_most, by_one = (gone and silent_at(match, length, now) <= now.at for length in (BY_MOST, BY_ONE))
    others = people - {mover}
    if carried(offer.ask, {offer.by, *offer.agreed}, others, people, (by_most, by_one)):
        if offer.ask is Ask.END:
            return Closed(over(match, Result((), Closing.AGREED.value), now)), course
        player = match.player(mover)
        match, course = lost(replace(match, asked=()), course, mover, Closing.SILENCE, now)
        return Departed(match, mover, player), course
    if not carried(offer.ask, people - {*offer.against}, others, people, (by_most, by_one)):
        return Declined(replace(match, offer=None), offer.ask, seat), course
    match = replace(match, offer=offer)
    if seat in offer.against:
        return Declined(match, offer.ask, seat), course
    return Asked(match, offer.ask, offer.by, seat if seat in offer.agreed else None), course


def removable(match: Match, course: Course) -> bool:
    """Whether the others could play on without the player on turn: at least three are left, and the rest are two sides."""
    mover = course.position.to_move
    if len(course.live) < 3 or mover not in people_in(match, course):
        return False
    return course.left(mover, Closing.SILENCE, match.opened).result is None


def _check_removable(match: Match, course: Course, seat: Seat, now: Now) -> None:
    if not removable(match, course):
        raise WrongPhase(Refused.NOT_REMOVABLE)
    if seat == course.position.to_move:
        raise NotAllowed(Refused.NO_VOTE)
    if (most := silent_at(match, BY_MOST, now)) > now.at:
        raise WrongPhase(Refused.NOT_YET_REMOVED, most=most)


def _agreed(match: Match, course: Course, offer: Offer, seat: Seat, now: Now) -> tuple[Answered, Course]:
    if seat in offer.agreed:
        raise WrongPhase(Refused.NOTHING_ASKED)
    agreed = tuple(sorted((*offer.agreed, seat)))
    if not set(course.opponents(offer.by)) <= set(agreed):
        return Asked(replace(match, offer=replace(offer, agreed=agreed)), offer.ask, offer.by, seat), course
    return _carried_out(match, course, offer, now)


def _carried_out(match: Match, course: Course, offer: Offer, now: Now) -> tuple[Answered, Course]:
    if offer.ask is Ask.DRAW:
        return Drawn(over(match, Result((), Closing.DRAW_AGREED.value), now)), course
    if offer.ask is Ask.PAUSE:
        times = replace(stopped(match.times, now), up=False) if match.times else None
        return Paused(replace(match, offer=None, asked=(), paused=now.at, times=times), offer.by), course
    plies = tuple(entry for entry in match.log[offer.keep :] if isinstance(entry, Ply))
    course = course.without_plies(offer.keep)
    match = replace(taken_back(match, course, offer.keep, now), asked=())
    return TakenBack(match, offer.by, plies), course


@dataclass(frozen=True, slots=True)
class Undo(Action[Undone]):
    """Take back one's own last ply, as long as no other seat has acted since.

    A seat that went out by its own ply may still undo it.
    """

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Undone, Course]:
        course = replay(match)
        seat = _asker(match, course, request)
        last = _last_ply_of(match, seat)
        if not _free(match, seat, last):
            raise WrongPhase(Refused.OTHERS_ACTED)
        if match.rated and not _under_way(match, course, seat, last):
            raise WrongPhase(Refused.RATED_TURN)
        return _undone(match, course, seat, last, request.now)


@dataclass(frozen=True, slots=True)
class AskTakeback(Action[Asked | Undone]):
    """Ask to go back to before a turn, by its number (None: one's own last one); where undoing is still free, go back at once."""

    turn: int | None = None

    meets: ClassVar[bool] = True

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Asked | Undone, Course]:
        course = replay(match)
        seat = _asker(match, course, request)
        first = (
            course.turn_start(_last_ply_of(match, seat)) if self.turn is None else _begun(course, self.turn)
        )
        if _free(match, seat, first) and (_under_way(match, course, seat, first) or not match.rated):
            return _undone(match, course, seat, first, request.now)
        _rewound(course, first)
        return _opened(match, course, seat, Ask.TAKEBACK, first), course


def _asker(match: Match, course: Course, request: Request) -> Seat:
    last = next((entry for entry in reversed(match.log) if isinstance(entry, Ply)), None)
    seat = seat_of(match, request.account, last.seat if last else None)
    check_playing(match)
    if last is None or last.seat != seat or seat in course.departed:
        check_in(course, seat)
    check_going_on(match)
    check_fresh(match, request, match.position_since)
    return seat


def _last_ply_of(match: Match, seat: Seat) -> int:
    """Return where in the log the last ply of a seat is; one of who sat there before is not its own."""
    own = [(index, entry) for index, entry in enumerate(match.log) if entry.seat == seat]
    if not own or not isinstance(own[-1][1], Ply):
        raise WrongPhase(Refused.NOTHING_TO_UNDO)
    return own[-1][0]


def _begun(course: Course, number: int) -> int:
    """Return where in the log a turn begins."""
    turns = turns_of(course)
    if not turns or number == len(turns) + 1:
        raise WrongPhase(Refused.TURN_NOW, number=len(turns) + 1)
    return turn_numbered(turns, number).first


def _free(match: Match, seat: Seat, first: int) -> bool:
    """Whether only a seat has played since, and the same player in it; or in several, where one plays them all."""
    own = tuple(match.seats_of(match.player(seat).account))
    return all(isinstance(entry, Ply) == (entry.seat in own) for entry in match.log[first:])


def _under_way(match: Match, course: Course, seat: Seat, first: int) -> bool:
    position = course.position
    begun = position.to_move == seat and position.plies_left < position.turn_length
    return begun and first >= course.turn_start(_last_ply_of(match, seat))


def _rewound(course: Course, keep: int) -> Course:
    """Return the course from before a ply; whose turn it was then is on turn again, or has left since."""
    seat = course.log[keep].seat
    try:
        course = course.without_plies(keep)
    except BadLog as broken:
        raise WrongPhase(Refused.LEFT_SINCE) from broken
    if course.result or (course.position.to_move != seat and seat not in course.departed):
        raise WrongPhase(Refused.LEFT_SINCE)
    return course


def _undone(match: Match, course: Course, seat: Seat, keep: int, now: Now) -> tuple[Undone, Course]:
    plies = tuple(entry for entry in match.log[keep:] if isinstance(entry, Ply))
    course = _rewound(course, keep)
    return Undone(taken_back(match, course, keep, now), seat, plies), course
