"""The engine in plain Python: boards of any size, both variants, nothing to build."""

from __future__ import annotations

from functools import lru_cache

from engine.breakthrough.engine_base import BreakthroughEngine, Lines, SearchRequest
from engine.breakthrough.root_search import RootResult, RootSearch
from engine.breakthrough.weights import kind, weights
from engine.core import Clock, EngineKind
from rules.breakthrough import BreakthroughPosition, Options, Variant
from rules.core import Grid, Seat, Square


class PythonEngine(BreakthroughEngine):
    """Searches with `engine.breakthrough.root_search`."""

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

        def told(found: RootResult) -> None:
            if report is not None:
                report(found.depth, found.nodes, _lines(position.options.grid, found, up=up))

        found = self._searches(position.options).search(request, told)
        return found.depth, found.nodes, _lines(position.options.grid, found, up=up)


def _search_for(options: Options) -> RootSearch:
    grid = options.grid
    of = weights(kind(options.variant.value, grid.files, grid.ranks))
    return RootSearch(grid.files, grid.ranks, of, misere=options.variant is Variant.MISERE)


def _lines(grid: Grid, found: RootResult, *, up: bool) -> Lines:
    def square(place: int) -> Square:
        rank, file = divmod(place, grid.files + 1)
        return Square(file, rank)

    lines = []
    for line in found.lines:
        steps = []
        for at, step in enumerate(line.steps):
            low, high = square((step & -step).bit_length() - 1), square(step.bit_length() - 1)
            steps.append((low, high) if up == (at % 2 == 0) else (high, low))
        lines.append((line.score, steps))
    return lines
