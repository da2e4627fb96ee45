"""What Breakthrough has of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.breakthrough.compiled import NativeEngine, available
from engine.breakthrough.ideas import idea
from engine.breakthrough.python import PythonEngine
from engine.core import Clock, Engine, Idea, Specialist, Thought
from rules.breakthrough import BreakthroughPosition, Move


class BreakthroughSpecialist(Specialist[BreakthroughPosition, Move]):
    """A native core for boards of up to 64 squares, and plain Python for all."""

    game = "breakthrough"

    def build(self, clock: Clock) -> Sequence[Engine[BreakthroughPosition, Move]]:
        """The native core, if it was built, before plain Python."""
        python = PythonEngine(clock)
        return (NativeEngine(clock), python) if available() else (python,)

    def idea(self, position: BreakthroughPosition, thought: Thought[Move]) -> Idea:
        """What a step is good for."""
        return idea(position, thought)


SPECIALIST: Final = BreakthroughSpecialist()
