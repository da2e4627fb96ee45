"""Small boards solved from the start by the native core: `python -m bench.solve_breakthrough 5x5`.

Iterative deepening goes on until the start is proved won or lost. The plies told are those in which the winner can be
sure to end it at the latest.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.breakthrough.engine_base import PROVED, WIN, core, packed
from rules.breakthrough import GAME


@dataclass(frozen=True, slots=True)
class Solved:
    """What a start is worth.

    Attributes:
        score: For the side that begins; a guess where time was up.
        depth: Plies looked ahead, the last ones by what is certain without looking.
        nodes: Positions made.
        seconds: Of the processor.
    """

    score: int
    depth: int
    nodes: int
    seconds: float

    def __str__(self) -> str:
        who = "the first player wins" if self.score > 0 else "the second player wins"
        value = f"{who} within {WIN - abs(self.score)} plies" if abs(self.score) > PROVED else "not solved"
        rate = self.nodes / max(self.seconds, 1e-9) / 1e6
        return f"{value}: depth {self.depth}, {self.nodes / 1e6:.1f} M nodes, {self.seconds:.1f} s ({rate:.1f} M/s)"


def solve(board: str, variant: str, *, megabytes: int, seconds: float) -> Solved:
    """Search the start of a board until it is proved or the time is up."""
    position = GAME.start(GAME.choose({"board": board, "variant": variant}))
    searching = core(position.options, megabytes)
    began = time.process_time()
    depth, nodes, ((score, _),) = searching.think(
        *packed(position), 0, 0, 1, 0, lambda _: time.process_time() - began > seconds, None
    )
    return Solved(score, depth, nodes, time.process_time() - began)


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve some boards."""
    parser = argparse.ArgumentParser(prog="python -m bench.solve_breakthrough", description=__doc__)
    parser.add_argument("boards", nargs="*", default=["3x4", "4x4", "3x5", "4x5", "5x4", "5x5"])
    parser.add_argument("--variant", default="classic")
    parser.add_argument("--megabytes", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=230.0)
    chosen = parser.parse_args(arguments)
    for board in chosen.boards:
        found = solve(board, chosen.variant, megabytes=chosen.megabytes, seconds=chosen.seconds)
        print(f"{board} {chosen.variant}: {found}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
