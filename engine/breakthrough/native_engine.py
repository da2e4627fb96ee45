"""The engine with the native core."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.breakthrough.engine_base import BreakthroughEngine, Lines, SearchRequest
from engine.breakthrough.weights import kind, weights
from engine.core import Clock, EngineKind
from engine.native import load
from rules.breakthrough import BreakthroughPosition, Options, Variant
from rules.core import Grid, Seat

if TYPE_CHECKING:
    from engine.breakthrough import native

VERSION: Final = 1
"""The version of the module's interface; a module built from an older source is not used."""

_MEGABYTES: Final = 32  # of the table of positions, for each kind of board
_KINDS: Final = 3  # kinds of boards that are remembered


class NativeEngine(BreakthroughEngine):
    """Searches with `native.cpp`, which lets other threads run meanwhile."""

    name = "breakthrough-native"
    kind = EngineKind.NATIVE

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._core = lru_cache(maxsize=_KINDS)(core)

    def fits(self, position: BreakthroughPosition) -> bool:
        """Return True for positions of the game: the core's sets hold the largest board."""
        return isinstance(position, BreakthroughPosition)

    def forget(self) -> None:
        self._core.cache_clear()

    def _search(self, request: SearchRequest) -> tuple[int, int, Lines]:
        position, budget, report = request.position, request.budget, request.report
        grid = position.options.grid

        def told(answer: native.Answer) -> None:
            if report is not None:
                depth, nodes, lines = answer
                report(depth, nodes, _lines(grid, lines))

        depth, nodes, lines = self._core(position.options).think(
            *packed(position),
            depth=budget.depth or 0,
            nodes=budget.nodes or 0,
            most=request.most,
            seed=request.seed & (1 << 64) - 1,
            poll=request.stopped,
            report=told if report is not None else None,
        )
        return depth, nodes, _lines(grid, lines)


def available() -> bool:
    """Return whether the native core was built and may be used."""
    return load("breakthrough", VERSION) is not None


def core(options: Options, megabytes: int = _MEGABYTES) -> native.Core:
    """Return a native core for a kind of board.

    Raises:
        ImportError: it was not built.
    """
    from engine.breakthrough import native  # noqa: PLC0415 - there only where it was built

    grid = options.grid
    of = weights(kind(options.variant.value, grid.files, grid.ranks))
    return native.Core(
        grid.files,
        grid.ranks,
        options.variant is Variant.MISERE,
        list(of.bricks),
        list(of.crosses),
        megabytes,
    )


def packed(position: BreakthroughPosition) -> tuple[int, int, int]:
    """Return White's men and Black's, without the gaps between ranks of the rules; and 0 if White is to move, else 1."""
    grid = position.options.grid
    white, black = (_without_gaps(grid, men) for men in position.men)
    return white, black, 0 if position.to_move is Seat.S1 else 1


def _without_gaps(grid: Grid, men: int) -> int:
    row = (1 << grid.files) - 1
    return sum((men >> rank * (grid.files + 1) & row) << rank * grid.files for rank in range(grid.ranks))


def _lines(grid: Grid, lines: list[tuple[int, list[int]]]) -> Lines:
    return [
        (score, [(grid.square(step & 1023), grid.square(step >> 10 & 1023)) for step in steps])
        for score, steps in lines
    ]
