"""The contract of everything that searches: see docs/adding-an-engine.md."""

from engine.core.budget import Budget, BudgetExhausted, Clock, Meter
from engine.core.contract import Engine, EngineKind, Idea, Specialist
from engine.core.levels import LEVELS, Level
from engine.core.puzzles import (
    FEWEST,
    LONGEST,
    SHORTEST,
    Puzzle,
    Task,
    read_puzzles,
    task_of,
    write_puzzles,
)
from engine.core.search_result import SILENT, GameValue, Proof, SearchListener, SearchResult, value_of
from engine.core.turn_choice import choose_turn, made_turn

__all__ = [
    "FEWEST",
    "LEVELS",
    "LONGEST",
    "SHORTEST",
    "SILENT",
    "Budget",
    "BudgetExhausted",
    "Clock",
    "Engine",
    "EngineKind",
    "GameValue",
    "Idea",
    "Level",
    "Meter",
    "Proof",
    "Puzzle",
    "SearchListener",
    "SearchResult",
    "Specialist",
    "Task",
    "choose_turn",
    "made_turn",
    "read_puzzles",
    "task_of",
    "value_of",
    "write_puzzles",
]
