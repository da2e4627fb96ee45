"""Boards whose edges may be joined, and how far apart things stand on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from rules.core import Grid, Square


class Topology(StrEnum):
    """Which edges of the board are joined."""

    PLANE = "plane"
    CYLINDER = "cylinder"  # left and right
    TORUS = "torus"  # left and right, bottom and top

    @property
    def joined_files(self) -> bool:
        """Whether the last file is followed by the first."""
        return self is not Topology.PLANE

    @property
    def joined_ranks(self) -> bool:
        """Whether the last rank is followed by the first."""
        return self is Topology.TORUS


@dataclass(frozen=True, slots=True)
class BoardShape:
    """A board: its size and its topology."""

    grid: Grid
    topology: Topology = Topology.PLANE

    def around(self, square: Square) -> Iterator[Square]:
        """The cells that touch a cell by a side or a corner, each once."""
        files = _near(square.file, self.grid.files, joined=self.topology.joined_files)
        ranks = _near(square.rank, self.grid.ranks, joined=self.topology.joined_ranks)
        return (Square(f, r) for r in ranks for f in files if (f, r) != square)


@dataclass(frozen=True, slots=True, order=True)
class Block:
    """A rectangle of cells by its first file and rank; it may run over a joined edge."""

    file: int
    rank: int
    files: int = 1
    ranks: int = 1

    def cells(self, grid: Grid) -> tuple[Square, ...]:
        """The cells, along the ranks."""
        return tuple(
            Square(file % grid.files, rank % grid.ranks)
            for rank in range(self.rank, self.rank + self.ranks)
            for file in range(self.file, self.file + self.files)
        )


def apart(shape: BoardShape, one: Block, other: Block) -> tuple[int, int]:
    """Files and ranks from the nearest cell of one block to the nearest of another."""
    grid, topology = shape.grid, shape.topology
    return (
        _gap(one.file, one.files, other.file, other.files, grid.files if topology.joined_files else 0),
        _gap(one.rank, one.ranks, other.rank, other.ranks, grid.ranks if topology.joined_ranks else 0),
    )


def distance(shape: BoardShape, one: Block, other: Block) -> int:
    """King's steps from one block to another; 0 when they overlap."""
    return max(apart(shape, one, other))


def _near(at: int, size: int, *, joined: bool) -> list[int]:
    if joined:
        return sorted({(at - 1) % size, at, (at + 1) % size})
    return [n for n in (at - 1, at, at + 1) if 0 <= n < size]


def _gap(start: int, length: int, other: int, other_length: int, round_: int) -> int:
    """Steps between two stretches of a line, or of a circle of `round_` cells."""
    if not round_:
        return max(0, other - (start + length - 1), start - (other + other_length - 1))
    ahead, behind = (other - start) % round_, (start - other) % round_
    return max(0, min(ahead - length, behind - other_length) + 1)
