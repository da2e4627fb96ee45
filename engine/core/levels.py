"""Eight levels, from a friendly beginner to full strength.

A weak level is a person, not a broken engine. It looks at moves twice: at first sight, which sees a turn or two, and
with care, as deep as its budget goes. What care would show it notices for some moves only, more seldom the weaker it
is: so it plays natural moves, takes what is to be had at once, and now and then overlooks what happens a few turns
later. Between moves that look alike to it, it does not choose the best to the last decimal.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from engine.core.budget import Budget
from engine.core.contract import SILENT, Engine, Listener
from engine.core.thought import Proof, Thought
from rules.core import Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Level:
    """The figures of a level.

    Attributes:
        care: The budget of its search.
        glance: The budget of its first sight; None: it always looks with care.
        attention: How often, from 0 to 1, it notices what care shows of a turn beyond the glance.
        sight: Plies to the end from which it overlooks nothing, for or against it.
        temperature: The difference in value that it hardly feels; 0: it feels all.
        most: How many turns it considers.
    """

    care: Budget
    glance: Budget | None = None
    attention: float = 1.0
    sight: int = 1
    temperature: float = 0.0
    most: int = 1


_GLANCE: Final = Budget(nodes=400, depth=1)

LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: Level(Budget(nodes=600), _GLANCE, attention=0.10, sight=1, temperature=0.25, most=24),
        2: Level(Budget(nodes=1_000), _GLANCE, attention=0.35, sight=1, temperature=0.15, most=20),
        3: Level(Budget(nodes=1_600), _GLANCE, attention=0.60, sight=2, temperature=0.09, most=16),
        4: Level(Budget(nodes=3_000), _GLANCE, attention=0.80, sight=2, temperature=0.05, most=12),
        5: Level(Budget(nodes=6_000), _GLANCE, attention=0.93, sight=3, temperature=0.025, most=8),
        6: Level(Budget(nodes=12_000)),
        7: Level(Budget(nodes=40_000, seconds=4.0)),
        8: Level(Budget(seconds=3.0)),
    }
)
"""What a game has unless its specialist says otherwise."""


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
