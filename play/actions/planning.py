"""Turns that pass on, and conditional moves: "if a7-a6 then b2-b3; if h7-h6 then c2-c3", private to the seat that plans.

A case is what the others play until the turn comes back: one turn, or with more seats several, with a / between them.
It fits when the position is the one that was foreseen, in any order of a turn's plies. What was planned after it stays.
What is planned anew is added; a new answer to a case takes the place of the old one. A turn that fits no case, an own
move by hand, or a takeback past its root clears the plan.

The clock, the question and the plans of a match when the turn goes on, goes back, or the match ends.

Time that was used stays used. A takeback gives no time back: the seat that thought last is charged for it, and the
seat whose turn it is again goes on with what it had left when it had played; a bank is paid once for each turn, however
often it is played. Per move, the turn after that one begins with its full time, because the position is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from play.checks import check_fresh, check_in, check_playing, seat_of
from play.errors import BadRequest, PlayError, Refused, WrongPhase
from play.facts import Planned
from play.match import COMMENT, Branch, Match, Phase, Plan, Ply, Result
from play.people import clean
from play.replay import Course
from play.request import Action, Replayer, Request
from play.time.clock import Now, begun, completed, stopped, turned
from rules.core import AnyGame, Position, RulesError, Seat


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


MAX_PLAN: Final = 1500
"""Characters of a plan that is read: some sixty cases."""

_LINE: Final = re.compile(r"[;\n]")
_IF: Final = re.compile(r"(?:^|[\s,]+)(?:if|якщо|если)\s+", re.IGNORECASE)
_THEN: Final = re.compile(r"[\s,]+(?:then|то|тоді|тогда)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slip:
    """Where a move in the text of a plan is refused.

    Attributes:
        text: The move, as typed.
        position: In which it was to be played.
        error: Why it cannot be.
        case: What it is part of, as typed: `b4-b3 then b2-b3`.
    """

    text: str
    position: Position[Any]
    error: RulesError
    case: str = ""


class _Slipped(Exception):
    """A move in the text of a plan is refused."""

    def __init__(self, slip: Slip) -> None:
        super().__init__(slip)
        self.slip = slip


@dataclass(slots=True)
class _Case:
    """A case while the text is read: known by the position that it foresees."""

    when: tuple[str, ...]
    then: tuple[str, ...]
    answered: Position[Any]
    after: dict[Position[Any], _Case] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MakePlan(Action[Planned]):
    """Plan one's answers while another seat is on turn, besides what was planned before; no text: no plan any more.

    Raises:
        NotAllowed: not seated, or out.
        WrongPhase: not begun, over, one is on turn oneself, or there is no plan to drop.
        BadRequest: the text is no plan.
        RulesError: a move in it cannot be played there.
        Stale: the match is not as it was seen.
    """

    text: str

    def decide(self, match: Match, replay: Replayer, request: Request) -> tuple[Planned, Course]:
        """See `Action.decide`."""
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
        except _Slipped as slipped:
            raise slipped.slip.error from slipped
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
    except _Slipped as slipped:
        return slipped.slip
    except PlayError:
        return None
    return None


def plan_of(match: Match, seat: Seat) -> Plan | None:
    """Return what a seat has planned; None: nothing."""
    return next((plan for plan in match.plans if plan.seat == seat), None)


def spelled(plan: Plan) -> str:
    """Return the text of a plan, a line for each way through it; only for the eyes of its seat.

    With three seats or more the others' turns stand without the / between them: this is to be read, not typed.
    """
    return "\n".join(_lines(plan.branches))


def answer(match: Match, course: Course) -> tuple[Match, tuple[Any, ...]]:
    """Return what the seat whose turn has just begun had planned: the match with the rest of its plan, and the moves.

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


def _read(course: Course, seat: Seat, text: str) -> dict[Position[Any], _Case]:
    cases: dict[Position[Any], _Case] = {}
    for line in _LINE.split(text):
        if line.strip():
            _read_line(course, seat, line.strip(), cases)
    return cases


def _read_line(course: Course, seat: Seat, line: str, cases: dict[Position[Any], _Case]) -> None:
    opening, *steps = _IF.split(line)
    if opening.strip() or not steps:
        raise BadRequest(Refused.BAD_PLAN, text=clean(line, 40))
    position = course.position
    for step in steps:
        parts = [part.strip(" \t,") for part in _THEN.split(step)]
        if len(parts) != 2 or not all(parts):
            raise BadRequest(Refused.BAD_PLAN, text=clean(step, 40))
        try:
            when, position = _foreseen(course.game, position, seat, parts[0])
            then, answered = _answered(course.game, position, seat, parts[1])
        except _Slipped as slipped:
            raise _Slipped(replace(slipped.slip, case=step.strip(" \t,"))) from slipped
        case = cases.setdefault(position, _Case(when, then, answered))
        if case.answered != answered:
            raise BadRequest(Refused.PLAN_TWICE, text=clean(parts[0], 40))
        cases, position = case.after, answered


def _still(plan: Plan, course: Course) -> dict[Position[Any], _Case]:
    """Return the cases of a plan that can still come, from where the match stands now."""
    since = course.moves[plan.base :]
    if None in since:  # a seat was left or taken, so that turns follow one another otherwise
        return {}
    played = [course.game.notation.format(move) for move in since]
    return _cases(course.game, course.position, plan.branches, played)


def _cases(
    game: AnyGame, start: Position[Any], branches: Sequence[Branch], played: Sequence[str] = ()
) -> dict[Position[Any], _Case]:
    """Return branches by the positions that they foresee; of the first turn some plies may have been played already."""
    found: dict[Position[Any], _Case] = {}
    for branch in branches:
        when = list(branch.when)
        for text in played:
            if text not in when:
                break
            when.remove(text)
        else:
            position = start
            for move in _moves(game, position, when):
                position = position.play(move)
            then = _moves(game, position, branch.then)
            if not when or not then or position is start:
                continue
            answered = position
            for move in then:
                answered = answered.play(move)
            after = _cases(game, answered, branch.after)
            found[position] = _Case(tuple(when), branch.then, answered, after)
    return found


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
    """Return the plies of an answer, which is a whole turn, and the position after it."""
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
        raise _Slipped(Slip(text, start, error)) from error
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
