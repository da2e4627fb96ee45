"""The L-game's engines: solved where there are no points, searched where there are."""

from engine.lgame.specialist import SPECIALIST
from engine.lgame.tables import LTables

__all__ = ["SPECIALIST", "LTables"]
