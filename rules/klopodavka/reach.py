"""Which cells a seat can act on: the one source of what is legal.

A chain starts from the seat's own live bugs or, in an anchored game, from those on its home. It goes on through walls
of the seat's side and, in an anchored game, through its own live bugs. What touches the chain is reached, if it is
empty or holds an enemy's live bug that is not immune.

Sets of cells are integers. A rank takes one bit more than it has cells. What spreads over the left or right edge lands in that spare bit and is
masked away, so a plane needs no masks for its edges. Joined edges are copied across before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self, TypeAlias

from rules.core import SEATS, Outcome, Seat, Square
from rules.core.grid import BitTable
from rules.klopodavka.layout import BoardShape
from rules.klopodavka.options import Options, homes


class Occupancy(NamedTuple):
    """Live bugs and walls by seat, as sets of cells, and all of each."""

    bugs: tuple[int, ...]
    walls: tuple[int, ...]
    live: int
    stones: int

    @classmethod
    def of(cls, bugs: tuple[int, ...], walls: tuple[int, ...]) -> Self:
        """What these come to together; no cell is in two of them."""
        return cls(bugs, walls, union(bugs), union(walls))


def union(sets: Sequence[int]) -> int:
    """The cells of all of some sets."""
    cells = 0
    for one in sets:
        cells |= one
    return cells


def owner(sets: Sequence[int], bit: int) -> int | None:
    """The seat whose set holds a cell."""
    return next((seat for seat, cells in enumerate(sets) if cells & bit), None)


Spread = Callable[[int], int]  # from a set of cells: these and all that touch them

Touched = Callable[[int, int], int]
"""From a set, and another with no cell in common that it can go on through: all that `Spread` makes of it so."""


class Bitboard:
    """What a board knows about sets of its cells. Made once for each board: see `bitboard`."""

    __slots__ = ("bits", "listed", "mask", "near", "shape", "spread", "squares", "touched")

    def __init__(self, shape: BoardShape) -> None:
        grid = shape.grid
        stride = grid.files + 1
        self.shape: Final = shape
        # The cell of each bit; a spare bit has a square that is not on the board.
        self.squares: Final = tuple(
            Square(file, rank) for rank in range(grid.ranks) for file in range(stride)
        )
        # The cells of a set, from a1 along the ranks.
        self.listed: Final = BitTable(self.squares.__getitem__, -(-len(self.squares) // 8)).read
        self.bits: Final[Mapping[Square, int]] = MappingProxyType(
            {square: 1 << at for at, square in enumerate(self.squares) if square in grid}
        )
        self.mask: Final = sum(self.bits.values())  # all cells
        self.spread, self.touched = _spread(shape, self.mask)
        # For each cell, those that touch it.
        self.near: Final[Mapping[Square, int]] = MappingProxyType(
            {square: self.spread(bit) ^ bit for square, bit in self.bits.items()}
        )

    def of(self, squares: Iterable[Square]) -> int:
        """The set of some cells of the board."""
        cells = 0
        for square in squares:
            cells |= self.bits[square]
        return cells

    def flood(self, start: int, through: int) -> int:
        """The cells of `start`, and all cells of `through` that are connected to them by cells of `through`."""
        return start | self.touched(start, through & ~start) & through

    def groups(self, cells: int) -> list[int]:
        """The connected groups of a set, the one with the lowest bit first."""
        found = []
        while cells:
            group = self.flood(cells & -cells, cells)
            found.append(group)
            cells ^= group
        return found


bitboard: Final = lru_cache(maxsize=128)(Bitboard)


def _spread(shape: BoardShape, mask: int) -> tuple[Spread, Touched]:
    """The functions that spread a set, once and as far as it goes; of each topology, with the board's numbers bound."""
    grid = shape.grid
    stride = grid.files + 1
    across = grid.files - 1
    up = stride * (grid.ranks - 1)
    left = sum(1 << stride * rank for rank in range(grid.ranks))
    right = left << across

    def plane(cells: int) -> int:
        row = cells | cells << 1 | cells >> 1
        return (row | row << stride | row >> stride) & mask

    def cylinder(cells: int) -> int:
        row = cells | cells << 1 | cells >> 1 | (cells & left) << across | (cells & right) >> across
        return (row | row << stride | row >> stride) & mask

    def torus(cells: int) -> int:
        # A shift by all ranks but one leaves of the whole set only the top rank, at the bottom, or the bottom rank,
        # at the top, and bits beyond the board.
        row = cells | cells << 1 | cells >> 1 | (cells & left) << across | (cells & right) >> across
        return (row | row << stride | row >> stride | row << up | row >> up) & mask

    def touched_on_plane(front: int, through: int) -> int:
        # The same as `touched` with `plane` written out, since most games are played on one: a third quicker.
        near = 0
        while front:
            row = front | front << 1 | front >> 1
            front = row | row << stride | row >> stride
            near |= front
            front &= through
            through ^= front
        return near & mask

    spread = torus if shape.topology.joined_ranks else cylinder

    def touched(front: int, through: int) -> int:
        near = 0
        while front:
            front = spread(front)
            near |= front
            front &= through
            through ^= front
        return near

    return (spread, touched) if shape.topology.joined_files else (plane, touched_on_plane)


@dataclass(frozen=True, slots=True)
class Move:
    """Put an own bug on an empty cell, or crush the enemy's bug that is there."""

    square: Square
    crush: bool = False

    def __str__(self) -> str:
        return f"x{self.square}" if self.crush else str(self.square)

    def __repr__(self) -> str:
        return f"Move({self.square!r}, crush=True)" if self.crush else f"Move({self.square!r})"


class Actions:
    """The actions on a board: two shared objects for each cell."""

    __slots__ = ("_crushing", "_putting", "crushes", "puts")

    def __init__(self, board: Bitboard) -> None:
        puts = [Move(square) for square in board.squares]
        crushes = [Move(square, crush=True) for square in board.squares]
        self._putting: Final = BitTable(puts.__getitem__, -(-len(puts) // 8))
        self._crushing: Final = BitTable(crushes.__getitem__, -(-len(crushes) // 8))
        # For each cell, the action that puts a bug there, and the one that crushes the bug there.
        self.puts: Final[Mapping[Square, Move]] = {move.square: move for move in puts}
        self.crushes: Final[Mapping[Square, Move]] = {move.square: move for move in crushes}

    def listed(self, reached: int, live: int) -> tuple[Move, ...]:
        """The actions on cells that are reached, of which `live` hold bugs; from a1 along the ranks by eights."""
        putting, crushing = self._putting, self._crushing
        found: list[Move] = []
        for puts, crushes, byte, bugs in zip(
            putting.patterns,
            crushing.patterns,
            putting.bytes_of(reached),
            crushing.bytes_of(reached & live),
            strict=True,
        ):
            if bugs:
                found += puts[byte ^ bugs] + crushes[bugs]
            elif byte:
                found += puts[byte]
        return tuple(found)


_actions: Final = lru_cache(maxsize=128)(Actions)


class Ruleset:
    """A kind of Klopodavka, ready to be played on. Equal if, and only if, the options are; see `ruleset_of`."""

    def __init__(self, options: Options) -> None:
        self.options: Final = options  # what was chosen
        self.board: Final = bitboard(options.shape)
        self.sides: Final = options.sides  # who plays together
        # The number of each seat's side.
        self.side: Final = tuple(
            next(n for n, members in enumerate(self.sides) if seat in members)
            for seat in SEATS[: options.players]
        )
        # For each seat, the seats of its side, itself among them.
        self.allies: Final[tuple[tuple[Seat, ...], ...]] = tuple(self.sides[side] for side in self.side)
        self.shared: Final = len(self.sides) < options.players  # whether any side has more than one seat
        # Where each seat's bugs stand at the start.
        self.homes: Final = tuple(map(self.board.of, homes(options)))
        # The cells on which a bug can be crushed: all but immune bases and headquarters.
        self.soft: Final = self.board.mask & ~(sum(self.homes) if options.immune else 0)
        self.actions: Final = options.actions  # how many make a turn
        self.anchored: Final = options.anchored  # whether only what is linked to the own home gives reach
        self.fenced: Final = options.fenced  # whether a fence ends the game
        # For each square, its bit and those of the cells that touch it.
        self.places: Final = {
            square: (bit, self.board.near[square]) for square, bit in self.board.bits.items()
        }
        self.moves: Final = _actions(self.board)  # the actions on this board
        self._hash: Final = hash(options)

    def turn(self, occupancy: Occupancy) -> int:
        """How many actions the turn has in which the board looks so.

        No seat has acted yet where only homes have bugs and there are no walls: a bug that was put is there for ever,
        alive or as a wall.
        """
        fresh = not occupancy.stones and occupancy.bugs == self.homes
        return (fresh and self.options.first) or self.actions

    def length(self, occupancy: Occupancy) -> int:
        """How long the turn is that begins, where later positions in it do not tell: a first turn of several actions; else 0."""
        length = self.turn(occupancy)
        return length if 1 < length < self.actions else 0

    def __reduce__(self) -> tuple[Any, ...]:
        return ruleset_of, (self.options,)  # copies and pickles: the tables are worked out again

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Ruleset) and self.options == other.options)

    def __hash__(self) -> int:
        return self._hash


@lru_cache(maxsize=256)
def ruleset_of(options: Options) -> Ruleset:
    """The ruleset of these options."""
    return Ruleset(options)


State: TypeAlias = tuple[Ruleset, Occupancy, int, int, int, int, int, Outcome | None, int]
"""The kind of game, what stands where, the seat to move, how many actions it owes, who is out, what the chain of the
seat to move is and touches, what of that it can act on, the end; these three follow from the rest. Last, how many actions
the turn has in all where odds have made it longer, else 0."""


def reach(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """The cells that a seat can act on."""
    return open_to(ruleset, occupancy, seat, touched(ruleset, occupancy, seat))


def touched(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """A seat's chain and all that touches it."""
    start = occupancy[0][seat]
    if ruleset.anchored:
        start &= ruleset.homes[seat]
    return ruleset.board.touched(start, carriers(ruleset, occupancy, seat) & ~start)


def lengthened(ruleset: Ruleset, occupancy: Occupancy, seat: int, before: int, near: int) -> int:
    """What `touched` gives after this seat itself has acted on a cell; before, it gave `before`.

    An own action cuts nothing: the cell was reached, so it lengthens a chain, as a bug or as a wall. It may link what
    was not linked; what was touched before and can carry the chain is part of it already. `near` touches the cell.
    """
    unlinked = carriers(ruleset, occupancy, seat) & ~before
    if found := near & unlinked:
        near |= ruleset.board.touched(found, unlinked ^ found)
    return before | near


def open_to(ruleset: Ruleset, occupancy: Occupancy, seat: int, cells: int) -> int:
    """Those of some cells on which a seat can act if they touch its chain: empty, or an enemy's crushable bug."""
    bugs = occupancy[0]
    barred = occupancy[3] | bugs[seat]
    if ruleset.shared:
        for ally in ruleset.allies[seat]:
            barred |= bugs[ally]
    return cells & ruleset.soft & ~barred


def carriers(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """What a seat's chain goes on through, and in a game that is anchored its own bugs on the way."""
    walls = occupancy[1]
    cells = walls[seat]
    if ruleset.shared:
        for ally in ruleset.allies[seat]:
            cells |= walls[ally]
    return cells | occupancy[0][seat] if ruleset.anchored else cells


def could_ever(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """The cells that this seat's chain could come to if no other seat ever acted again.

    It goes on through empty cells and through bugs that he could crush, and stops at other sides' walls. Walls of his
    own side, and own bugs, that are not linked now carry the chain once it has come to them.
    """
    own = start = occupancy.bugs[seat]
    if ruleset.anchored:
        start &= ruleset.homes[seat]
    through = own | carriers(ruleset, occupancy, seat) | open_to(ruleset, occupancy, seat, ruleset.board.mask)
    return ruleset.board.flood(start, through)
