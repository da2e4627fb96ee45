"""Klopodavka's native engine against that of another checkout: `python -m bench.klopodavka_builds DIRECTORY`.

Each plays in a process of its own, from its own folder, and both in turns; seconds are processor time, so that other
programs do not shorten a search. Every opening, of six random actions, is played from both seats. The match ends early
once the 95 % interval of the share of games won leaves out the goal.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from engine.core import Budget
from engine.klopodavka.native_engine import NativeEngine, core_module
from rules.klopodavka import GAME, KlopodavkaPosition

_OPENING: Final = 6
"""Random actions before each game."""

_LEAST: Final = 20
"""Games before the match may end early."""

_HERE: Final = Path(__file__).resolve()


class Build:
    """The engine of a checkout, in a process of its own.

    Attributes:
        seconds: What its turns took, of the processor.
        nodes: That it has searched.
        turns: That it has played.
    """

    def __init__(self, folder: Path) -> None:
        self.seconds, self.nodes, self.turns = 0.0, 0, 0
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        command = (sys.executable, str(_HERE), "--serve")
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def turn(self, chosen: Mapping[str, str], log: Sequence[str], seconds: float, seed: int) -> list[str]:
        """Return the turn that it plays after these moves."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps([chosen, log, seconds, seed])}\n")
        self._process.stdin.flush()
        turn, spent, nodes = json.loads(self._process.stdout.readline())
        self.seconds += spent
        self.nodes += nodes
        self.turns += 1
        return list(turn)

    def line(self) -> str:
        """Return the time of a turn, and nodes a second."""
        return f"{1000 * self.seconds / self.turns:.0f} ms, {self.nodes / self.seconds / 1000:.0f} k/s"


def serve() -> None:
    """Answer each line of standard input, a position, with a turn."""
    module = core_module()
    if module is None:
        raise SystemExit("the native core is not built here")
    engine = NativeEngine(module, time.process_time)
    for line in sys.stdin:
        chosen, log, seconds, seed = json.loads(line)
        here = replayed(chosen, log)
        began = time.process_time()
        result = engine.think(here, Budget(seconds=seconds), seed=seed)
        spent = time.process_time() - began
        sys.stdout.write(f"{json.dumps([[*map(GAME.notation.format, result.turn)], spent, result.nodes])}\n")
        sys.stdout.flush()


def replayed(chosen: Mapping[str, str], log: Sequence[str]) -> KlopodavkaPosition:
    """Return the position after some moves."""
    here: Any = GAME.start(GAME.choose(chosen))
    for text in log:
        here = here.play(next(move for move in here.legal_moves() if GAME.notation.format(move) == text))
    assert isinstance(here, KlopodavkaPosition)
    return here


def won(builds: tuple[Build, Build], chosen: Mapping[str, str], seconds: float, number: int) -> float:
    """Play a game; return 1 if the first build has won, 0.5 if nobody has, else 0."""
    log: list[str] = []
    chance = random.Random(number // 2)
    for _ in range(_OPENING):
        log.append(GAME.notation.format(chance.choice(replayed(chosen, log).legal_moves())))
    while (here := replayed(chosen, log)).outcome is None:
        build = builds[(here.seat + number) % 2]
        log += build.turn(chosen, log, seconds, chance.randrange(2**31))
    winners = here.outcome.winners
    return (int(winners[0]) + number + 1) % 2 if len(winners) == 1 else 0.5


def interval(points: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    z, share = 1.96, points / games
    middle, half = (
        share + z * z / 2 / games,
        z * math.sqrt(share * (1 - share) / games + (z / 2 / games) ** 2),
    )
    return (middle - half) / (1 + z * z / games), (middle + half) / (1 + z * z / games)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a match, and print after each game how it stands."""
    parser = argparse.ArgumentParser(prog="python -m bench.klopodavka_builds", description=__doc__)
    parser.add_argument("folder", type=Path, help="of the other checkout, with its native core built")
    parser.add_argument("--board", default="10x10")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a turn")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument(
        "--goal", type=float, default=0.8, help="the share of games that this checkout should win"
    )
    asked = parser.parse_args(arguments)
    points = 0.0
    with Build(_HERE.parent.parent) as ours, Build(asked.folder.resolve()) as theirs:
        for number in range(asked.games):
            points += won((ours, theirs), {"board": asked.board}, asked.seconds, number)
            low, high = interval(points, number + 1)
            share = f"{points:g} of {number + 1}, {low:.0%} to {high:.0%}"
            sys.stdout.write(f"{share}; here {ours.line()}; there {theirs.line()}\n")
            sys.stdout.flush()
            if number + 1 >= _LEAST and not low <= asked.goal <= high:
                break
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        sys.exit(main())
