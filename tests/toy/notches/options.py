"""What can be chosen before a game of notches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.core import BadOption, Grid, Number, OneOf, Reason, Schema, Size, Square, Squares


class Setup(Reason):
    """A combination of options that cannot be played."""

    HOLE_OFF_THE_BOARD = "notches.setup.hole-off-the-board"  # square, board
    HOLE_TWICE = "notches.setup.hole-twice"  # square
    TOO_SMALL = "notches.setup.too-small"  # cells, players


@dataclass(frozen=True, slots=True)
class Options:
    """A board with holes, how many people, how many notches make a turn, and who wins."""

    board: Grid
    players: int
    cuts: int
    variant: str
    holes: tuple[Square, ...]


SCHEMA = Schema(
    options=(
        OneOf("variant", "last", ("last", "first")),
        Number("players", "3", 2, 4),
        Size("board", "5x3", (3, 26), (1, 12)),
        Number("cuts", "2", 1, 4),
        Squares("holes", ""),
    ),
    presets={
        "classic": {},
        "duel": {"players": "2", "board": "4x2", "cuts": "1"},
        "wide": {"players": "4", "board": "12x6", "holes": "c3,j4"},
    },
)


def options(chosen: Mapping[str, Any]) -> Options:
    """Options from the schema's values.

    Raises:
        BadOption: a hole that is not on the board or is named twice, or fewer cells than people.
    """
    made = Options(**chosen)
    for at, hole in enumerate(made.holes):
        if hole not in made.board:
            raise BadOption(Setup.HOLE_OFF_THE_BOARD, square=hole, board=made.board)
        if hole in made.holes[:at]:
            raise BadOption(Setup.HOLE_TWICE, square=hole)
    cells = len(made.board) - len(made.holes)
    if cells < made.players:
        raise BadOption(Setup.TOO_SMALL, cells=cells, players=made.players)
    return made
