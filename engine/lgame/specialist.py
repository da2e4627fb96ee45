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


def _glance(plies: int) -> Budget:
    """A first sight."""
    return Budget(0.3, 1000 * plies, plies)


class LSpecialist(Specialist[LPosition, Move]):
    """Tables for the variants that have no points, and a search for the one that has."""

    game = "lgame"
    levels: Mapping[int, Level] = MappingProxyType(
        {
            # What a level sees is counted in plies. The tables need no time; the seconds are for the game for points.
            1: Level(Budget(0.2, 300, 1), sight=0, attention=0.5, temperature=0.40, most=400),
            2: Level(Budget(0.3, 800, 1), temperature=0.16, most=400),
            3: Level(Budget(0.4, 1500, 2), _glance(1), attention=0.75, temperature=0.12, most=400),
            4: Level(Budget(0.6, 3000, 3), _glance(1), attention=0.90, temperature=0.07, most=400),
            5: Level(Budget(0.8, 6000, 4), _glance(1), attention=0.94, temperature=0.045, most=400),
            6: Level(
                Budget(1.0, 15_000, 5), _glance(2), attention=0.98, sight=3, temperature=0.035, most=400
            ),
            7: Level(
                Budget(1.5, 60_000, 7), _glance(3), attention=0.992, sight=3, temperature=0.025, most=60
            ),
            8: Level(_FULL),
        }
    )

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
