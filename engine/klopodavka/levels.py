"""The figures of Klopodavka's levels. A node is a state that the search makes, of which a turn has hundreds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.core import Budget, Level

_GLANCE: Final = Budget(nodes=150, depth=1)

LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: Level(Budget(nodes=1_000), _GLANCE, attention=0.10, temperature=0.30, most=24),
        2: Level(Budget(nodes=2_000), _GLANCE, attention=0.35, temperature=0.18, most=20),
        3: Level(Budget(nodes=3_000), _GLANCE, attention=0.60, temperature=0.10, most=16),
        4: Level(Budget(nodes=5_000), _GLANCE, attention=0.80, temperature=0.05, most=12),
        5: Level(Budget(nodes=6_000)),
        6: Level(Budget(nodes=20_000)),
        7: Level(Budget(nodes=100_000, seconds=4.0)),
        8: Level(Budget(seconds=3.0)),
    }
)
