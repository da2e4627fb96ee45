"""The figures of Klopodavka's levels. A node is a state that the search makes, of which a turn has hundreds.

Whoever looks at turns at all beats a beginner here, so the weak levels make many of theirs of random plies: with more than
two sides more of them, as what one overlooks is crushed by several. The nodes of level 7 are few enough for plain Python,
which makes some 50 000 in a second.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.core import Budget, Level


def _looks_twice(
    nodes: int, *, attention: float, temperature: float, most: int, blunders: float = 0.0
) -> Level:
    care, first = Budget(nodes=nodes, seconds=0.6), Budget(nodes=150, depth=1, seconds=0.15)
    return Level(care, first, attention, temperature=temperature, most=most, blunders=blunders)


def _beginner(blunders: float) -> Level:
    return _looks_twice(400, attention=0.10, temperature=0.30, most=24, blunders=blunders)


TWO_SIDES: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: _beginner(0.80),
        2: _beginner(0.40),
        3: _beginner(0.10),
        4: _looks_twice(900, attention=0.40, temperature=0.10, most=20),
        5: _looks_twice(2_200, attention=0.92, temperature=0.04, most=16),
        6: Level(Budget(nodes=4_000, seconds=0.75)),
        7: Level(Budget(nodes=16_000, seconds=0.75)),
        8: Level(Budget(seconds=3.0)),
    }
)
MORE_SIDES: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: _beginner(0.97),
        2: _beginner(0.70),
        3: _beginner(0.46),
        4: _beginner(0.20),
        5: _looks_twice(900, attention=0.34, temperature=0.10, most=16, blunders=0.05),
        6: _looks_twice(2_400, attention=0.90, temperature=0.025, most=12),
        7: Level(Budget(nodes=16_000, seconds=0.75)),
        8: Level(Budget(seconds=3.0)),
    }
)
