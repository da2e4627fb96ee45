"""What the L-game has of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from engine.core import Budget, Clock, Engine, Idea, Kind, Level, Specialist, Thought
from engine.generic import Generic
from engine.lgame.ideas import idea_of
from engine.lgame.points import evaluate
from engine.lgame.tables import LTables
from rules.core import Seat
from rules.lgame import LPosition, Move

_FULL: Final = Budget(seconds=2.0)


class LSpecialist(Specialist[LPosition, Move]):
    """Tables for the variants that have no points, and a search for the one that has."""

    game = "lgame"
    levels: Mapping[int, Level] = MappingProxyType({})

    def build(self, clock: Clock) -> Sequence[Engine[LPosition, Move]]:
        """The tables are worked out when they are first asked, in some 20 ms for each variant."""
        points: Generic[LPosition, Move] = Generic(
            ((Seat.S1,), (Seat.S2,)), evaluate, clock, name="lpoints", kind=Kind.PYTHON
        )
        return (LTables(), points)

    def idea(self, position: LPosition, thought: Thought[Move]) -> Idea | None:
        """The strategy of a turn."""
        return idea_of(position, thought)


SPECIALIST: Final = LSpecialist()
