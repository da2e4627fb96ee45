"""The engine in plain Python: iterative deepening at the root; `alphabeta` searches what follows a step."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from engine.breakthrough.alphabeta import DEEPEST, ENDLESS, PrincipalVariationSearch
from engine.breakthrough.engine_base import PROVED, WIN, BreakthroughEngine, Lines, SearchRequest, SideBoard
from engine.breakthrough.evaluation import MOST, kind, weights
from engine.core import BudgetExhausted, Clock, EngineKind
from rules.breakthrough import BreakthroughPosition, Options, Variant
from rules.core import Grid, Seat, Square

SOON: Final = 5
"""Plies within which the quickest win is found, where some win is."""

_WINDOW: Final = 40

_Node: TypeAlias = tuple[SideBoard, int, int]
"""The board as the side to move sees it, its men, and the other side's."""


class _Found(NamedTuple):
    """The deepest finished depth, the nodes, and the best lines: the score and the two bits of each step."""

    depth: int
    nodes: int
    lines: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(slots=True)
class _RootStep:
    """A legal step at the root."""

    step: int
    bonus: int  # from the seed: chooses between equally good steps
    score: int = -MOST
    line: tuple[int, ...] = ()
    exact: bool = True  # else the score is only known to be no higher

    @property
    def lost(self) -> bool:
        """Return whether it is refuted."""
        return self.score <= -PROVED

    @property
    def rank(self) -> int:
        """What the order goes by."""
        if abs(self.score) >= PROVED:
            return self.score
        return self.score + (self.bonus if self.exact else -1000)

    def settled(self, depth: int) -> bool:
        """Return whether a deeper search changes nothing: it is proved, and no quicker win is looked for."""
        return self.lost or (self.score >= PROVED and depth >= min(SOON, WIN - self.score))


_rank: Final = attrgetter("rank")


class RootSearch(PrincipalVariationSearch):
    """Searches positions on boards of one size, one at a time."""

    def search(self, request: SearchRequest, report: Callable[[_Found], None] | None = None) -> _Found:
        """Return the best steps, each with its own score; `report` takes the result of every finished depth."""
        own, foe, _ = request.position.state
        board = self._boards[0 if request.position.to_move is Seat.S1 else 1]
        chance = random.Random(request.seed)  # noqa: S311 - a game, no secret
        root = [_RootStep(step, chance.randrange(4)) for step in board.steps(own, foe)]
        chance.shuffle(root)
        most = max(1, min(request.most, len(root)))
        self._begin(request.budget.nodes, request.stopped)
        depth = 0
        improved: list[int] = []
        finished: list[_RootStep] = []  # the root steps as the deepest finished search left them
        try:
            for step in root:
                self._count()
                step.score = self._glance(board, own, foe, step.step)
            root.sort(key=_rank, reverse=True)
            finished = [replace(step) for step in root]
            for goal in range(1, min(request.budget.depth or DEEPEST, DEEPEST) + 1):
                improved.clear()
                self._deepen((board, own, foe), root, goal, most, improved)
                root.sort(key=_rank, reverse=True)
                finished, depth = [replace(step) for step in root], goal
                if report:
                    report(self._taken(root, most, depth))
                if all(step.settled(depth) for step in root[:most]):
                    break
        except BudgetExhausted:
            _take_up(root, finished, improved[-1] if most == 1 and improved else 0)
        return self._taken(root, most, depth)

    def _taken(self, root: Sequence[_RootStep], most: int, depth: int) -> _Found:
        lines = tuple((step.score, step.line or (step.step,)) for step in root[:most])
        return _Found(depth, self._nodes, lines)

    def _glance(self, board: SideBoard, own: int, foe: int, step: int) -> int:
        """Return a first score of a root step, for the order."""
        own, foe = own ^ step, foe & ~step
        if own & board.goal[0]:
            return 1 - WIN if self._misere else WIN - 1
        sure = board.foe.certain(foe, own, misere=self._misere)
        if sure:
            return 1 - sure if sure > 0 else -sure - 1  # seen from one ply before
        return -self._score(foe, own, up=not board.up)

    def _deepen(
        self, here: _Node, root: Sequence[_RootStep], depth: int, most: int, improved: list[int]
    ) -> None:
        """Search every root step to a depth; only those that can be among the best get a score of their own."""
        board, own, foe = here
        best: list[int] = []
        for step in root:
            mine, theirs = own ^ step.step, foe & ~step.step
            if len(best) == most and step.lost and step.score <= best[-1]:
                continue
            if len(best) < most:
                if most == 1 and depth >= 4 and abs(step.score) < PROVED:
                    score = self._aspire(board, mine, theirs, depth, step.score)
                else:
                    score = -self._search(board.foe, theirs, mine, -ENDLESS, ENDLESS, depth - 1, 1, True)
            else:
                alpha = best[-1] if abs(best[-1]) >= PROVED else best[-1] - step.bonus
                score = -self._search(board.foe, theirs, mine, -alpha - 1, -alpha, depth - 1, 1, True)
                if score > alpha:
                    score = -self._search(board.foe, theirs, mine, -ENDLESS, -alpha, depth - 1, 1, True)
                if score <= alpha:
                    step.score = score if score <= -PROVED else min(score, alpha)
                    step.exact = False
                    continue
            step.score, step.exact = score, True
            step.line = (step.step, *self._line(board.foe, theirs, mine, depth - 1))
            best.append(step.rank)
            best.sort(reverse=True)
            del best[most:]
            improved.append(step.step)

    def _aspire(self, board: SideBoard, mine: int, theirs: int, depth: int, guess: int) -> int:
        """Return the score, searched in a window around that of the depth before.

        How soon a refuted step loses is not asked: the others get the time.
        """
        low, high, width = guess - _WINDOW, guess + _WINDOW, 3 * _WINDOW
        while True:
            score = -self._search(board.foe, theirs, mine, -high, -low, depth - 1, 1, True)
            if score <= -PROVED:
                return score
            if score <= low > -ENDLESS:
                low = -ENDLESS if width > 2000 else guess - width
            elif score >= high < ENDLESS:
                high = ENDLESS if width > 2000 else guess + width
            else:
                return score
            width *= 4

    def _line(self, board: SideBoard, own: int, foe: int, depth: int) -> list[int]:
        """Return the steps that the transposition table expects."""
        line: list[int] = []
        while depth > 0 and not foe & board.foe.goal[0]:
            entry = self._table.get((own << self._shift | foe) << 1 | board.up)
            if entry is None or not entry[3]:
                break
            step = entry[3]
            line.append(step)
            own, foe, board, depth = foe & ~step, own ^ step, board.foe, depth - 1
        return line


def _take_up(root: list[_RootStep], finished: Sequence[_RootStep], improved: int) -> None:
    """Sort the root steps after an unfinished depth.

    What it has proved stays proved, and a better first step that it has found is taken; all other scores are those of the
    depth before. A refuted step comes after all that are not.
    """
    before = {step.step: step for step in finished}
    root[:] = [
        step if abs(step.score) >= PROVED or step.step == improved else before.get(step.step, step)
        for step in root
    ]
    root.sort(key=lambda step: (step.step == improved and not step.lost, step.rank), reverse=True)


class PythonEngine(BreakthroughEngine):
    """Boards of any size, both variants, nothing to build."""

    name = "breakthrough-python"
    kind = EngineKind.PYTHON

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        # The pattern sums are kept for the boards that are played most.
        self._searches = lru_cache(maxsize=4)(_search_for)

    def fits(self, position: BreakthroughPosition) -> bool:  # noqa: ARG002 - it plays all
        return True

    def forget(self) -> None:
        self._searches.cache_clear()

    def _search(self, request: SearchRequest) -> tuple[int, int, Lines]:
        position, report = request.position, request.report
        up = position.to_move is Seat.S1

        def told(found: _Found) -> None:
            if report is not None:
                report(found.depth, found.nodes, _lines(position.options.grid, found, up=up))

        found = self._searches(position.options).search(request, told)
        return found.depth, found.nodes, _lines(position.options.grid, found, up=up)


def _search_for(options: Options) -> RootSearch:
    grid = options.grid
    of = weights(kind(options.variant.value, grid.files, grid.ranks))
    return RootSearch(grid.files, grid.ranks, of, misere=options.variant is Variant.MISERE)


def _lines(grid: Grid, found: _Found, *, up: bool) -> Lines:
    def square(place: int) -> Square:
        rank, file = divmod(place, grid.files + 1)
        return Square(file, rank)

    lines = []
    for score, line in found.lines:
        steps = []
        for at, step in enumerate(line):
            low, high = square((step & -step).bit_length() - 1), square(step.bit_length() - 1)
            steps.append((low, high) if up == (at % 2 == 0) else (high, low))
        lines.append((score, steps))
    return lines
