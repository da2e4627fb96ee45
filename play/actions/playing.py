"""Playing plies, those that are typed and those that plans answer with, and what of a match passes on with the turn.

Time that was used stays used. A takeback gives no time back: the seat that thought last is charged for it, and the
seat whose turn it is again goes on with what it had left when it had played; a bank is paid once for each turn, however
often it is played. Per move, the turn after that one begins with its full time, because the position is another.

`losing_reply` finds moves that lose at once: the mover's own end, or a turn of the next seat that ends it. It is decided
by the rules alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from play.errors import NotAllowed, Refused
from play.facts import Moved, PlannedAnswer
from play.match import COMMENT, VOTES, Ask, Branch, Match, Offer, Phase, Plan, Ply, Result, is_engine
from play.replay import Course
from play.request import (
    Action,
    Replayer,
    Request,
    check_fresh,
    check_going_on,
    check_in,
    check_playing,
    seat_of,
)
from play.time.clock import Now, begun, completed, stopped, turned
from rules.core import AnyGame, Position, RulesError, Seat

FINISH: Final = "finish"  # in place of a move: the rest of a turn that is decided (see `Game.finish`)


@dataclass(frozen=True, slots=True)
class MakeMove(Action[Moved]):
    """Play what is typed, all or nothing: one ply, or up to the rest of the turn.

    A move that comes before the flag has fallen counts.
    """

    text: str
    stands_in: str | None = None

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Moved, Course]:
        before, now = replay(match), request.now
        check_on_turn(match, before, request)
        seat = before.position.to_move
        rest = before.game.finish(before.position) if self.text == FINISH else ()
        moves = rest or before.game.notation.parse(self.text, before.position)
        match, course = _turn(without_plan(match, seat), before, moves, now)
        plies = _plies(before, course)
        answers = []
        while match.plans and match.live and _begins(course):
            match, planned = _answer(match, course)
            if not planned:
                break
            earlier = course
            match, course = _turn(match, course, planned, now)
            answers.append(PlannedAnswer(earlier.position.to_move, _plies(earlier, course)))
        handed = match.live and (bool(answers) or course.position.to_move != seat)
        fell = tuple(sorted(course.position.out - before.position.out))
        return Moved(match, seat, plies, handed, fell, tuple(answers), self.stands_in), course


def check_on_turn(match: Match, course: Course, request: Request) -> None:
    """Refuse a request for a move by a player who cannot move now."""
    seat = seat_of(match, request.account, course.position.to_move)
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


def _turn(match: Match, course: Course, moves: Iterable[Any], now: Now) -> tuple[Match, Course]:
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
    # Playing on answers a question of another side, takes back the wish for a ply back, and ends a vote. A question also
    # ends when the seat that asked is out, or all seats that had not agreed are.
    if offer is None or offer.ask in (Ask.TAKEBACK, *VOTES) or offer.by not in course.live:
        return None
    own = course.side_of(offer.by)
    return offer if seat in own and set(course.opponents(offer.by)) - set(offer.agreed) else None


def _begins(course: Course) -> bool:
    return course.position.plies_left == course.position.turn_length


def _plies(before: Course, after: Course) -> tuple[Ply, ...]:
    return tuple(entry for entry in after.log[len(before.log) :] if isinstance(entry, Ply))


def over(match: Match, result: Result, now: Now) -> Match:
    """Return the match at its end: nothing is asked, planned or paused any more, and no time runs."""
    return replace(
        match,
        phase=Phase.OVER,
        result=result,
        offer=None,
        asked=(),
        paused=None,
        plans=(),
        touched=None,
        noticed=None,
        silence=None,
        times=stopped(match.times, now) if match.times else None,
    )


def handed_on(match: Match, course: Course, now: Now) -> Match:
    """Return the match, played as far as its course, when a turn has just been completed."""
    if match.clock is None or match.times is None:
        return match
    to = course.position.to_move
    return replace(match, times=completed(match.clock, match.times, to, len(course.log), now))


def passed_on(match: Match, course: Course, now: Now) -> Match:
    """Return the match when a seat was left: if it was its turn, the next one begins."""
    to = course.position.to_move
    if match.clock is None or match.times is None or match.times.seat == to:
        return match
    since = match.times.since and now.at
    return replace(match, times=begun(match.clock, stopped(match.times, now), to, since))


def taken_back(match: Match, course: Course, keep: int, now: Now) -> Match:
    """Return the match when the plies after the first `keep` entries of its log are taken back; the course is what stays."""
    times, to = match.times, course.position.to_move
    if times is not None and times.credited > keep:
        # Exits and returns that stay come before the plies that were paid for, once those are played again.
        later = sum(not isinstance(entry, Ply) for entry in match.log[times.credited :])
        times = replace(times, credited=times.credited + later)
    if times is not None and times.seat != to:
        times = turned(stopped(times, now), to, times.since and now.at)
    plans = tuple(plan for plan in match.plans if plan.base <= keep)
    remarks = tuple(each for each in match.remarks if each[0] != COMMENT or int(each[1]) <= keep)
    return replace(match, log=course.log, offer=None, plans=plans, times=times, remarks=remarks)


def without_plan(match: Match, seat: Seat) -> Match:
    """Return the match when a seat has no plan any more."""
    if not match.plans:
        return match
    return replace(match, plans=tuple(plan for plan in match.plans if plan.seat != seat))


def plan_of(match: Match, seat: Seat) -> Plan | None:
    """Return what a seat has planned; None: nothing."""
    return next((plan for plan in match.plans if plan.seat == seat), None)


def _answer(match: Match, course: Course) -> tuple[Match, tuple[Any, ...]]:
    """Return the match with the rest of the plan of the seat on turn, and the moves planned.

    Where none fit, it has no plan then, except for a prepared move that is not legal.
    """
    seat = course.position.to_move
    found = plan_of(match, seat)
    if found is None:
        return match, ()
    branch = _fitting(found, course)
    moves = moves_of(course.game, course.position, branch.then) if branch else ()
    if branch is not None and not branch.when and not moves:
        return replace(
            match, plans=(*without_plan(match, seat).plans, replace(found, branches=(branch,)))
        ), ()
    match = without_plan(match, seat)
    if branch is None:
        return match, ()
    if moves and branch.after:
        rest = Plan(seat, len(course.log) + len(moves), branch.after)
        match = replace(match, plans=(*match.plans, rest))
    return match, moves


def _fitting(plan: Plan, course: Course) -> Branch | None:
    if plan.base >= len(course.log):
        return None
    base = course.positions[plan.base]
    for branch in plan.branches:
        position = base
        for move in moves_of(course.game, base, branch.when):
            position = position.play(move)
        if position == course.position and position is not base:
            return branch
    return next((branch for branch in plan.branches if not branch.when), None)


def prepared(match: Match, seat: Seat) -> Sequence[str]:
    """Return the move that a seat has prepared for any reply; none where there is none."""
    plan = plan_of(match, seat)
    return next((branch.then for branch in plan.branches if not branch.when), ()) if plan else ()


def moves_of(game: AnyGame, position: Position[Any], texts: Sequence[str]) -> tuple[Any, ...]:
    """Return the moves of canonical texts, one after another; none where the rules do not allow all of them."""
    moves = []
    try:
        for text in texts:
            (move,) = game.notation.parse(text, position)
            position = position.play(move)
            moves.append(move)
    except (RulesError, ValueError):
        return ()
    return tuple(moves)


_TRIED: Final = 5_000
"""Positions looked at, at most: all that follow within a turn on boards of up to 7x7, and some tenths of a second on large ones."""


def losing_reply(course: Course, text: str) -> Sequence[str] | None:
    """Return the plies by which the next seat wins after a move; none where the move itself loses, None where it does not.

    A move that does not complete its turn is not judged.
    """
    start = course.position
    seat, position = start.to_move, start
    own = course.side_of(seat)
    for move in course.game.notation.parse(text, start):
        position = position.play(move)
    if _lost(position, seat, own):
        return ()
    if position.outcome or position.to_move in own:
        return None
    found = _winning(position, seat, own, unordered=course.game.unordered)
    return None if found is None else [course.game.notation.format(move) for move in found]


def _winning(
    start: Position[Any], seat: Seat, own: Sequence[Seat], *, unordered: bool
) -> Sequence[Any] | None:
    """Return a turn of the seat to move after which another seat has lost; of an unordered turn one order is tried."""
    ahead: list[tuple[Position[Any], tuple[Any, ...]]] = [(start, ())]
    tried: set[frozenset[Any]] = set()
    looked = 0
    while ahead:
        before, line = ahead.pop()
        for move in before.legal_moves():
            if unordered:
                moves = frozenset((*line, move))
                if moves in tried:
                    continue
                tried.add(moves)
            looked += 1
            if looked > _TRIED:
                return None
            after = before.play(move)
            if _lost(after, seat, own):
                return (*line, move)
            if not after.outcome and after.to_move == start.to_move and after.plies_left < after.turn_length:
                ahead.append((after, (*line, move)))
    return None


def _lost(position: Position[Any], seat: Seat, own: Sequence[Seat]) -> bool:
    outcome = position.outcome
    return seat in position.out or (
        outcome is not None and bool(outcome.winners) and not set(outcome.winners) & set(own)
    )
