"""The L-game's engines: tables for the variants without points, search for the one with points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.core import Clock, Engine, Idea, Level, Puzzle, SearchResult, Specialist
from engine.lgame.points_engine import LPoints
from engine.lgame.puzzles import LEVELS, idea_of, puzzles
from engine.lgame.table_engine import LTables
from rules.lgame import LPosition, Move, Options

__all__ = ["SPECIALIST", "LTables"]


class LSpecialist(Specialist[LPosition, Move]):
    """Tables for the variants that have no points, a search for the one that has, with tables near its end."""

    def build(self, clock: Clock) -> Sequence[Engine[LPosition, Move]]:
        """Return the engines; the tables are computed at their first use, in some 20 ms for each variant."""
        return (LTables(), LPoints(clock))

    def levels_for(self, options: Options) -> Mapping[int, Level]:
        return LEVELS[options.variant]

    def puzzles(self) -> Sequence[Puzzle]:
        """Return every class of classic positions that is won or lost and leaves a choice."""
        return puzzles()

    def idea(self, position: LPosition, result: SearchResult[Move]) -> Idea | None:
        return idea_of(position, result)


SPECIALIST: Final = LSpecialist()
