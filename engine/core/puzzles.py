"""Puzzles: positions in which one turn alone wins by force, or holds the draw, or holds out longest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from engine.core.search_result import GameValue, Proof

SHORTEST: Final = 3
LONGEST: Final = 15
"""Plies of a win that is a puzzle."""

FEWEST: Final = 4
"""The least number of turns to choose from."""


class Task(StrEnum):
    """What is to be found."""

    WIN = "win"  # the turn that wins by force
    SAVE = "save"  # the turn that holds the draw
    HOLD = "hold"  # the turn of a lost position that holds out longest


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle."""

    task: Task  # what is to be found
    plies: int  # to the end: of the win; or, of what is to be escaped, the longest way to lose
    options: tuple[tuple[str, str], ...]  # the game's options as texts
    position: str  # in the game's notation


def write_puzzles(puzzles: Iterable[Puzzle]) -> str:
    """Return puzzles as text, a line each: the task, the plies, the options, the position, with bars between."""
    return "".join(
        f"{each.task}|{each.plies}|{' '.join(f'{key}={value}' for key, value in each.options)}|{each.position}\n"
        for each in puzzles
    )


def read_puzzles(text: str) -> Sequence[Puzzle]:
    """Parse the text of `write_puzzles`; ValueError if it is malformed."""
    found = []
    for line in text.splitlines():
        task, plies, chosen, position = line.split("|", 3)
        options = tuple((key, value) for key, _, value in (word.partition("=") for word in chosen.split()))
        found.append(Puzzle(Task(task), int(plies), options, position))
    return found


def task_of(proofs: Sequence[Proof | None]) -> tuple[Task, int] | None:
    """Return the task of a position and its plies; None where it is no puzzle, or not all is proved.

    Args:
        proofs: The proofs of all its turns, the best turn first; None for unproved ones.
    """
    proved = [proof for proof in proofs if proof is not None]
    if len(proved) < max(FEWEST, len(proofs)):
        return None
    best, *others = proved
    if best.result is GameValue.WIN:
        alone = all(other.result is not GameValue.WIN for other in others)
        return (Task.WIN, best.plies) if alone and SHORTEST <= best.plies <= LONGEST else None
    if best.result is GameValue.DRAW and all(other.result is GameValue.LOSS for other in others):
        return Task.SAVE, max(other.plies for other in others)
    return None
