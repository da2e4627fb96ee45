"""Conditional moves: "if a7-a6 then b2-b3; if h7-h6 then c2-c3", and a prepared move: "b2-b3". Private to the seat that plans.

A case is what the others play until the turn comes back: one turn, or with more seats several, with a / between them.
It fits when the position is the one that was foreseen, in any order of a turn's plies. What was planned after it stays.
What is planned anew is added; a new answer to a case takes the place of the old one. A turn that fits no case, an own
move by hand, or a takeback past its root clears the plan.

A prepared move answers every turn that fits no case: as if the board stayed as it is, it is picked on `Position.ahead`. If it is
not legal when the turn comes, it is not played, and stays in the match until its seat moves, so that its player can be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from play.actions.playing import moves_of, plan_of, without_plan
from play.errors import BadRequest, PlayError, Refused, WrongPhase
from play.facts import Planned
from play.match import Branch, Match, Plan
from play.people import clean
from play.replay import Course
from play.request import Action, Replayer, Request, check_fresh, check_in, check_playing, seat_of
from rules.core import AnyGame, BadNotation, Position, RulesError, Seat

MAX_PLAN: Final = 1500  # characters of a plan that is read: some sixty cases

_LINE: Final = re.compile(r"[;\n]")
_IF: Final = re.compile(r"(?:^|[\s,]+)(?:if|якщо|если)\s+", re.IGNORECASE)
_THEN: Final = re.compile(r"[\s,]+(?:then|то|тоді|тогда)\s+", re.IGNORECASE)


class Slip(Exception):
    """A move in the text of a plan is refused, in some position; `case` is what it is part of: `b4-b3 then b2-b3`."""

    def __init__(self, text: str, position: Position[Any], error: RulesError) -> None:
        super().__init__(text)
        self.text, self.position, self.error, self.case = text, position, error, ""


@dataclass(slots=True)
class _Case:
    """A case while the text is read: known by the position that it foresees, or by that on which a prepared move is picked."""

    when: tuple[str, ...]
    then: tuple[str, ...]
    answered: Position[Any]
    after: dict[Position[Any], _Case] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MakePlan(Action[Planned]):
    """Plan one's answers while another seat is on turn, besides what was planned before; no text: no plan any more."""

    text: str

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Planned, Course]:
        course = replay(match)
        seat = seat_of(match, request.account)
        check_playing(match)
        check_in(course, seat)
        check_fresh(match, request, match.position_since)
        account = match.player(seat).account
        if not self.text.strip():
            if not any(plan.seat == seat for plan in match.plans):
                raise WrongPhase(Refused.NO_PLAN)
            return Planned(without_plan(match, seat), account, seat, None), course
        if course.position.to_move == seat:
            raise WrongPhase(Refused.PLAN_YOUR_TURN)
        if len(self.text) > MAX_PLAN:
            raise BadRequest(Refused.PLAN_TOO_LONG, limit=MAX_PLAN)
        try:
            cases = _read(course, seat, self.text)
        except Slip as slip:
            raise slip.error from slip
        if not cases:
            raise BadRequest(Refused.BAD_PLAN, text=clean(self.text, 40))
        before = plan_of(match, seat)
        made = Plan(
            seat, len(course.log), _branches(_added(_still(before, course), cases) if before else cases)
        )
        if len(spelled(made)) > MAX_PLAN:
            raise BadRequest(Refused.PLAN_TOO_LONG, limit=MAX_PLAN)
        match = without_plan(match, seat)
        return Planned(replace(match, plans=(*match.plans, made)), account, seat, made), course


def slip_of(course: Course, seat: Seat, text: str) -> Slip | None:
    """Return the move in the text of a plan that is refused; None where none is."""
    try:
        _read(course, seat, text)
    except Slip as slip:
        return slip
    except PlayError:
        return None
    return None


def spelled(plan: Plan) -> str:
    """Return the text of a plan, a line for each way through it; only for the eyes of its seat.

    With three seats or more the others' turns stand without the / between them: this is to be read, not typed.
    """
    return "\n".join(_lines(plan.branches))


def _read(course: Course, seat: Seat, text: str) -> dict[Position[Any], _Case]:
    cases: dict[Position[Any], _Case] = {}
    for line in _LINE.split(text):
        if line.strip():
            _read_line(course, seat, line.strip(), cases)
    return cases


def _read_line(course: Course, seat: Seat, line: str, cases: dict[Position[Any], _Case]) -> None:
    opening, *steps = _IF.split(line)
    if not steps:
        _read_prepared(course, seat, line, cases)
        return
    if opening.strip():
        raise BadRequest(Refused.BAD_PLAN, text=clean(line, 40))
    position = course.position
    for step in steps:
        parts = [part.strip(" \t,") for part in _THEN.split(step)]
        if len(parts) != 2 or not all(parts):
            raise BadRequest(Refused.BAD_PLAN, text=clean(step, 40))
        try:
            when, position = _foreseen(course.game, position, seat, parts[0])
            then, answered = _answered(course.game, position, seat, parts[1])
        except Slip as slip:
            slip.case = step.strip(" \t,")
            raise
        case = cases.setdefault(position, _Case(when, then, answered))
        if case.answered != answered:
            raise BadRequest(Refused.PLAN_TWICE, text=clean(parts[0], 40))
        cases, position = case.after, answered


def _read_prepared(course: Course, seat: Seat, text: str, cases: dict[Position[Any], _Case]) -> None:
    start = course.position.ahead(seat)
    try:
        if start is None or _THEN.search(text):
            raise BadRequest(Refused.BAD_PLAN, text=clean(text, 40))
        then, answered = _answered(course.game, start, seat, text)
    except Slip as slip:
        if isinstance(slip.error, BadNotation):
            raise BadRequest(Refused.BAD_PLAN, text=clean(text, 40)) from slip
        slip.case = text
        raise
    if cases.setdefault(start, _Case((), then, answered)).answered != answered:
        raise BadRequest(Refused.PLAN_TWICE, text=clean(text, 40))


def _still(plan: Plan, course: Course) -> dict[Position[Any], _Case]:
    since = course.moves[plan.base :]
    if None in since:  # a seat was left or taken, so that turns follow one another otherwise
        return {}
    played = [course.game.notation.format(move) for move in since]
    return _cases(course.game, plan.seat, course.position, plan.branches, played)


def _cases(
    game: AnyGame,
    seat: Seat,
    start: Position[Any],
    branches: Sequence[Branch],
    played: Sequence[str] = (),
) -> dict[Position[Any], _Case]:
    """Return branches by the positions that they foresee; of the first turn some plies may have been played already."""
    found: dict[Position[Any], _Case] = {}
    for branch in branches:
        if not branch.when:
            ahead = start.ahead(seat)
            if ahead is not None and (then := moves_of(game, ahead, branch.then)):
                found[ahead] = _Case((), branch.then, _after(ahead, then))
            continue
        when = list(branch.when)
        for text in played:
            if text not in when:
                break
            when.remove(text)
        else:
            position = _after(start, moves_of(game, start, when))
            then = moves_of(game, position, branch.then)
            if not when or not then or position is start:
                continue
            answered = _after(position, then)
            after = _cases(game, seat, answered, branch.after)
            found[position] = _Case(tuple(when), branch.then, answered, after)
    return found


def _after(position: Position[Any], moves: Sequence[Any]) -> Position[Any]:
    for move in moves:
        position = position.play(move)
    return position


def _added(before: dict[Position[Any], _Case], new: dict[Position[Any], _Case]) -> dict[Position[Any], _Case]:
    """Return the cases of both; where they answer one case alike, what follows of both, otherwise the new one."""
    found = dict(before)
    for position, case in new.items():
        old = before.get(position)
        alike = old is not None and old.answered == case.answered
        found[position] = replace(case, after=_added(old.after, case.after)) if old and alike else case
    return found


def _foreseen(
    game: AnyGame, position: Position[Any], seat: Seat, text: str
) -> tuple[tuple[str, ...], Position[Any]]:
    """Return the plies of the others in a case, and the position in which the turn comes back to the seat that plans."""
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
    plies, after = _played(game, position, text)
    if not after.outcome and after.to_move == seat:
        raise BadRequest(Refused.PLAN_TOO_SHORT, text=clean(text, 40))
    return plies, after


def _played(game: AnyGame, position: Position[Any], text: str) -> tuple[tuple[str, ...], Position[Any]]:
    plies = []
    start = position
    try:
        for move in game.notation.parse(text, position):
            plies.append(game.notation.format(move))
            position = position.play(move)
    except RulesError as error:
        raise Slip(text, start, error) from error
    return tuple(plies), position


def _branches(cases: dict[Position[Any], _Case]) -> tuple[Branch, ...]:
    return tuple(Branch(case.when, case.then, _branches(case.after)) for case in cases.values())


def _lines(branches: Sequence[Branch]) -> Iterator[str]:
    for branch in branches:
        answer = " ".join(branch.then)
        case = f"if {' '.join(branch.when)} then {answer}" if branch.when else answer
        if branch.after:
            yield from (f"{case} {rest}" for rest in _lines(branch.after))
        else:
            yield case
