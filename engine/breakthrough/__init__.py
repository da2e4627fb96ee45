"""Breakthrough's engines: a native core and the same search in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.breakthrough.engine_base import NativeEngine, available
from engine.breakthrough.ideas import idea
from engine.breakthrough.python_engine import PythonEngine
from engine.core import Clock, Engine, Idea, SearchResult, Specialist
from rules.breakthrough import BreakthroughPosition, Move

__all__ = ["SPECIALIST"]


class BreakthroughSpecialist(Specialist[BreakthroughPosition, Move]):
    """A native core for boards of up to 64 squares, and plain Python for all."""

    def build(self, clock: Clock) -> Sequence[Engine[BreakthroughPosition, Move]]:
        python = PythonEngine(clock)
        return (NativeEngine(clock), python) if available() else (python,)

    def idea(self, position: BreakthroughPosition, result: SearchResult[Move]) -> Idea:
        return idea(position, result)


SPECIALIST: Final = BreakthroughSpecialist()
