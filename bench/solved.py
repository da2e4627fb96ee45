"""Starts that are solved, as the bot says of them: `python -m bench.solved lgame` writes `engine/lgame/solved.txt`.

Breakthrough: every board from 2x4 on whose start the native solver proves in `--seconds`, classic and misère. Classic ones are solved
once more by `native/breakthrough_witness.cpp`, which shares no code with it; where the two differ, this ends. The L-game: every
variant, and with points every goal up to `--points`, in each corner; 40 points take 1 GB and some minutes.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import engine
from bench.breakthrough_rival import compiled
from engine import engines_of
from engine.breakthrough.engine_base import core, packed
from engine.core import Budget, GameValue, Proof, SolvedStart, write_solved
from engine.lgame.points_engine import PointsSolution
from rules import GAMES
from rules.breakthrough import Options, Variant
from rules.core import AnyGame
from rules.lgame.options import Options as LOptions
from rules.lgame.options import Symmetry
from rules.lgame.options import Variant as LVariant

_MEGABYTES: Final = 512
_FILES: Final = range(2, 9)
_RANKS: Final = range(4, 13)
_LONGEST: Final = 200  # plies
_WITNESS: Final = Path(__file__).parent / "native" / "breakthrough_witness.cpp"
_WITNESSED: Final = 32  # squares, at most
_ENTRIES: Final = 26  # of the witness's table, a power of two


def breakthrough(seconds: float) -> Iterator[SolvedStart]:
    """Yield the boards that are solved; where one is not, no longer one is tried."""
    game = GAMES["breakthrough"]
    for variant, files in itertools.product(("classic", "misere"), _FILES):
        for ranks in _RANKS:
            chosen = game.choose({"board": f"{files}x{ranks}", "variant": variant})
            plies = _distance(chosen, seconds)
            if not plies:
                break
            witnessed = chosen.variant is Variant.CLASSIC and files * ranks <= _WITNESSED
            if witnessed and (other := witness(files, ranks)) != plies:
                raise SystemExit(f"{files}x{ranks}: {plies} plies, and {other} by the witness")
            yield _start(
                game, chosen, Proof(GameValue.WIN if plies > 0 else GameValue.LOSS, abs(plies), exact=True)
            )


def _distance(chosen: Options, seconds: float) -> int:
    end = time.process_time() + seconds
    start = packed(GAMES["breakthrough"].start(chosen))
    plies, _ = core(chosen, _MEGABYTES).solve(*start, _LONGEST, lambda _: time.process_time() > end)
    return plies


def witness(files: int, ranks: int, entries: int = _ENTRIES) -> int:
    """Return the plies of the quickest win on a classic board of up to 32 squares; less than 0: the second player has it."""
    return int(compiled(_WITNESS).witness(files, ranks, entries))


def lgame(points: int) -> Iterator[SolvedStart]:
    """Yield every variant, with goals of at most so many points."""
    game = GAMES["lgame"]
    (tables, *_) = engines_of("lgame")
    plain = [
        LOptions(LVariant.CLASSIC),
        LOptions(LVariant.SUDDEN_DEATH),
        *(LOptions(LVariant.SYMMETRY, each) for each in Symmetry),
    ]
    for chosen in plain:
        proof = tables.think(game.start(chosen), Budget(nodes=1)).proof
        assert proof is not None, "solved"
        yield _start(game, chosen, proof)
    for corner in ("a4", "a1", "d1", "d4"):
        solution = PointsSolution(LOptions(LVariant.SCORING, corner=corner).painted)
        for goal in range(5, points + 1):
            chosen = LOptions(LVariant.SCORING, points=goal, corner=corner)
            for lacking in solution.missing((goal, goal)):
                solution.solve(lacking)
            plies = solution.distance(game.start(chosen))
            proof = Proof(GameValue.DRAW, exact=True)
            if plies is not None:
                proof = Proof(GameValue.WIN if plies % 2 else GameValue.LOSS, plies, exact=True)
            yield _start(game, chosen, proof)


def _start(game: AnyGame, chosen: Any, proof: Proof) -> SolvedStart:
    return SolvedStart(tuple(sorted(game.describe(chosen).items())), proof)


def main(arguments: Sequence[str] | None = None) -> int:
    """Solve the starts of a game and write them down."""
    parser = argparse.ArgumentParser(prog="python -m bench.solved", description=__doc__)
    parser.add_argument("game", choices=("breakthrough", "lgame"))
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="of the processor for a board of Breakthrough"
    )
    parser.add_argument("--points", type=int, default=40, help="the highest goal of the L-game with points")
    parser.add_argument("--to", type=Path, help="another file than the game's")
    chosen = parser.parse_args(arguments)
    starts = breakthrough(chosen.seconds) if chosen.game == "breakthrough" else lgame(chosen.points)
    found = []
    for start in starts:
        found.append(start)
        sys.stdout.write(write_solved([start]))
        sys.stdout.flush()
    file = chosen.to or Path(engine.__file__).parent / chosen.game / "solved.txt"
    file.write_text(write_solved(found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
