"""Playing plies: typed, picked step by step, or planned before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from play import planning
from play.agreeing import asked
from play.checks import check_fresh, check_in, check_playing, seat_of
from play.clock import Now
from play.errors import NotAllowed, Refused
from play.facts import Answer, Moved
from play.keeping import handed_on, over, without_plan
from play.match import Ask, Match, Offer, Ply
from play.pausing import check_going_on
from play.people import Who
from play.replay import Course
from rules.core import Fork, IllegalMove, Legality, Seat


def typed(
    match: Match,
    course: Course,
    who: Who,
    text: str,
    *,
    now: Now,
    seen: int | None,
) -> tuple[Moved, Course]:
    """Play what somebody typed: all of it, or nothing. A move that comes before the flag has fallen counts.

    Raises:
        NotAllowed: not seated, out, or not on turn.
        WrongPhase: not begun, over, or paused.
        Stale: looking at another revision.
        RulesError: the text is no move here; nothing is played.
    """
    check_on_turn(match, course, who, seen=seen)
    moves = course.game.notation.parse(text, course.position)
    return _play(match, course, moves, now)


def picked(
    match: Match,
    course: Course,
    who: Who,
    path: Sequence[str],
    *,
    now: Now,
    seen: int,
) -> tuple[Moved, Course]:
    """Play the move that a path of tokens through the game's fork leads to.

    Raises:
        NotAllowed, WrongPhase, Stale: as for `typed`.
        IllegalMove: the path leads to no move, or not yet.
    """
    fork = ahead(match, course, who, path, seen=seen)
    if fork.move is None:
        raise IllegalMove(Legality.NO_SUCH_STEP, step=" ".join(path)[:60])
    return _play(match, course, (fork.move,), now)


def ahead(match: Match, course: Course, who: Who, path: Sequence[str], *, seen: int | None) -> Fork[Any]:
    """Where a half-made move can go: what somebody on turn may pick next.

    Raises:
        NotAllowed, WrongPhase, Stale: as for `typed`.
        IllegalMove: the path leads nowhere.
    """
    check_on_turn(match, course, who, seen=seen)
    fork: Fork[Any] = course.game.fork(course.position, tuple(path))
    return fork


def check_on_turn(match: Match, course: Course, who: Who, *, seen: int | None) -> None:
    """Refuse whoever cannot move now.

    Raises:
        NotAllowed, WrongPhase, Stale: as for `typed`.
    """
    seat = seat_of(match, who)
    check_fresh(match, seen)  # first: whoever was overtaken is shown the board as it is now
    check_playing(match)
    check_in(course, seat)
    if seat != course.position.to_move:
        raise NotAllowed(Refused.NOT_YOUR_TURN, seat=course.position.to_move)
    check_going_on(match)


def _play(match: Match, course: Course, moves: Iterable[Any], now: Now) -> tuple[Moved, Course]:
    before, seat = course, course.position.to_move
    match, course = _turn(without_plan(match, seat), course, moves, now)
    plies = _plies(before, course)
    answers = []
    while match.plans and match.live and _begins(course):
        match, planned = planning.answer(match, course)
        if not planned:
            break
        earlier = course
        match, course = _turn(match, course, planned, now)
        answers.append(Answer(earlier.position.to_move, _plies(earlier, course)))
    handed = match.live and (bool(answers) or course.position.to_move != seat)
    fell = tuple(sorted(course.position.out - before.position.out))
    return Moved(match, seat, plies, handed, fell, tuple(answers)), course


def _turn(match: Match, course: Course, moves: Iterable[Any], now: Now) -> tuple[Match, Course]:
    """The match when the seat to move has played some plies of one turn."""
    seat = course.position.to_move
    for move in moves:
        course = course.played(move, now.at)
        if course.result:
            break  # a repetition in the middle of a turn ends it there
    match = replace(match, log=course.log, offer=_unanswered(match.offer, course, seat))
    if result := course.result:
        return over(match, result, now), course
    if course.position.to_move != seat or _begins(course):
        match = handed_on(match, course, now)
    return match, course


def _unanswered(offer: Offer | None, course: Course, seat: Seat) -> Offer | None:
    """The question that stays open when a seat has played: not one to its own side, for playing on is an answer.

    Whoever asks for a ply back and plays on has taken that back. A question goes with whoever asked it, and when those
    who had not agreed to it are out.
    """
    if offer is None or offer.ask is Ask.TAKEBACK or offer.by not in course.live:
        return None
    own = next(side for side in course.sides if offer.by in side)
    return offer if seat in own and set(asked(course, offer.by)) - set(offer.agreed) else None


def _begins(course: Course) -> bool:
    """Whether a turn has just begun."""
    return course.position.plies_left == course.position.turn_length


def _plies(before: Course, after: Course) -> tuple[Ply, ...]:
    return tuple(entry for entry in after.log[len(before.log) :] if isinstance(entry, Ply))
