"""The L-game's engines: tables for the variants without points, search for the one with points, with tables near its end."""

from __future__ import annotations

from typing import Final

from engine.core import Specialist
from engine.lgame.points_engine import LPoints
from engine.lgame.puzzles import LEVELS, idea_of, puzzles
from engine.lgame.table_engine import LTables
from rules.lgame import LPosition, Move

# The tables are computed at their first use, in some 20 ms for each variant.
SPECIALIST: Final[Specialist[LPosition, Move]] = Specialist(
    lambda clock: (LTables(), LPoints(clock)), lambda options: LEVELS[options.variant], puzzles, idea_of
)
