"""Breakthrough's engines: a native core and the same search in plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from engine.breakthrough.engine_base import NativeEngine, available
from engine.breakthrough.ideas import idea
from engine.breakthrough.python_engine import PythonEngine
from engine.core import Budget, Clock, Engine, Level, Specialist
from rules.breakthrough import BreakthroughPosition, Move, Options


def _engines(clock: Clock) -> Sequence[Engine[BreakthroughPosition, Move]]:
    python = PythonEngine(clock)
    return (NativeEngine(clock), python) if available() else (python,)


_CARE: Final = (
    Budget(nodes=100, depth=1, seconds=2.5),
    Budget(nodes=100, depth=1, seconds=2.5),
    Budget(nodes=300, depth=2, seconds=2.5),
    Budget(nodes=700, depth=3, seconds=2.5),
    Budget(nodes=1_500, seconds=2.5),
    Budget(nodes=3_000, seconds=2.5),
    Budget(nodes=6_000, seconds=2.5),
)
_IDEAS: Final = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0)
_GREED: Final = 8.0


def _levels(haste: Sequence[float], first: float) -> Mapping[int, Level]:
    figures = zip(_CARE, haste, (max(first, ideas) for ideas in _IDEAS), strict=True)
    weak = {number: Level(*each, _GREED) for number, each in enumerate(figures, 1)}
    return MappingProxyType({**weak, 8: Level(Budget(seconds=3.0))})


# By the squares of the board, at most. On a larger board a search tells more against a hasty turn, so its levels are
# nearer to each other in haste.
_LEVELS: Final = (
    (25, _levels((1.0, 0.94, 0.82, 0.63, 0.37, 0.08, 0.0), first=1.0)),
    (36, _levels((1.0, 0.92, 0.79, 0.58, 0.355, 0.155, 0.01), first=1.0)),
    (64, _levels((1.0, 0.83, 0.69, 0.58, 0.43, 0.28, 0.15), first=1.3)),
    (26 * 26, _levels((1.0, 0.81, 0.7, 0.59, 0.46, 0.32, 0.21), first=1.6)),
)


def _levels_for(options: Options) -> Mapping[int, Level]:
    return next(levels for most, levels in _LEVELS if len(options.grid) <= most)


SPECIALIST: Final = Specialist(_engines, _levels_for, idea=idea, without_core={8: 7})
