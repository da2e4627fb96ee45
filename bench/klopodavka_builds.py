"""Klopodavka's native engine against that of another checkout: `python -m bench.klopodavka_builds DIRECTORY`.

Each plays in a process of its own, from its own folder, and both in turns; seconds are processor time, so that other
programs do not shorten a search. Every opening, of six random actions, is played from both seats. The match ends early
once the goal is outside `Tally.bounds`, an interval that may be looked at after each game.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from engine.core import Budget
from engine.klopodavka.engine import NativeEngine, core_module
from rules.klopodavka import GAME, KlopodavkaPosition

if TYPE_CHECKING:
    from bench.tally import Tally


_OPENING: Final = 6
"""Random actions before each game."""

_HERE: Final = Path(__file__).resolve()


class Build:
    """The engine of a checkout, in a process of its own."""

    def __init__(self, folder: Path) -> None:
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

    def turn(
        self, chosen: Mapping[str, str], log: Sequence[str], seconds: float, seed: int
    ) -> tuple[list[str], float, int]:
        """Return the turn that it plays after these moves, the processor's seconds that took, and the nodes searched."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps([chosen, log, seconds, seed])}\n")
        self._process.stdin.flush()
        turn, spent, nodes = json.loads(self._process.stdout.readline())
        return list(turn), spent, nodes


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


def play(
    builds: tuple[Build, Build], chosen: Mapping[str, str], seconds: float, number: int, tally: Tally
) -> None:
    """Play a game and count it: a draw is half a game won."""
    log: list[str] = []
    chance = random.Random(number // 2)
    for _ in range(_OPENING):
        log.append(GAME.notation.format(chance.choice(replayed(chosen, log).legal_moves())))
    while (here := replayed(chosen, log)).outcome is None:
        player = (here.seat + number) % 2
        turn, spent, nodes = builds[player].turn(chosen, log, seconds, chance.randrange(2**31))
        tally.turn(player, spent, nodes)
        log += turn
    winners = here.outcome.winners
    tally.games += 1
    tally.won += (int(winners[0]) + number + 1) % 2 if len(winners) == 1 else 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a match, and print after each game how it stands."""
    from bench.tally import Tally  # noqa: PLC0415 - the engine's process has the modules of its own checkout

    parser = argparse.ArgumentParser(prog="python -m bench.klopodavka_builds", description=__doc__)
    parser.add_argument("folder", type=Path, help="of the other checkout, with its native core built")
    parser.add_argument("--board", default="10x10")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a turn")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument(
        "--goal", type=float, default=0.8, help="the share of games that this checkout should win"
    )
    asked = parser.parse_args(arguments)
    tally = Tally()
    with Build(_HERE.parent.parent) as ours, Build(asked.folder.resolve()) as theirs:
        for number in range(asked.games):
            play((ours, theirs), {"board": asked.board}, asked.seconds, number, tally)
            low, high = tally.bounds()
            sys.stdout.write(f"{tally.line(('here', 'there'), asked.goal)}; {low:.0%} to {high:.0%}\n")
            sys.stdout.flush()
            if not low <= asked.goal <= high:
                break
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        sys.exit(main())
