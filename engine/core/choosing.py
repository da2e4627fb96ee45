"""The turn that a level plays.

A weak level is a person, not a broken engine. It looks at moves twice: at first sight, which sees a turn or two, and
with care, as deep as its budget goes. What care would show it notices for some moves only, more seldom the weaker it
is: so it plays natural moves, takes what is to be had at once, and now and then overlooks what happens a few turns
later. Between moves that look alike to it, it does not choose the best to the last decimal.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any, TypeVar

from engine.core.contract import Engine
from engine.core.levels import Level
from engine.core.listener import SILENT, Listener
from engine.core.thought import Proof, Thought
from rules.core import Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")


def choose(
    engine: Engine[P, M], position: P, level: Level, *, seed: int = 0, listener: Listener = SILENT
) -> Thought[M]:
    """The turn that a level plays.

    Raises:
        ValueError: the game is over, or the position does not fit the engine.
    """
    if level.most == 1:
        return engine.think(position, level.care, seed=seed, listener=listener)
    chance = random.Random(f"{seed} {hash_of(position)}")  # noqa: S311 - a game, no secret
    careful = engine.ranked(position, level.care, most=level.most, seed=seed, listener=listener)
    seen: dict[tuple[M, ...], Thought[M]] = {}
    if level.glance is not None:
        glanced = engine.ranked(position, level.glance, most=2 * level.most, seed=seed, listener=listener)
        seen = {thought.turn: thought for thought in glanced}
    felt = []
    for thought in careful:
        first = seen.pop(thought.turn, thought)
        noticed = chance.random() < level.attention or _plain(thought.proof, level.sight)
        felt.append((thought, (thought if noticed else first).value))
    # What care put far behind may still look good at first sight.
    felt += [
        (thought, thought.value)
        for thought in seen.values()
        if chance.random() >= level.attention and not _plain(thought.proof, level.sight)
    ]
    return _drawn(felt, level.temperature, chance)


def hash_of(position: Position[Any]) -> str:
    """A text that tells positions apart for seeding; the same in every process."""
    return f"{position.to_move.number}.{position.plies_left}.{len(position.legal_moves())}"


def _plain(proof: Proof | None, sight: int) -> bool:
    """Whether an end is so near that it cannot be overlooked."""
    return proof is not None and proof.result != 0 and proof.plies <= sight


def _drawn(felt: list[tuple[Thought[M], float]], temperature: float, chance: random.Random) -> Thought[M]:
    """One of the turns, by how good each feels."""
    best = max(value for _, value in felt)
    if temperature <= 0:
        return next(thought for thought, value in felt if value == best)
    weights = [math.exp((value - best) / temperature) for _, value in felt]
    thought = chance.choices([thought for thought, _ in felt], weights)[0]
    return replace(thought)
