"""Puzzles: positions in which one turn alone wins by force, or does not lose, or holds out longest."""

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

HOPELESS: Final = -0.5
"""The value at or above which a guess counts as saved."""


class Task(StrEnum):
    """What is to be found."""

    WIN = "win"  # the turn that wins by force
    SAVE = "save"  # the turn that does not lose
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


def task_of(proofs: Sequence[Proof | None], *, whole: bool, alike: int = 0) -> tuple[Task, int] | None:
    """Return the task of a position and its plies; None where it is no puzzle.

    Args:
        proofs: The proofs of its turns, the best turn first; None for unproved ones.
        whole: Whether those are all the turns there are; otherwise it is unknown whether only one does not lose.
        alike: How many other turns may win too: many turns of several plies come to the same.
    """
    best, *others = proofs
    if len(proofs) < FEWEST:
        return None
    if best and best.result is GameValue.WIN:
        winning = sum(bool(other and other.result is GameValue.WIN) for other in others)
        return (Task.WIN, best.plies) if winning <= alike and SHORTEST <= best.plies <= LONGEST else None
    lost = [other.plies for other in others if other and other.result is GameValue.LOSS]
    if whole and len(lost) == len(others) and not (best and best.result is GameValue.LOSS):
        return Task.SAVE, max(lost)
    return None


def hopeless(value: float, proof: Proof | None) -> bool:
    """Return whether the best turn of a position loses, by proof or by its value: then nothing saves it."""
    return value < HOPELESS if proof is None else proof.result is GameValue.LOSS
