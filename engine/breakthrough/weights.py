"""The file of weights, for plain Python and the native core."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("weights.json")

BRICKS: Final = 3**6
BRICK_RANKS: Final = 7
BRICK_FILES: Final = 3
CROSSES: Final = 3**5
CROSS_RANKS: Final = 8
CROSS_FILES: Final = 4

SHIFT: Final = 3
"""Weights are so many bits finer than scores."""

LOGIT: Final = 128
"""The score that multiplies the odds of winning by e."""

MOST: Final = 12000
"""The largest score of a guess."""

_LINE: Final = 81  # numbers in a line of the file


@dataclass(frozen=True, slots=True)
class PatternWeights:
    """What each pattern adds to a score, for one kind of game; learned by `bench/tune_breakthrough.py`."""

    # Patterns of three files by two ranks, for 7 places of the ranks and 3 of the files.
    bricks: tuple[int, ...]
    # Patterns of a cell and the four diagonally beside it, for 8 places of the rank and 4 of the file.
    crosses: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.bricks) != BRICK_RANKS * BRICK_FILES * BRICKS:
            raise ValueError("bricks of another number")
        if len(self.crosses) != CROSS_RANKS * CROSS_FILES * CROSSES:
            raise ValueError("crosses of another number")


KINDS: Final = ("classic", "classic 8x8", "misere", "misere 8x8")
"""The kinds that have weights: each variant, and each on the most played board."""


def kind(variant: str, files: int, ranks: int) -> str:
    """Return the kind of weights of a board."""
    own = f"{variant} {files}x{ranks}"
    return own if own in KINDS else variant


@cache
def weights(kind: str) -> PatternWeights:
    """Return the weights of one of the kinds."""
    found = json.loads(FILE.read_text(encoding="ascii"))[kind]
    return PatternWeights(tuple(found["bricks"]), tuple(found["crosses"]))


def write(found: dict[str, PatternWeights], to: Path = FILE) -> None:
    """Write the file, some numbers a line, so that a diff can be read."""
    parts = []
    for kind, of in found.items():
        kinds = (
            f'  "bricks": [\n{_lines(of.bricks)}\n  ],\n',
            f'  "crosses": [\n{_lines(of.crosses)}\n  ]\n',
        )
        parts.append(f'"{kind}": {{\n{"".join(kinds)}}}')
    to.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="ascii")


def _lines(numbers: Sequence[int]) -> str:
    rows = (numbers[at : at + _LINE] for at in range(0, len(numbers), _LINE))
    return ",\n".join(",".join(map(str, row)) for row in rows)


def from_ends(at: int, places: int, classes: int) -> int:
    """Return a place counted from the nearer of two ends, so that boards of all sizes share weights."""
    cap = (classes - 1) // 2
    return min(at, cap) if 2 * at < places - 1 else classes - 1 - min(places - 1 - at, cap)
