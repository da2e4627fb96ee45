"""A board as data: what stands where, who owns it, what just happened. No colours, pixels or words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from rules.core.grid import Grid, Seat, Square


class Kind(StrEnum):
    """What a piece is."""

    TILE = "tile"  # one shape over several joined cells (an L)
    DISC = "disc"  # a neutral counter
    MAN = "man"
    BUG = "bug"
    WALL = "wall"  # a crushed bug: belongs to its crusher for ever


class Zone(StrEnum):
    """What is special about cells, empty or not."""

    PAINTED = "painted"  # scores points
    BASE = "base"  # where a seat began
    HEADQUARTERS = "headquarters"
    GOAL = "goal"  # the cells a seat must reach


class Sign(StrEnum):
    """What a mark points out."""

    LEFT = "left"  # last turn: a piece left this cell
    ENTERED = "entered"  # last turn: a piece came to this cell
    CRUSHED = "crushed"  # last turn: something was taken here
    PICKED = "picked"  # part of the move being made
    CANDIDATE = "candidate"  # can be chosen now; the mark's label matches the button


TURN: Final = frozenset({Sign.LEFT, Sign.ENTERED, Sign.CRUSHED})
"""The signs of the last turn, or of a planned one."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that stands on the board: its cells, and its owner (None: neutral)."""

    kind: Kind
    cells: tuple[Square, ...]
    owner: Seat | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """Cells with a special meaning, and their owner, if they have one."""

    zone: Zone
    cells: tuple[Square, ...]
    owner: Seat | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign on a square; a label is what stands on the matching button, at most 3 characters."""

    sign: Sign
    square: Square
    label: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A piece went from one square to another in the last turn; with a label, in those turns that its letters stand for."""

    start: Square
    end: Square
    label: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    """All there is to see of a position."""

    grid: Grid  # the size of the board
    pieces: tuple[Piece, ...]  # each cell belongs to at most one piece
    areas: tuple[Area, ...] = ()  # under the pieces; areas may overlap
    marks: tuple[Mark, ...] = ()  # over the pieces
    arrows: tuple[Arrow, ...] = ()  # of the last turn, or of those to choose from
    planned: bool = False  # what is marked as the last turn is a preview, not yet played
    joined_files: bool = False  # the left and right edges are one (cylinder, torus)
    joined_ranks: bool = False  # the bottom and top edges are one (torus)
    out: frozenset[Seat] = field(default_factory=frozenset)  # seats that play no more
    scores: tuple[int, ...] = ()  # points by seat, or nothing
    # The board as the last move left it, where the rules then moved pieces: it is shown above.
    first: Diagram | None = None

    def at(self, square: Square) -> Piece | None:
        """The piece on a square."""
        return next((piece for piece in self.pieces if square in piece.cells), None)
