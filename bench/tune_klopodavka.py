"""Finds the weights of Klopodavka's evaluation by self-play: `python -m bench.tune_klopodavka --games 400`.

The native core plays itself with a few thousand nodes a turn from random openings. The numbers of every position at the
beginning of a turn are kept with who won, and logistic regression finds the weights that foretell it best. Repeat with
what it wrote: better weights play better games. `--against` tells whether they do.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.klopodavka_engines import CLASSIC, against
from bench.klopodavka_rivals import Rival
from bench.tally import Tally
from engine.core import Budget
from engine.klopodavka.evaluation import Weights, weights
from engine.klopodavka.features import LOGARITHMS, Feature, rows
from engine.klopodavka.natively import NativeEngine, core_module
from engine.klopodavka.state import State
from rules.klopodavka import GAME, KlopodavkaPosition, Move

_CAUTION: Final = 3.0
"""How strongly weights are drawn to nothing, against chance in few games."""

_UNTAUGHT: Final = (Feature.HELD,)
"""What these games cannot teach: it keeps its weights."""

Sample = tuple[float, list[float], list[float], bool]
"""How full the board is, the numbers of who moves and of who waits, and whether who moves won."""


def engine(by: Weights) -> NativeEngine:
    """The native engine with some weights."""
    module = core_module()
    if module is None:
        sys.exit("the native core is not built here")
    return NativeEngine(module, by=by)


def samples(by: Weights, games: int, nodes: int, seed: int) -> list[Sample]:
    """What was seen in some games."""
    player, found = engine(by), []
    for game in range(games):
        chance = random.Random(f"{seed} {game}")
        here: KlopodavkaPosition = GAME.start(GAME.choose(CLASSIC))
        for _ in range(3 * chance.randrange(1, 8)):
            if here.outcome is None:
                here = here.play(chance.choice(here.legal_moves()))
        seen: list[tuple[int, float, list[float], list[float]]] = []
        while here.outcome is None:
            state = State.of(here)
            taken = (here.standing.live | here.standing.stones).bit_count()
            both = [_numbers(row) for row in rows(state) if row is not None]
            seen.append((here.seat, taken / state.field.cells, both[here.seat], both[1 - here.seat]))
            for move in player.think(here, Budget(nodes=nodes), seed=chance.randrange(2**31)).turn:
                here = here.play(move)
        winner = here.outcome.winners[0]
        found += [(full, moving, waiting, seat == winner) for seat, full, moving, waiting in seen]
    return found


def _numbers(row: Sequence[int]) -> list[float]:
    return [float(np.log1p(number)) if at in LOGARITHMS else number for at, number in enumerate(row)]


def fitted(seen: Sequence[Sample]) -> dict[str, dict[str, list[float]]]:
    """The table of weights that foretells best who wins, by Newton's method."""
    full = np.array([sample[0] for sample in seen])[:, None]
    moving, waiting = (np.array([sample[at] for sample in seen], dtype=float) for at in (1, 2))
    won = np.array([sample[3] for sample in seen], dtype=float)
    numbers = np.concatenate([moving, moving * full, -waiting, -waiting * full], axis=1)
    scale = numbers.std(axis=0)
    constant = scale < 1e-9
    scaled = numbers / np.where(constant, 1.0, scale)
    found: Any = np.zeros(scaled.shape[1])
    for _ in range(30):
        chances = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (chances - won) + _CAUTION * found
        bend = (scaled * (chances * (1 - chances))[:, None]).T @ scaled + _CAUTION * np.eye(len(found))
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    chances = 1 / (1 + np.exp(-scaled @ found))
    surprise = -np.mean(np.log(np.where(won > 0, chances, 1 - chances) + 1e-12))
    sys.stdout.write(f"{len(seen)} positions, surprise {surprise:.4f}\n")
    table = np.where(constant, 0.0, found / np.where(constant, 1.0, scale)).reshape(4, len(Feature))
    made = {}
    for feature in Feature:
        one, more, other, further = (float(row[feature]) for row in table)
        made[feature.name.lower()] = {
            "moving": [round(one, 4), round(one + more, 4)],
            "waiting": [round(other, 4), round(other + further, 4)],
        }
    return made


def written(table: dict[str, dict[str, list[float]]], kept: dict[str, dict[str, list[float]]]) -> str:
    """The file of a table; what was not taught is kept."""
    for feature in _UNTAUGHT:
        table[feature.name.lower()] = kept[feature.name.lower()]
    return "{\n" + ",\n".join(f'  "{name}": {json.dumps(pair)}' for name, pair in table.items()) + "\n}\n"


def player(by: Weights, nodes: int) -> Rival:
    """An engine with some weights that has so many nodes a turn, whatever the time."""
    playing = engine(by)

    def turn(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
        del seconds
        return playing.think(position, Budget(nodes=nodes), seed=chance.randrange(2**31)).turn

    return turn


def main() -> None:
    """Play, fit, write, compare."""
    parser = argparse.ArgumentParser(prog="python -m bench.tune_klopodavka", description=__doc__)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=3_000, help="of each turn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", type=Path, help="play with these, not with the package's")
    parser.add_argument("--out", type=Path, default=Path("weights.json"))
    parser.add_argument("--against", type=int, default=60, help="games of the new weights against the old")
    chosen = parser.parse_args()
    by = Weights.read(chosen.weights.read_text(encoding="utf-8")) if chosen.weights else weights()
    kept = {feature.name.lower(): {"moving": [0.0, 0.0], "waiting": [0.0, 0.0]} for feature in _UNTAUGHT}
    for whose, pairs in (("moving", by.moving), ("waiting", by.waiting)):
        for feature in _UNTAUGHT:
            empty, more = pairs[feature]
            kept[feature.name.lower()][whose] = [empty, empty + more]
    text = written(fitted(samples(by, chosen.games, chosen.nodes, chosen.seed)), kept)
    chosen.out.write_text(text, encoding="utf-8")
    if chosen.against:
        new, old = player(Weights.read(text), chosen.nodes), player(by, chosen.nodes)
        tally: Tally = against(CLASSIC, lambda _: new, old, 0.0, chosen.against)
        sys.stdout.write(f"new against old: {tally.won:g} of {tally.games}\n")


if __name__ == "__main__":
    main()
