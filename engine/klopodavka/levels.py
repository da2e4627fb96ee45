"""The figures of Klopodavka's levels. A node is a state that the search makes, of which a turn has hundreds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.core import Budget, Level

LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: Level(Budget(nodes=400), Budget(nodes=150, depth=1), attention=0.10, temperature=0.30, most=24),
        2: Level(Budget(nodes=800), Budget(nodes=150, depth=1), attention=0.30, temperature=0.12, most=20),
        3: Level(Budget(nodes=1_200), Budget(nodes=150, depth=1), attention=0.50, temperature=0.07, most=16),
        4: Level(Budget(nodes=2_000), Budget(nodes=300, depth=1), attention=0.90, temperature=0.015, most=10),
        5: Level(Budget(nodes=3_000)),
        6: Level(Budget(nodes=12_000)),
        # A quarter of the time of 8, so that plain Python, which makes some 50 000 nodes in a second, tells them apart.
        7: Level(Budget(nodes=50_000, seconds=0.75)),
        8: Level(Budget(seconds=3.0)),
    }
)
