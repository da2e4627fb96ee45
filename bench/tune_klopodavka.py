"""Finds the weights of Klopodavka's evaluation by self-play: `python -m bench.tune_klopodavka --games 400`.

The native core plays itself with a few thousand nodes a turn from random openings. The numbers of every position at the
beginning of a turn are kept with who won, and logistic regression finds the weights that foretell it best. Repeat with
what it wrote: better weights play better games. `--against` tells whether they do. Options choose the kind of game that
the weights are for: a variant, and two sides or more.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.klopodavka_engines import CLASSIC, against
from bench.klopodavka_rivals import Rival, greedy
from bench.tally import Tally
from engine.core import Budget
from engine.klopodavka.engine import NativeEngine, core_module
from engine.klopodavka.evaluation import FILE, Feature, FeatureWeights, Table, kinds, measure, rows
from engine.klopodavka.state import SearchState
from rules.klopodavka import GAME, KlopodavkaPosition, Move

_CAUTION: Final = 3.0
"""How strongly weights are drawn to those before, against chance in few games."""

Sample = tuple[list[list[float]], int]
"""The numbers of each side that is still in, as the table of weights has them, and at which place the one that won is."""


def engine(by: FeatureWeights) -> NativeEngine:
    """The native engine with some weights."""
    module = core_module()
    if module is None:
        sys.exit("the native core is not built here")
    return NativeEngine(module, by=by)


def samples(
    by: FeatureWeights, asked: argparse.Namespace, all_chosen: Sequence[Mapping[str, str]]
) -> list[Sample]:
    """What was seen in some games, of some kinds in turn; in a drawn one, nothing."""
    player, found = engine(by), []
    for game in range(asked.games):
        chance = random.Random(f"{asked.seed} {game}")
        here: KlopodavkaPosition = GAME.start(GAME.choose(all_chosen[game % len(all_chosen)]))
        for _ in range(here.turn_length * chance.randrange(1, 8)):
            if here.outcome is None:
                here = here.play(chance.choice(here.legal_moves()))
        simple = {seat for seat in range(len(here.ruleset.side)) if chance.random() < asked.greedy}
        seen: list[dict[int, list[float]]] = []
        while here.outcome is None:
            seen.append(_sides(SearchState.of(here)))
            if here.seat in simple:
                turn = greedy(here, 0.0, chance)
            else:
                turn = player.think(here, Budget(nodes=asked.nodes), seed=chance.randrange(2**31)).turn
            for move in turn:
                here = here.play(move)
        if here.outcome.winners:
            winner = here.ruleset.side[here.outcome.winners[0]]
            found += [([*sides.values()], [*sides].index(winner)) for sides in seen if winner in sides]
    return found


def _sides(state: SearchState) -> dict[int, list[float]]:
    """For each side that is in, the numbers of who moves, the same times how full the board is, and both of who waits."""
    cells = state.field.cells
    full = (state.occupancy.live | state.occupancy.stones).bit_count() / cells
    side, many = state.field.ruleset.side, len(Feature)
    found: dict[int, list[float]] = {}
    for seat, row in enumerate(rows(state)):
        if row is None:
            continue
        into = found.setdefault(side[seat], [0.0] * 4 * many)
        start = 0 if seat == state.seat else 2 * many
        for at, number in enumerate(row):
            worth = measure(at, number, cells)
            into[start + at] += worth
            into[start + many + at] += worth * full
    return found


def fitted(seen: Sequence[Sample], before: FeatureWeights) -> Table:
    """The table of weights that foretells best which side wins, not far from those before, by Newton's method.

    What the games cannot teach, since it never differs, keeps its weights.
    """
    most = max(len(sides) for sides, _ in seen)
    absent_side = [0.0] * 4 * len(Feature)
    numbers = np.array([sides + [absent_side] * (most - len(sides)) for sides, _ in seen], dtype=float)
    absent = np.array([[at >= len(sides) for at in range(most)] for sides, _ in seen])
    won = np.array([winner for _, winner in seen])
    at = np.arange(len(won))
    scale = (numbers - numbers.mean(axis=1, keepdims=True)).std(axis=(0, 1))
    constant = scale < 1e-9
    scale = np.where(constant, 1.0, scale)
    scaled = numbers / scale
    prior = np.array(_flat(before)) * scale

    def foretold(weights: Any) -> Any:
        """The chances of each side."""
        worth = np.where(absent, -np.inf, scaled @ weights)
        chances = np.exp(worth - worth.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    def cost(weights: Any) -> float:
        missed = -np.log(foretold(weights)[at, won] + 1e-300).sum()
        return float(missed + _CAUTION / 2 * ((weights - prior) ** 2).sum())

    found, now = prior, cost(prior)
    for _ in range(60):
        chances = foretold(found)
        mean = np.einsum("ns,nsd->nd", chances, scaled)
        slope = (mean - scaled[at, won]).sum(axis=0) + _CAUTION * (found - prior)
        spread = np.einsum("ns,nsd,nse->de", chances, scaled, scaled, optimize=True) - mean.T @ mean
        step = np.linalg.solve(spread + _CAUTION * np.eye(len(found)), slope)
        # A whole step may go too far.
        while (after := cost(found - step)) > now and np.abs(step).max() > 1e-6:
            step /= 2
        if now - after < 1e-6 * len(won):
            break
        found, now = found - step, after
    surprise = -np.mean(np.log(foretold(found)[at, won] + 1e-12))
    before_ = -np.mean(np.log(foretold(prior)[at, won] + 1e-12))
    sys.stdout.write(f"{len(seen)} positions, surprise {before_:.4f} before, {surprise:.4f} now\n")
    table = np.where(constant, prior, found).reshape(4, len(Feature)) / scale.reshape(4, len(Feature))
    made = {}
    for feature in Feature:
        one, more, other, further = (float(row[feature]) for row in table)
        made[feature.name.lower()] = {
            "moving": [round(one, 4), round(one + more, 4)],
            "waiting": [round(other, 4), round(other + further, 4)],
        }
    return made


def _flat(by: FeatureWeights) -> list[float]:
    """Weights in the order of `_sides`."""
    return [pair[part] for pairs in (by.moving, by.waiting) for part in (0, 1) for pair in pairs]


def written(tables: Mapping[str, Table]) -> str:
    """The file of some tables."""
    parts = []
    for kind, table in tables.items():
        lines = ",\n".join(f'    "{name}": {json.dumps(pair)}' for name, pair in table.items())
        parts.append(f'  "{kind}": {{\n{lines}\n  }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def player(by: FeatureWeights, nodes: int) -> Rival:
    """Return an engine with some weights and so many nodes a turn."""
    playing = engine(by)

    def turn(position: KlopodavkaPosition, seconds: float, chance: random.Random) -> Sequence[Move]:
        del seconds
        return playing.think(position, Budget(nodes=nodes), seed=chance.randrange(2**31)).turn

    return turn


def main() -> None:
    """Play, fit, write, compare."""
    parser = argparse.ArgumentParser(prog="python -m bench.tune_klopodavka", description=__doc__)
    parser.add_argument("options", nargs="*", metavar="option:value", help="besides 10x10 and three actions")
    parser.add_argument("--players", default="2", help="one number after the other, with commas")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=3_000, help="of each turn")
    parser.add_argument(
        "--greedy", type=float, default=0.0, help="how often a seat is given to a greedy player"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", type=Path, default=FILE, help="begin with these")
    parser.add_argument("--out", type=Path, default=Path("weights.json"))
    parser.add_argument("--against", type=int, default=60, help="games of the new weights against the old")
    asked = parser.parse_args()
    options = dict(option.partition(":")[::2] for option in asked.options)
    all_chosen = [{**CLASSIC, **options, "players": players} for players in asked.players.split(",")]
    rulesets = [GAME.start(GAME.choose(chosen)).ruleset for chosen in all_chosen]
    if len({kinds(ruleset) for ruleset in rulesets}) > 1:
        parser.error("two sides and more have weights of their own")
    kind = kinds(rulesets[0])[0]
    tables = json.loads(asked.weights.read_text(encoding="utf-8"))
    known = next(name for name in kinds(rulesets[0]) if name in tables)
    by = FeatureWeights.of(tables[known])
    table = fitted(samples(by, asked, all_chosen), by)
    asked.out.write_text(written({**tables, kind: table}), encoding="utf-8")
    new, old = player(FeatureWeights.of(table), asked.nodes), player(by, asked.nodes)
    for chosen in all_chosen if asked.against else []:
        tally: Tally = against(chosen, lambda _: new, old, 0.0, asked.against)
        sys.stdout.write(f"{kind}, {chosen['players']} players, {tally.line(('new', 'old'))}\n")


if __name__ == "__main__":
    main()
