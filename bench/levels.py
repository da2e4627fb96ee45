"""Each level against the one below: `python -m bench.levels GAME`.

Every opening, of some random plies after which nobody wins at once, is played from each seat in turn. Where a game is
solved, openings are drawn ones, as its start is: of one that is won whoever plays on well, each level would win its half.
Levels that have only a time get nodes instead, so that the same games come out on every machine. A draw counts half; the
position that the rules of a match call a draw when it comes back ends a game here too.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final

from engine import engines_of, levels_of
from engine.core import Budget, Engine, EngineKind, Level, choose_turn
from engine.generic import GenericEngine
from rules import GAMES
from rules.core import AnyGame, Position

GOAL: Final = 0.65
_OPENING: Final = 4
"""Random plies before each game, at least; a turn that has begun is played to its end."""

_LONGEST: Final = 600
"""Plies after which a game counts as drawn."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """What one process is to play.

    Attributes:
        game: Its key.
        options: As typed.
        high: The level that should win.
        low: The level below.
        openings: Which.
        full: Nodes of a level that has only a time.
        kind: Of the engine that is taken; none: the first that fits.
        until: When no further opening is begun, on the monotonic clock.
    """

    game: str
    options: Mapping[str, str]
    high: int
    low: int
    openings: Sequence[int]
    full: int
    kind: str | None
    until: float


def play(pairing: Pairing) -> tuple[float, int]:
    """How many games the higher level won, and of how many."""
    game = GAMES[pairing.game]
    chosen = game.choose(pairing.options)
    often = game.repetitions(chosen)
    won, games = 0.0, 0
    for opening in pairing.openings:
        if time.monotonic() > pairing.until:
            break
        start = opened(game, chosen, opening)
        engine = _engine(game, chosen, start, pairing.kind)
        figures = levels_of(game.key, chosen)
        levels = {at: _counted(figures[at], pairing.full) for at in (pairing.high, pairing.low)}
        for side, seats in enumerate(game.sides(chosen)):
            here, plies = start, 0
            seen = Counter([start])
            while here.outcome is None and plies < _LONGEST and not (often and seen[here] >= often):
                at = pairing.high if here.to_move in seats else pairing.low
                for ply in choose_turn(
                    engine, here, levels[at], seed=opening * 1000 + plies * 10 + side
                ).turn:
                    here, plies = here.play(ply), plies + 1
                    seen[here] += 1
            games += 1
            if here.outcome is None or here.outcome.drawn:
                won += 0.5
            elif here.outcome.winners[0] in seats:
                won += 1
    return won, games


def opened(game: AnyGame, chosen: Any, opening: int) -> Position[Any]:
    """The position after some random plies; the same for the same number.

    One that ends at once would tell nothing, and one that is known to be won little; where there is no other, it serves.
    """
    spare = None
    for attempt in range(200):
        chance = random.Random(f"{opening} {attempt}")
        here: Position[Any] = game.start(chosen)
        plies = 0
        while here.outcome is None and (plies < _OPENING or here.plies_left != here.turn_length):
            here, plies = here.play(chance.choice(list(here.legal_moves()))), plies + 1
        if not (here.outcome or _won(here) or all(_won(here.play(move)) for move in here.legal_moves())):
            if not _decided(game, chosen, here):
                return here
            spare = spare or here
    if spare is None:
        raise ValueError("random plies end every game at once")
    return spare


def _decided(game: AnyGame, chosen: Any, here: Position[Any]) -> bool:
    """Whether tables know that somebody wins."""
    engine = _engine(game, chosen, here, None)
    return engine.kind is EngineKind.TABLES and engine.think(here, Budget(nodes=1)).value != 0


def _won(here: Position[Any]) -> bool:
    """Whether the seat to move wins with a single ply."""
    if here.outcome is not None:
        return False
    ends = (here.play(move).outcome for move in here.legal_moves())
    return any(end is not None and here.to_move in end.winners for end in ends)


def _engine(game: AnyGame, chosen: Any, position: Position[Any], kind: str | None) -> Engine[Any, Any]:
    for engine in engines_of(game.key):
        if engine.fits(position) and kind in {None, engine.kind.value}:
            return engine
    return GenericEngine(game.sides(chosen), game.evaluate)


def _counted(level: Level, full: int) -> Level:
    """The level without a clock."""
    care = level.care
    nodes = full if care.nodes is None and care.depth is None else care.nodes
    return replace(level, care=Budget(None, nodes, care.depth))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play neighbours and print how often the higher one won."""
    parser = argparse.ArgumentParser(prog="python -m bench.levels", description=__doc__)
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("options", nargs="*", metavar="option:value")
    parser.add_argument("--games", type=int, default=60, help="of each pair")
    parser.add_argument("--pairs", default="2,3,4,5,6,7,8", help="the higher level of each pair")
    parser.add_argument(
        "--from", type=int, default=0, dest="first", metavar="N", help="the number of the first opening"
    )
    parser.add_argument("--gap", type=int, default=1, help="how far below the other one is")
    parser.add_argument("--full", type=int, default=200_000, help="nodes of a level that has only a time")
    parser.add_argument("--kind", help="of the engine: native, python, tables or generic")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=230.0, help="of each pair, after which no opening is begun"
    )
    asked = parser.parse_args(arguments)
    options = dict(option.partition(":")[::2] for option in asked.options)
    sides = len(GAMES[asked.game].sides(GAMES[asked.game].choose(options)))
    with ProcessPoolExecutor(asked.processes) as pool:
        for high in map(int, asked.pairs.split(",")):
            openings = range(asked.first, asked.first + math.ceil(asked.games / sides))
            until = time.monotonic() + asked.seconds
            shares = [
                Pairing(
                    asked.game,
                    options,
                    high,
                    high - asked.gap,
                    openings[at :: asked.processes],
                    asked.full,
                    asked.kind,
                    until,
                )
                for at in range(asked.processes)
            ]
            began = time.perf_counter()
            results = list(pool.map(play, shares))
            won, games = sum(one for one, _ in results), sum(two for _, two in results)
            share = won / max(games, 1)
            spread = 1.96 * math.sqrt(max(share * (1 - share), 0.25 / max(games, 1)) / max(games, 1))
            verdict = "met" if share >= GOAL else "MISSED"
            print(
                f"{asked.game} {' '.join(asked.options)} level {high} against {high - asked.gap}: {won:g} of {games}, "
                f"{share:.0%} +- {spread:.0%}, goal {GOAL:.0%} {verdict} ({time.perf_counter() - began:.0f} s)",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
