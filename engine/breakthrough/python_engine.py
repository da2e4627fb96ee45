"""The engine in plain Python: boards of any size, both variants, nothing to build."""

from __future__ import annotations

from functools import lru_cache

from engine.breakthrough.engine_base import BreakthroughEngine, Lines, SearchRequest, squares_at
from engine.breakthrough.root_search import RootResult, RootSearch
from engine.breakthrough.weights import kind, weights
from engine.core import Clock, EngineKind
from rules.breakthrough import BreakthroughPosition, Options, Variant
from rules.core import Grid, Seat


class PythonEngine(BreakthroughEngine):
    """Searches with `engine.breakthrough.root_search`."""

    name = "breakthrough-python"
    kind = EngineKind.PYTHON

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        # What is remembered of patterns is kept for the boards that are played most.
        self._search = lru_cache(maxsize=4)(_search)

    def fits(self, position: BreakthroughPosition) -> bool:  # noqa: ARG002 - there is none it does not
        """Every board and variant."""
        return True

    def forget(self) -> None:
        """Drop the searches, and with them what they remember of patterns."""
        self._search.cache_clear()

    def _searched(self, question: SearchRequest) -> tuple[int, int, Lines]:
        position, budget, report = question.position, question.budget, question.report
        grid = position.options.grid
        up = position.to_move is Seat.S1
        white, black = position.men

        def told(found: RootResult) -> None:
            if report is not None:
                report(found.depth, found.nodes, _lines(grid, found, up=up))

        found = self._search(position.options).think(
            white,
            black,
            up=up,
            depth=budget.depth,
            nodes=budget.nodes,
            most=question.most,
            seed=question.seed,
            poll=question.stopped,
            report=told,
        )
        return found.depth, found.nodes, _lines(grid, found, up=up)


def _search(options: Options) -> RootSearch:
    grid = options.grid
    of = weights(kind(options.variant.value, grid.files, grid.ranks))
    return RootSearch(grid.files, grid.ranks, of, misere=options.variant is Variant.MISERE)


def _lines(grid: Grid, found: RootResult, *, up: bool) -> Lines:
    lines = []
    for line in found.lines:
        steps = []
        upward = up
        for step in line.steps:
            low, high = (step & -step).bit_length() - 1, step.bit_length() - 1
            steps.append(squares_at(grid, low, high) if upward else squares_at(grid, high, low))
            upward = not upward
        lines.append((line.score, steps))
    return lines
