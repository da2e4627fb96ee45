"""Playing plies: those of a move as it is typed, and those that plans answer with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from play.actions import planning
from play.actions.planning import handed_on, over, without_plan
from play.checks import check_fresh, check_going_on, check_in, check_playing, seat_of
from play.errors import NotAllowed, Refused
from play.facts import Moved, PlannedAnswer
from play.match import VOTES, Ask, Match, Offer, Ply, is_engine
from play.replay import Course
from play.request import Action, Replayer, Request
from play.time.clock import Now
from rules.core import Seat

FINISH: Final = "finish"
"""In place of a move: the rest of a turn that is decided (see `Game.finish`)."""


@dataclass(frozen=True, slots=True)
class MakeMove(Action[Moved]):
    """Play what is typed, all or nothing: one ply, or up to the rest of the turn.

    A move that comes before the flag has fallen counts.

    Attributes:
        text: The move, or `FINISH`.
        stands_in: See `Moved`.

    Raises:
        NotAllowed: not seated, out, or not on turn.
        WrongPhase: not begun, over, or paused.
        Stale: the match is not as it was seen.
        RulesError: the text is no move here; nothing is played.
    """

    text: str
    stands_in: str | None = None

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Moved, Course]:
        """See `Action.decide`."""
        course = replay(match)
        check_on_turn(match, course, request)
        rest = course.game.finish(course.position) if self.text == FINISH else ()
        moves = rest or course.game.notation.parse(self.text, course.position)
        moved, course = _play(match, course, moves, request.now)
        return replace(moved, stands_in=self.stands_in), course


def check_on_turn(match: Match, course: Course, request: Request) -> None:
    """Refuse a request for a move by a player who cannot move now.

    Raises:
        NotAllowed, WrongPhase, Stale: as for `MakeMove`.
    """
    seat = seat_of(match, request.account)
    # First, so that who was overtaken is shown the board as it is now. By playing on, an engine would turn a question down.
    engine = is_engine(request.account)
    check_fresh(
        match, request, max(match.position_since, match.question_since) if engine else match.position_since
    )
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
        answers.append(PlannedAnswer(earlier.position.to_move, _plies(earlier, course)))
    handed = match.live and (bool(answers) or course.position.to_move != seat)
    fell = tuple(sorted(course.position.out - before.position.out))
    return Moved(match, seat, plies, handed, fell, tuple(answers)), course


def _turn(match: Match, course: Course, moves: Iterable[Any], now: Now) -> tuple[Match, Course]:
    """Return the match when the seat to move has played some plies of one turn."""
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
    """Return the question that stays open when a seat has played.

    Playing on answers a question of another side, takes back the wish for a ply back, and ends a vote. A question also ends when the
    seat that asked is out, or all seats that had not agreed are.
    """
    if offer is None or offer.ask in (Ask.TAKEBACK, *VOTES) or offer.by not in course.live:
        return None
    own = course.side_of(offer.by)
    return offer if seat in own and set(course.opponents(offer.by)) - set(offer.agreed) else None


def _begins(course: Course) -> bool:
    """Whether a turn has just begun."""
    return course.position.plies_left == course.position.turn_length


def _plies(before: Course, after: Course) -> tuple[Ply, ...]:
    return tuple(entry for entry in after.log[len(before.log) :] if isinstance(entry, Ply))
