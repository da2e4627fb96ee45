"""Klopodavka's engines on large boards, and what loading them costs: `python -m bench.klopodavka_engines sizes|load`.

The games that `bench.matches` and `bench.tune_klopodavka` play are here too: every opening, of some random actions, is
played once from each seat. Seconds are processor time, so that other programs do not shorten a search.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bench.klopodavka_rivals import Rival
from bench.tally import Tally
from engine.core import Budget, Engine
from engine.klopodavka.engine import KlopodavkaEngine, NativeEngine, PythonEngine, core_module
from rules.klopodavka import GAME, KlopodavkaPosition, Move

_OPENING: Final = 6
"""Random actions before each game: two turns of three."""

_LONGEST: Final = 235.0
"""Seconds after which no further game begins."""


def thinking(engine: Engine[KlopodavkaPosition, Move], tally: Tally | None = None, player: int = 0) -> Rival:
    """Return an engine as a rival; its nodes count as those of the first player or the second."""

    def turn(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
        result = engine.think(position, Budget(seconds=seconds), seed=chance.randrange(2**31))
        if tally is not None:
            tally.work[player] += result.nodes
        return result.turn

    return turn


def played(
    chosen: Mapping[str, str],
    players: Sequence[Rival],
    seconds: Sequence[float],
    seed: int,
    order: int,
    *,
    count: Callable[[int, float], None] = lambda _seat, _seconds: None,
) -> KlopodavkaPosition:
    """Play a game to its end; the opening follows from the seed, all other chance from the seed and the order.

    Args:
        chosen: Options, as typed.
        players: By seat.
        seconds: That each may use for a turn.
        seed: Of the opening.
        order: Another game from the same opening.
        count: Told of each turn its seat and what it took, of the processor.
    """
    here = GAME.start(GAME.choose(chosen))
    chance = random.Random(seed)
    for _ in range(_OPENING):
        if here.outcome is None:
            here = here.play(chance.choice(here.legal_moves()))
    chance = random.Random(f"{seed} {order}")
    while here.outcome is None:
        seat = here.seat
        began = time.process_time()
        turn = players[seat](here, seconds[seat], chance)
        count(seat, time.process_time() - began)
        for move in turn:
            here = here.play(move)
    return here


def game(
    chosen: Mapping[str, str],
    first: Callable[[Tally], Rival],
    second: Callable[[Tally], Rival],
    seconds: tuple[float, float],
    number: int,
) -> Tally:
    """Play one game of the first player against all others; the number gives its seat and opening."""
    tally = Tally()
    seats = GAME.seats(GAME.choose(chosen))
    mine = number % seats
    others = second(tally)
    players, times = [others] * seats, [seconds[1]] * seats
    players[mine], times[mine] = first(tally), seconds[0]
    end = played(
        chosen,
        players,
        times,
        number // seats,
        number,
        count=lambda seat, took: tally.turn(0 if seat == mine else 1, took, 0),
    )
    assert end.outcome is not None
    tally.games = 1
    tally.won = 1.0 if mine in end.outcome.winners else 0.5 if end.outcome.drawn else 0.0
    return tally


def against(
    chosen: Mapping[str, str], first: Callable[[Tally], Rival], second: Rival, seconds: float, games: int
) -> Tally:
    """Play games of one player against all others, from each seat in turn, with equal time."""
    until = time.perf_counter() + _LONGEST
    tally = Tally()
    for number in range(games):
        if time.perf_counter() > until:
            break
        tally.add(game(chosen, first, lambda _: second, (seconds, seconds), number))
    return tally


def _native() -> KlopodavkaEngine:
    module = core_module()
    if module is None:
        sys.exit("the native core is not built here")
    return NativeEngine(module, time.process_time)


def _plain() -> KlopodavkaEngine:
    return PythonEngine(time.process_time)


CLASSIC: Final = {"board": "10x10", "actions": "3"}
ENGINES: Final[Mapping[str, Callable[[], KlopodavkaEngine]]] = {"native": _native, "python": _plain}


def sizes(name: str) -> None:
    """Print how late the answers come on large boards and with many players."""
    for chosen in (
        {"preset": "tournament"},
        {"preset": "tournament", "players": "4"},
        {"preset": "tournament", "players": "10"},
        {"board": "26x30", "players": "10", "actions": "10"},
        {"variant": "hq", "board": "20x30", "actions": "10"},
    ):
        engine, chance = ENGINES[name](), random.Random(1)
        here = GAME.start(GAME.choose(chosen))
        for seconds in (0.1, 1.0):
            tally = Tally()
            turn = thinking(engine, tally)
            for _ in range(2 if seconds > 0.5 else 8):
                began = time.process_time()
                made = turn(here, seconds, chance)
                tally.turn(0, time.process_time() - began, 0)
                for move in made:
                    here = here.play(move)
                for _ in range(12):
                    if here.outcome is None:
                        here = here.play(chance.choice(here.legal_moves()))
            late = tally.longest - seconds
            words = " ".join(f"{key}:{value}" for key, value in chosen.items())
            rate = tally.work[0] / tally.seconds[0] / 1000
            _say(f"{name}, {words}, {seconds:g} s: {late * 1000:.0f} ms late at most; {rate:.0f} k nodes/s")


def load(name: str) -> None:
    """Print what a worker costs: the import, the first answer, memory after a long search."""
    code = (
        "import time, resource; t = time.perf_counter()\n"
        "from bench.klopodavka_engines import ENGINES, CLASSIC, GAME\n"
        f"engine = ENGINES[{name!r}]()\n"
        "from engine.core import Budget\n"
        "here = GAME.start(GAME.choose(CLASSIC)); loaded = time.perf_counter() - t\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "engine.think(here, Budget(nodes=1)); first = time.perf_counter() - t - loaded\n"
        "engine.think(here, Budget(seconds=3.0))\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(f'loaded in {loaded * 1000:.0f} ms, first answer in {first * 1000:.0f} ms, '\n"
        "      f'{before / 1024:.0f} MB, {after / 1024:.0f} MB after 3 s of thinking')"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    _say(f"{name}: {done.stdout.strip()}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Run one bench."""
    parser = argparse.ArgumentParser(prog="python -m bench.klopodavka_engines", description=__doc__)
    parser.add_argument("name", choices=("sizes", "load"))
    parser.add_argument("--engine", choices=tuple(ENGINES), default="native")
    chosen = parser.parse_args()
    {"sizes": sizes, "load": load}[chosen.name](chosen.engine)


if __name__ == "__main__":
    main()
