"""Breakthrough's engines: a native core and the same search in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.breakthrough.engine_base import NativeEngine, available
from engine.breakthrough.ideas import idea
from engine.breakthrough.python_engine import PythonEngine
from engine.core import Clock, Engine, Specialist
from rules.breakthrough import BreakthroughPosition, Move


def _engines(clock: Clock) -> Sequence[Engine[BreakthroughPosition, Move]]:
    python = PythonEngine(clock)
    return (NativeEngine(clock), python) if available() else (python,)


SPECIALIST: Final = Specialist(_engines, idea=idea)
