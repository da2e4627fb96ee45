"""The turn that a level plays.

A weak level looks at turns twice: at a glance, a turn or two deep, and with care, as deep as its budget goes. It notices
what care shows for some turns only, the weaker the level the fewer. So it plays natural moves, takes what is there at
once, and sometimes overlooks what happens a few turns later. Between turns of nearly equal value it chooses at random.
Where even that is too much for a beginner, a share of its turns is made of random plies.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, TypeVar

from engine.core.contract import Engine
from engine.core.levels import Level
from engine.core.search_result import SILENT, Proof, SearchListener, SearchResult
from rules.core import Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")


def choose_turn(
    engine: Engine[P, M], position: P, level: Level, *, seed: int = 0, listener: SearchListener = SILENT
) -> SearchResult[M]:
    """Return the turn that a level plays.

    Raises:
        ValueError: the game is over, or the position does not fit the engine.
    """
    if level.most == 1:
        return engine.think(position, level.care, seed=seed, listener=listener)
    chance = random.Random(f"{seed} {_seed_of(position)}")  # noqa: S311 - a game, no secret
    if level.blunders and position.outcome is None and chance.random() < level.blunders:
        turn = made_turn(position, lambda here: chance.choice(list(here.legal_moves())))
        return SearchResult(turn, 0.0, None, turn, depth=0, nodes=0, playouts=0, engine=engine.name)
    careful = engine.ranked(position, level.care, most=level.most, seed=seed, listener=listener)
    seen: dict[tuple[M, ...], SearchResult[M]] = {}
    if level.glance is not None:
        glanced = engine.ranked(position, level.glance, most=2 * level.most, seed=seed, listener=listener)
        seen = {result.turn: result for result in glanced}
    felt = []
    for result in careful:
        first = seen.pop(result.turn, result)
        noticed = chance.random() < level.attention or _plain(result.proof, level.sight)
        felt.append((result, (result if noticed else first).value))
    # What care put far behind may still look good at a glance.
    felt += [
        (result, result.value)
        for result in seen.values()
        if chance.random() >= level.attention and not _plain(result.proof, level.sight)
    ]
    return _drawn(felt, level.temperature, chance)


def made_turn(position: P, choose: Callable[[P], M]) -> tuple[M, ...]:
    """Return the turn of the seat to move as it is chosen ply by ply; it is shorter where the game ends within it."""
    turn: list[M] = []
    here = position
    while here.outcome is None and len(turn) < position.plies_left and here.to_move == position.to_move:
        turn.append(choose(here))
        here = here.play(turn[-1])
    return tuple(turn)


def _seed_of(position: Position[Any]) -> str:
    """Return a text that tells positions apart for seeding, the same in every process."""
    return f"{position.to_move.number}.{position.plies_left}.{len(position.legal_moves())}"


def _plain(proof: Proof | None, sight: int) -> bool:
    return proof is not None and proof.result != 0 and proof.plies <= sight


def _drawn(
    felt: list[tuple[SearchResult[M], float]], temperature: float, chance: random.Random
) -> SearchResult[M]:
    """Return one of the turns, drawn by how good each feels."""
    best = max(value for _, value in felt)
    if temperature <= 0:
        return next(result for result, value in felt if value == best)
    weights = [math.exp((value - best) / temperature) for _, value in felt]
    return chance.choices([result for result, _ in felt], weights)[0]
