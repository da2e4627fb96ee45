"""Each level against the one below, and level 1 against a beginner: `python -m bench.levels GAME`.

The beginner makes a ply at random six times in ten, else the one after which the board looks best to it at once. Every
opening, of some random plies after which no side wins at once, is played from each seat in turn. Where a game is solved,
openings are drawn ones, as its start is: of a won one each level would win its half.
With more than two sides, half of them play at the higher level, in every arrangement. A pair stops as soon as it is certain
whether the share lies within what is wanted: 70 to 80 % for the higher level, 35 to 50 % for level 1 against the beginner.
Of three sides one plays at the higher level, and the same odds against each other one are 54 to 67 % and 21 to 33 %.

    --against random    makes random plies
    --against beginner  as above
    --against child     Klopodavka: crushes any bug that can be crushed, else goes where an enemy is nearest
    --against greedy    Klopodavka: action by action, what leads by reach

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
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Final, TypeAlias, cast

from bench.klopodavka_rivals import Rival, child, greedy
from bench.tally import Tally, played
from engine import engines_of, levels_of
from engine.core import Budget, Engine, EngineKind, Level
from engine.generic import GenericEngine
from engine.levels import at_sight, choose_turn
from rules import GAMES
from rules.core import AnyGame, Position, Seat
from rules.klopodavka import KlopodavkaPosition

WANTED: Final = (0.70, 0.80)
"""The share of the games that the higher of two levels should win, at least and at most."""
FIRST: Final = (0.35, 0.50)
"""The share that level 1 should win against a beginner."""
RANDOM: Final = 0.6
"""The share of a beginner's plies that are random."""
OPEN: Final = "not decided"
BEGINNER: Final = "beginner"
Player: TypeAlias = Callable[[Position[Any], int, Sequence[str]], Sequence[Any]]
"""Makes plies of a turn, given the position, a seed, and the notation of the plies since its own last turn."""

RIVALS: Final[Mapping[str, Rival]] = {"child": child, "greedy": greedy}
"""Klopodavka's opponents that are no engines."""

_OPENING: Final = 4
"""Random plies before each game, at least; a turn that has begun is played to its end."""

_LONGEST: Final = 600
"""Plies after which a game counts as drawn."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two levels of a game, to be played against each other.

    Attributes:
        game: Its key.
        options: As typed.
        high: The level that should win.
        low: The level below, or the name of another opponent.
        full: Nodes of a level that has only a time.
        kind: Of the engine; None: the first that fits.
        other: Of the engine of the level below, where that is another one.
    """

    game: str
    options: Mapping[str, str]
    high: int
    low: int | str
    full: int
    kind: str | None
    other: str | None = None


def play(pairing: Pairing, opening: int) -> Tally:
    """Play an opening in each arrangement; the higher level is the first player."""
    game = GAMES[pairing.game]
    chosen = game.choose(pairing.options)
    often = game.repetitions(chosen)
    start = opened(game, chosen, opening)
    engine = _engine(game, chosen, start, pairing.kind)
    figures = levels_of(game.key, chosen)
    other = _engine(game, chosen, start, pairing.other) if pairing.other else engine
    higher = _level(game, engine, figures[pairing.high], pairing.full)
    lower = (
        _opponent(pairing.low, game)
        if isinstance(pairing.low, str)
        else _level(game, other, figures[pairing.low], pairing.full)
    )
    tally = Tally()
    for number, seats in enumerate(arrangements(game.sides(chosen))):
        here, plies = start, 0
        seen = Counter([start])
        since: dict[Seat, list[str]] = {seat: [] for side in game.sides(chosen) for seat in side}
        while here.outcome is None and plies < _LONGEST and not (often and seen[here] >= often):
            mover = here.to_move
            player = higher if mover in seats else lower
            turn = player(here, opening * 1000 + plies * 10 + number, tuple(since[mover]))
            since[mover] = []
            for ply in turn:
                for seat, plies_since in since.items():
                    if seat != mover:
                        plies_since.append(game.notation.format(ply))
                here, plies = here.play(ply), plies + 1
                seen[here] += 1
        tally.games += 1
        if here.outcome is None or here.outcome.drawn:
            tally.won += 0.5
        else:
            tally.won += here.outcome.winners[0] in seats
    return tally


def _level(game: AnyGame, engine: Engine[Any, Any], level: Level, full: int) -> Player:
    care = level.care
    nodes = full if care.nodes is None and care.depth is None else care.nodes
    counted = replace(level, care=Budget(None, nodes, care.depth))
    return lambda position, seed, last: (
        choose_turn(game, engine, position, counted, last=last, seed=seed).turn
    )


def _opponent(name: str, game: AnyGame) -> Player:
    if name in RIVALS:
        rival = RIVALS[name]
        return lambda position, seed, _: rival(cast("KlopodavkaPosition", position), 0.0, random.Random(seed))

    def ply(position: Position[Any], seed: int, _: Sequence[str]) -> Sequence[Any]:
        chance = random.Random(seed)
        moves = list(position.legal_moves())
        chance.shuffle(moves)
        if name == "random" or chance.random() < RANDOM:
            return moves[:1]
        return [max(moves, key=lambda move: at_sight(game, position, move))]

    return ply


def arrangements(sides: Sequence[Sequence[Seat]]) -> list[frozenset[Seat]]:
    """Return every half of the sides, as their seats; of three, each one."""
    return [
        frozenset(seat for side in half for seat in side) for half in combinations(sides, len(sides) // 2)
    ]


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


def verdict(tally: Tally, wanted: tuple[float, float]) -> str:
    """Return what is certain of a pair so far."""
    low, high = tally.bounds()
    if high < wanted[0]:
        return "too few"
    if low > wanted[1]:
        return "too many"
    return "as wanted" if low >= wanted[0] and high <= wanted[1] else OPEN


def _decided(game: AnyGame, chosen: Any, here: Position[Any]) -> bool:
    engine = _engine(game, chosen, here, None)
    return engine.kind is EngineKind.TABLES and engine.think(here, Budget(nodes=1)).value != 0


def _won(here: Position[Any]) -> bool:
    if here.outcome is not None:
        return False
    ends = (here.play(move).outcome for move in here.legal_moves())
    return any(end is not None and here.to_move in end.winners for end in ends)


def _engine(game: AnyGame, chosen: Any, position: Position[Any], kind: str | None) -> Engine[Any, Any]:
    for engine in engines_of(game.key):
        if engine.fits(position) and kind in {None, engine.kind.value}:
            return engine
    return GenericEngine(game.sides(chosen), game.evaluate)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play neighbours and print how often the higher one won."""
    parser = argparse.ArgumentParser(prog="python -m bench.levels", description=__doc__)
    parser.add_argument("game", choices=sorted(GAMES))
    parser.add_argument("options", nargs="*", metavar="option:value")
    parser.add_argument("--games", type=int, default=120, help="of each pair at most")
    parser.add_argument("--pairs", default="1,2,3,4,5,6,7,8", help="the higher level of each pair")
    parser.add_argument(
        "--against", choices=["random", BEGINNER, *RIVALS], help="in place of the level below"
    )
    parser.add_argument(
        "--from", type=int, default=0, dest="first", metavar="N", help="the number of the first opening"
    )
    parser.add_argument("--gap", type=int, default=1, help="how far below the other one is")
    parser.add_argument("--full", type=int, default=200_000, help="nodes of a level that has only a time")
    parser.add_argument("--kind", help="of the engine: native, python, tables or generic")
    parser.add_argument(
        "--other", help="kind of the other level's engine: `--kind python --other native --gap 0`"
    )
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=230.0, help="of each pair, after which no opening is begun"
    )
    asked = parser.parse_args(arguments)
    options = dict(option.partition(":")[::2] for option in asked.options)
    sides = GAMES[asked.game].sides(GAMES[asked.game].choose(options))
    ways, half = len(arrangements(sides)), len(sides) // 2
    openings = range(asked.first, asked.first + math.ceil(asked.games / ways))
    for high in map(int, asked.pairs.split(",")):
        low = asked.against or (BEGINNER if high == 1 else high - asked.gap)
        least, most = (
            share * half / (share * half + (1 - share) * (len(sides) - half))
            for share in (FIRST if low == BEGINNER else WANTED)
        )
        wanted = (least, most)
        if low in range(min(0, 1 - asked.gap), 1) or (low in RIVALS and asked.game != "klopodavka"):
            parser.error(f"there is no opponent {low} of {asked.game}")
        pairing = Pairing(asked.game, options, high, low, asked.full, asked.kind, asked.other)
        began = time.monotonic()
        total = Tally()
        with closing(
            played(partial(play, pairing), openings, asked.processes, began + asked.seconds)
        ) as games:
            for _, tally in games:
                total.add(tally)
                if not (asked.against or asked.other) and verdict(total, wanted) != OPEN:
                    break
        low_bound, high_bound = total.bounds()
        print(
            f"{' '.join([asked.game, *asked.options])} level {high} against {low}: {total.won:g} of {total.games},"
            f" {total.share:.0%}, at any time {low_bound:.0%} to {high_bound:.0%}"
            f"{'' if asked.against or asked.other else f': {verdict(total, wanted)}'}"
            f" ({time.monotonic() - began:.0f} s)",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
