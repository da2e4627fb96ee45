"""The contract of everything that searches: see docs/adding-an-engine.md."""

from engine.core.budget import Budget, Clock, Meter, Spent
from engine.core.choosing import choose
from engine.core.contract import Engine, Idea, Kind, Specialist
from engine.core.levels import LEVELS, Level
from engine.core.listener import SILENT, Listener
from engine.core.puzzles import (
    LONGEST,
    SHORTEST,
    Puzzle,
    Task,
    hopeless,
    read_puzzles,
    task_of,
    write_puzzles,
)
from engine.core.thought import Proof, Result, Thought, turn_of

__all__ = [
    "LEVELS",
    "LONGEST",
    "SHORTEST",
    "SILENT",
    "Budget",
    "Clock",
    "Engine",
    "Idea",
    "Kind",
    "Level",
    "Listener",
    "Meter",
    "Proof",
    "Puzzle",
    "Result",
    "Specialist",
    "Spent",
    "Task",
    "Thought",
    "choose",
    "hopeless",
    "read_puzzles",
    "task_of",
    "turn_of",
    "write_puzzles",
]
