"""The figures of the L-game's levels, by variant.

Where the tables answer, a level is set by the plies that it sees (`depth`) and by its attention; time and nodes do not
matter. The game for points is searched; its levels have nodes, so that they play the same on every machine, and seconds
only for very slow ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.core import Budget, Level
from rules.lgame.options import Variant

_ALL: Final = 400
"""More turns than a position has, except in sudden death, where the worst are left out."""
_FULL: Final = Level(Budget(seconds=2.0))


def _sees(
    plies: int, glance: int | None = None, *, attention: float = 1.0, sight: int = 1, temperature: float
) -> Level:
    """Return a level that sees no further than so many plies."""
    first = None if glance is None else Budget(depth=glance)
    return Level(Budget(depth=plies), first, attention, sight, temperature, _ALL)


def _searches(nodes: int, seconds: float, depth: int | None = None) -> Budget:
    return Budget(seconds, nodes, depth)


_CLASSIC: Final = {
    1: _sees(1, temperature=0.15),
    2: _sees(1, temperature=0.05),
    3: _sees(2, 1, attention=0.93, temperature=0.035),
    4: _sees(3, 1, attention=0.87, sight=2, temperature=0.04),
    5: _sees(4, 1, attention=0.90, sight=2, temperature=0.03),
    6: _sees(5, 1, attention=0.97, sight=2, temperature=0.03),
    7: _sees(6, 2, attention=0.99, sight=2, temperature=0.02),
    8: _FULL,
}
_SUDDEN_DEATH: Final = {
    1: _sees(1, temperature=0.15),
    2: _sees(1, temperature=0.065),
    3: _sees(2, 1, attention=0.90, temperature=0.065),
    4: _sees(3, 1, attention=0.20, sight=2, temperature=0.06),
    5: _sees(5, 2, attention=0.80, sight=2, temperature=0.06),
    6: _sees(7, 2, attention=0.95, sight=3, temperature=0.03),
    7: _sees(8, 3, attention=0.96, sight=3, temperature=0.03),
    8: _FULL,
}
_SYMMETRY: Final = {
    1: _sees(1, temperature=0.15),
    2: _sees(2, 1, attention=0.82, temperature=0.085),
    3: _sees(3, 1, attention=0.12, sight=2, temperature=0.09),
    4: _sees(4, 1, attention=0.66, sight=2, temperature=0.04),
    5: _sees(6, 2, attention=0.77, sight=2, temperature=0.03),
    6: _sees(6, 2, attention=0.97, sight=2, temperature=0.03),
    7: _sees(9, 2, attention=0.93, sight=3, temperature=0.03),
    8: _FULL,
}
_GLANCE: Final = _searches(300, 0.2, 1)
_SCORING: Final = {
    1: Level(_GLANCE, temperature=0.45, most=_ALL),
    2: Level(_GLANCE, temperature=0.20, most=_ALL),
    3: Level(_GLANCE, temperature=0.06, most=_ALL),
    4: Level(_searches(12_000, 1.0, 2), _GLANCE, attention=0.75, temperature=0.03, most=_ALL),
    5: Level(_searches(12_000, 1.0, 2), _GLANCE, attention=0.97, temperature=0.008, most=_ALL),
    6: Level(_searches(12_300, 1.2)),
    7: Level(_searches(27_000, 1.5)),
    8: _FULL,
}

LEVELS: Final[Mapping[Variant, Mapping[int, Level]]] = MappingProxyType(
    {
        Variant.CLASSIC: MappingProxyType(_CLASSIC),
        Variant.SUDDEN_DEATH: MappingProxyType(_SUDDEN_DEATH),
        Variant.SCORING: MappingProxyType(_SCORING),
        Variant.SYMMETRY: MappingProxyType(_SYMMETRY),
    }
)
"""By variant, then by level."""
