"""Conditional moves: "if a7-a6 then b2-b3; if h7-h6 then c2-c3 if a7-a6 then b2-b3", private to the seat that plans.

A case is what the others play until the turn comes back: one turn, or with more seats several, with a / between them.
It fits when the position is the one that was foreseen, in whatever order a turn's plies were played. What was planned
after it stays; a turn that fits no case, an own move by hand, or a takeback past its root clears the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from play.checks import check_fresh, check_in, check_playing, seat_of
from play.errors import BadRequest, Refused, WrongPhase
from play.facts import Planned
from play.keeping import without_plan
from play.leaving import player_of
from play.match import Branch, Match, Plan
from play.people import Who, clean
from play.replay import Course
from rules.core import AnyGame, Position, RulesError, Seat

MAX_PLAN: Final = 1500
"""Characters of a plan that is read: some sixty cases."""

_LINE: Final = re.compile(r"[;\n]")
_IF: Final = re.compile(r"(?:^|\s)(?:if|якщо|если)\s+", re.IGNORECASE)
_THEN: Final = re.compile(r"\s+(?:then|то|тоді|тогда)\s+", re.IGNORECASE)


@dataclass(slots=True)
class _Case:
    """A case while the text is read: known by the position that it foresees."""

    when: tuple[str, ...]
    then: tuple[str, ...]
    answered: Position[Any]
    after: dict[Position[Any], _Case] = field(default_factory=dict)


def plan(match: Match, course: Course, who: Who, text: str, seen: int | None) -> Planned:
    """Plan one's answers while another seat is on turn, instead of whatever was planned before; no text: no plan.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, one is on turn oneself, or there is no plan to drop.
        BadRequest: the text is no plan.
        RulesError: a move in it cannot be played there.
        Stale: looking at another revision.
    """
    seat = seat_of(match, who)
    check_playing(match)
    check_in(course, seat)
    check_fresh(match, seen)
    account = player_of(match, seat).account
    if not text.strip():
        if not any(plan.seat == seat for plan in match.plans):
            raise WrongPhase(Refused.NO_PLAN)
        return Planned(without_plan(match, seat), account, seat, None)
    if course.position.to_move == seat:
        raise WrongPhase(Refused.PLAN_YOUR_TURN)
    if len(text) > MAX_PLAN:
        raise BadRequest(Refused.PLAN_TOO_LONG, limit=MAX_PLAN)
    cases: dict[Position[Any], _Case] = {}
    for line in _LINE.split(text):
        if line.strip():
            _read_line(course, seat, line.strip(), cases)
    if not cases:
        raise BadRequest(Refused.BAD_PLAN, text=clean(text, 40))
    made = Plan(seat, len(course.log), _branches(cases))
    match = without_plan(match, seat)
    return Planned(replace(match, plans=(*match.plans, made)), account, seat, made)


def plan_of(match: Match, seat: Seat) -> Plan | None:
    """What a seat has planned."""
    return next((plan for plan in match.plans if plan.seat == seat), None)


def spelled(plan: Plan) -> str:
    """The text of a plan, a line for each way through it; only for the eyes of its seat.

    With three seats or more the others' turns stand without the / between them: this is to be read, not typed.
    """
    return "\n".join(_lines(plan.branches))


def answer(match: Match, course: Course) -> tuple[Match, tuple[Any, ...]]:
    """What the seat whose turn has just begun had planned for it: the match with the rest of its plan, and the moves.

    The plan's next root is where those moves end. No moves: nothing fitted, and the plan is dropped.
    """
    seat = course.position.to_move
    found = plan_of(match, seat)
    if found is None:
        return match, ()
    match = without_plan(match, seat)
    branch = _fitting(found, course)
    if branch is None:
        return match, ()
    moves = _moves(course.game, course.position, branch.then)
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
        for move in _moves(course.game, base, branch.when):
            position = position.play(move)
        if position == course.position and position is not base:
            return branch
    return None


def _moves(game: AnyGame, position: Position[Any], texts: Sequence[str]) -> tuple[Any, ...]:
    """The moves that canonical texts are, one after another; none where the rules do not allow all of them."""
    moves = []
    try:
        for text in texts:
            (move,) = game.notation.parse(text, position)
            position = position.play(move)
            moves.append(move)
    except (RulesError, ValueError):
        return ()
    return tuple(moves)


def _read_line(course: Course, seat: Seat, line: str, cases: dict[Position[Any], _Case]) -> None:
    opening, *steps = _IF.split(line)
    if opening.strip() or not steps:
        raise BadRequest(Refused.BAD_PLAN, text=clean(line, 40))
    position = course.position
    for step in steps:
        parts = [part.strip() for part in _THEN.split(step)]
        if len(parts) != 2 or not all(parts):
            raise BadRequest(Refused.BAD_PLAN, text=clean(step, 40))
        when, position = _foreseen(course.game, position, seat, parts[0])
        then, answered = _answered(course.game, position, seat, parts[1])
        case = cases.setdefault(position, _Case(when, then, answered))
        if case.answered != answered:
            raise BadRequest(Refused.PLAN_TWICE, text=clean(parts[0], 40))
        cases, position = case.after, answered


def _foreseen(
    game: AnyGame, position: Position[Any], seat: Seat, text: str
) -> tuple[tuple[str, ...], Position[Any]]:
    """The plies of the others in a case, and where the turn comes back to the one who plans."""
    plies: list[str] = []
    for turn in text.split("/"):
        played, position = _played(game, position, turn.strip())
        plies += played
    if position.outcome or position.to_move != seat:
        raise BadRequest(Refused.PLAN_TOO_SHORT, text=clean(text, 40))
    return tuple(plies), position


def _answered(
    game: AnyGame, position: Position[Any], seat: Seat, text: str
) -> tuple[tuple[str, ...], Position[Any]]:
    """The plies of an answer, which is a whole turn, and the position after it."""
    plies, after = _played(game, position, text)
    if not after.outcome and after.to_move == seat:
        raise BadRequest(Refused.PLAN_TOO_SHORT, text=clean(text, 40))
    return plies, after


def _played(game: AnyGame, position: Position[Any], text: str) -> tuple[tuple[str, ...], Position[Any]]:
    plies = []
    for move in game.notation.parse(text, position):
        plies.append(game.notation.format(move))
        position = position.play(move)
    return tuple(plies), position


def _branches(cases: dict[Position[Any], _Case]) -> tuple[Branch, ...]:
    return tuple(Branch(case.when, case.then, _branches(case.after)) for case in cases.values())


def _lines(branches: Sequence[Branch]) -> Iterator[str]:
    for branch in branches:
        case = f"if {' '.join(branch.when)} then {' '.join(branch.then)}"
        if branch.after:
            yield from (f"{case} {rest}" for rest in _lines(branch.after))
        else:
            yield case
