"""The figures of the eight levels, from beginner to full strength; `turn_choice` applies them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from engine.core.budget import Budget


@dataclass(frozen=True, slots=True)
class Level:
    """The figures of a level."""

    care: Budget  # the budget of its search
    glance: Budget | None = None  # the budget of its first look; None: it always looks with care
    # The chance, from 0 to 1, that it notices what care shows of a turn beyond the glance.
    attention: float = 1.0
    sight: int = 1  # plies to the end within which it overlooks nothing
    # The difference in value below which its choice is nearly random; 0: it takes the best.
    temperature: float = 0.0
    most: int = 1  # how many turns it considers
    blunders: float = 0.0  # the chance, from 0 to 1, that it makes a turn of random plies


_GLANCE: Final = Budget(seconds=0.5, nodes=400, depth=1)


def _looks_twice(nodes: int, attention: float, sight: int, temperature: float, most: int) -> Level:
    return Level(Budget(nodes=nodes, seconds=2.5), _GLANCE, attention, sight, temperature, most)


LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: _looks_twice(600, attention=0.15, sight=1, temperature=0.22, most=24),
        2: _looks_twice(1_000, attention=0.38, sight=1, temperature=0.14, most=20),
        3: _looks_twice(1_600, attention=0.57, sight=2, temperature=0.09, most=16),
        4: _looks_twice(2_500, attention=0.71, sight=2, temperature=0.06, most=12),
        5: _looks_twice(3_400, attention=0.93, sight=3, temperature=0.025, most=8),
        6: Level(Budget(nodes=4_000, seconds=3.0)),
        7: Level(Budget(nodes=18_000, seconds=3.0)),
        8: Level(Budget(seconds=3.0)),
    }
)
"""The levels of a game whose specialist names no others.

However slow the engine, no level takes longer than the next: it has no more nodes and no more seconds.
"""
