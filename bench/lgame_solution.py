"""The L-game solved: `python -m bench.lgame_solution` measures solving, looking up, and choosing among draws."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from statistics import median

from engine.core import Budget
from engine.lgame.table_engine import LTables, Solution, made_move, names, pairs_in, solution
from rules.lgame import GAME, LPosition, Options
from rules.lgame.options import Symmetry, Variant

VARIANTS = (Options(), Options(Variant.SUDDEN_DEATH), *(Options(Variant.SYMMETRY, each) for each in Symmetry))
SOLVED_WITHIN = 50.0
"""Milliseconds."""
LOOKED_UP_WITHIN = 50.0
"""Microseconds, for the value, the distance and all best moves."""
POSITIONS = 2000


def main() -> int:
    """Measure, and print a line for each variant.

    Returns:
        0 if the goals are met.
    """
    good = True
    for options in VARIANTS:
        solving = 1e3 * median(_seconds(lambda: Solution(options)) for _ in range(7))  # noqa: B023 - called at once
        positions = _positions(options)
        _looked_up(positions)  # the moves themselves are made once
        finding = 1e6 * median(_seconds(lambda: _looked_up(positions)) for _ in range(7)) / len(positions)  # noqa: B023
        engine = LTables()
        thinking = 1e3 * _seconds(lambda: _thought(engine, positions[:100])) / 100  # noqa: B023
        good &= solving < SOLVED_WITHIN and finding < LOOKED_UP_WITHIN
        print(
            f"{options.variant} {options.symmetry if options.images else ''}: solved in {solving:.1f} ms, "
            f"value, distance and best moves in {finding:.1f} us, a turn in {thinking:.2f} ms"
        )
    return 0 if good else 1


def _seconds(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def _looked_up(positions: list[LPosition]) -> None:
    for position in positions:
        solved, arrangement = solution(position.options), names(position)
        solved.distance(*arrangement)
        for place, pairs in solved.best(*arrangement):
            for pair in pairs_in(pairs):
                made_move(place, position.neutrals, pair)


def _thought(engine: LTables, positions: list[LPosition]) -> None:
    for position in positions:
        engine.think(position, Budget(nodes=1))


def _positions(options: Options) -> list[LPosition]:
    chance = random.Random(1)
    here = GAME.start(options)
    found: list[LPosition] = []
    while len(found) < POSITIONS:
        if here.outcome is not None:
            here = GAME.start(options)
        found.append(here)
        here = here.play(chance.choice(list(here.legal_moves())))
    return found


if __name__ == "__main__":
    sys.exit(main())
