"""Puzzles: positions in which one turn alone wins by force, or does not lose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Task(StrEnum):
    """What is to be found."""

    WIN = "win"  # the turn that wins by force
    SAVE = "save"  # the turn that does not lose


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle.

    Attributes:
        task: What is to be found.
        plies: To the end: of the win; or, of what is to be escaped, the longest way to lose.
        options: The game's options as texts.
        position: In the game's notation.
    """

    task: Task
    plies: int
    options: tuple[tuple[str, str], ...]
    position: str


def write_puzzles(puzzles: Iterable[Puzzle]) -> str:
    """Puzzles as text, a line each: the task, the plies, the options, the position, with bars between."""
    return "".join(
        f"{each.task}|{each.plies}|{' '.join(f'{key}={value}' for key, value in each.options)}|{each.position}\n"
        for each in puzzles
    )


def read_puzzles(text: str) -> Sequence[Puzzle]:
    """The puzzles of such a text.

    Raises:
        ValueError: it is no such text.
    """
    found = []
    for line in text.splitlines():
        task, plies, chosen, position = line.split("|", 3)
        options = tuple((key, value) for key, _, value in (word.partition("=") for word in chosen.split()))
        found.append(Puzzle(Task(task), int(plies), options, position))
    return found
