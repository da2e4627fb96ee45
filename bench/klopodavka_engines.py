"""Klopodavka's games of `bench.matches`: every opening, of some random actions, is played once from each seat.

Seconds are processor time, so that other programs do not shorten a search.
"""

from __future__ import annotations

import random
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


def _native() -> KlopodavkaEngine:
    module = core_module()
    if module is None:
        sys.exit("the native core is not built here")
    return NativeEngine(module, time.process_time)


def _plain() -> KlopodavkaEngine:
    return PythonEngine(time.process_time)


CLASSIC: Final = {"board": "10x10", "actions": "3"}
ENGINES: Final[Mapping[str, Callable[[], KlopodavkaEngine]]] = {"native": _native, "python": _plain}
