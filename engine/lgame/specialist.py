"""What the L-game has of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.core import Clock, Engine, Idea, Level, Specialist, Thought
from engine.lgame.ideas import idea_of
from engine.lgame.levels import LEVELS
from engine.lgame.scoring import LPoints
from engine.lgame.tables import LTables
from rules.lgame import LPosition, Move, Options


class LSpecialist(Specialist[LPosition, Move]):
    """Tables for the variants that have no points, a search for the one that has, with tables near its end."""

    game = "lgame"

    def build(self, clock: Clock) -> Sequence[Engine[LPosition, Move]]:
        """The tables are worked out when they are first asked, in some 20 ms for each variant."""
        return (LTables(), LPoints(clock))

    def levels_for(self, options: Options) -> Mapping[int, Level]:
        """Each variant has its own."""
        return LEVELS[options.variant]

    def idea(self, position: LPosition, thought: Thought[Move]) -> Idea | None:
        """The strategy of a turn."""
        return idea_of(position, thought)


SPECIALIST: Final = LSpecialist()
