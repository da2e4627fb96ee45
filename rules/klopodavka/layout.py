"""Where each player starts.

Bases: two in opposite corners, four in all corners clockwise, any other number at equal distances along the border,
clockwise from near a1; `inset` moves the border inwards. Where edges are joined the corners touch, so two and four
go half a board apart, and others are spread over what border there is (a cylinder) or over the board (a torus).

Headquarters are blocks of two by three. Two sides face each other from opposite edges, the members of a team beside
one another; more sides are spread like bases.

Turn order goes round the board. Team-mates act in turn with the others, so on the border each sits between enemies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final

from rules.core import Grid, Seat, Square


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


Arrangement = tuple[Block, ...]
Shifts = Callable[[Block], Iterable[Block]]  # the places to which a block may be moved by one step

_IMPROVED: Final = 4
"""How many arrangements are worth improving: one often gets stuck a little below another's height."""


def _best(shape: BoardShape, starts: Iterable[Arrangement], shifts: Shifts) -> Arrangement:
    """The best of some arrangements, the most promising of them made better by moving one block at a time."""
    promising = sorted(dict.fromkeys(starts), key=lambda blocks: _merit(shape, blocks), reverse=True)
    return max(
        (_improved(shape, blocks, shifts) for blocks in promising[:_IMPROVED]),
        key=lambda blocks: _merit(shape, blocks),
    )


def _improved(shape: BoardShape, arrangement: Arrangement, shifts: Shifts) -> Arrangement:
    merit = _merit(shape, arrangement)
    while True:
        tried = (
            (*arrangement[:at], shifted, *arrangement[at + 1 :])
            for at, block in enumerate(arrangement)
            for shifted in shifts(block)
        )
        better = max(tried, key=lambda blocks: _merit(shape, blocks))
        if _merit(shape, better) <= merit:
            return arrangement
        arrangement, merit = better, _merit(shape, better)


def _along(shape: BoardShape, ring: Sequence[Block], count: int) -> Iterator[Arrangement]:
    """Arrangements on a ring: by equal steps, and by the largest distance at which a walk round it has room for all.

    Equal steps alone are cut short at corners, where three steps along the border may be two of a king.
    """
    size = len(ring)
    phases = range(-(-size // count))
    for phase in phases:
        yield tuple(ring[(phase + n * size // count) % size] for n in range(count))
    low, high = 1, size
    while low < high:
        far = (low + high + 1) // 2
        walked = [found for phase in phases if (found := _walk(shape, ring[phase:], far, count))]
        yield from walked
        low, high = (far, high) if walked else (low, far - 1)


def _rows(files: int, ranks: Sequence[int], count: int, size: tuple[int, int]) -> Arrangement:
    """So many blocks shared out over rows, each row shifted by half a gap against the one below."""
    blocks = []
    for row, rank in enumerate(ranks):
        held = (row + 1) * count // len(ranks) - row * count // len(ranks)
        blocks += [Block((2 * n + row % 2) * files // (2 * held) % files, rank, *size) for n in range(held)]
    return tuple(blocks)


def _beside(shape: BoardShape, ranks: range) -> Shifts:
    files = shape.grid.files

    def shifts(block: Block) -> Iterable[Block]:
        for step in (-1, 1):
            yield replace(block, file=(block.file + step) % files)
            rank = block.rank + step
            if shape.topology.joined_ranks:
                rank %= shape.grid.ranks
            if rank in ranks:
                yield replace(block, rank=rank)

    return shifts


def _walk(shape: BoardShape, ring: Sequence[Block], far: int, count: int) -> Arrangement | None:
    """Blocks along a ring from its first, each the next one far enough from the last; None without room for all."""
    placed = [ring[0]]
    for block in ring[1:]:
        if distance(shape, placed[-1], block) >= far:
            if distance(shape, ring[0], block) < far:
                continue
            placed.append(block)
            if len(placed) == count:
                return tuple(placed)
    return None


def _merit(shape: BoardShape, blocks: Arrangement) -> tuple[int, int, int, int]:
    """The nearest two as far apart as can be; then as few so near; then neighbours, then all, equally far apart.

    Distances are a king's steps, as bugs go. They tell little of a large circle from a small one, so the last word
    is with straight lines.
    """
    gaps = [apart(shape, one, other) for one, other in combinations(blocks, 2)]
    steps = [max(gap) for gap in gaps]
    lines = [files * files + ranks * ranks for files, ranks in gaps]
    ring = [distance(shape, one, other) for one, other in pairwise((*blocks, blocks[0]))]
    nearest = min(steps)
    return nearest, min(ring) - max(ring), -steps.count(nearest), min(lines) - max(lines)


WIDE, DEEP = 3, 2
"""The sides of headquarters: along the edge, and into the board."""

_ROOMY: Final[Mapping[Topology, tuple[int, ...]]] = {
    Topology.PLANE: (10, 10, 10, 15, 15, 15, 15, 22, 22),
    Topology.CYLINDER: (10, 14, 14, 15, 15, 21, 21, 21, 22),
    Topology.TORUS: (14, 14, 14, 18, 21, 21, 21, 21, 24),
}
"""The sides of square boards for the bases of 2, 3, ... 10 players."""

LARGEST: Final = Grid(26, 30)


def recommended(players: int, sides: int, topology: Topology, *, has_hq: bool) -> Grid:
    """A board on which, with the usual number of actions, no player starts within two turns of an enemy's base.

    For headquarters no board is that large on a torus, nor for more than two sides on a cylinder, nor for more than
    four players of more than two sides: there the largest is recommended. Headquarters cannot be crushed, so no
    player loses them to the first to move.
    """
    if not has_hq:
        side = _ROOMY[topology][players - 2]
        return Grid(side, side)
    if topology is not Topology.TORUS and sides == 2:
        side = max(20, 5 * players // 2)
        return Grid(side, side)
    return Grid(21, 21) if topology is Topology.PLANE and players <= 4 else LARGEST


def closest(shape: BoardShape, blocks: Sequence[Block]) -> int:
    """The distance between the two that are nearest each other."""
    return min(distance(shape, one, other) for one, other in combinations(blocks, 2))


@lru_cache(maxsize=1024)
def arranged(
    shape: BoardShape, sides: tuple[tuple[Seat, ...], ...], *, has_hq: bool = False, inset: int = 0
) -> tuple[Block, ...]:
    """Where each seat starts. Blocks overlap or touch where the board has no room: the caller must check."""
    players = sum(map(len, sides))
    if has_hq and len(sides) == 2:
        return _facing(shape, len(sides[0]), inset)
    ways = {Topology.PLANE: _on_plane, Topology.CYLINDER: _on_cylinder, Topology.TORUS: _on_torus}
    return ways[shape.topology](shape, players, inset, has_hq=has_hq)


def deep_enough(shape: BoardShape, *, has_hq: bool, inset: int) -> bool:
    """Whether the border, moved inwards so far, still goes round something."""
    across = shape.grid.ranks if shape.topology.joined_files else min(shape.grid.files, shape.grid.ranks)
    return across - 2 * inset >= (WIDE if has_hq else 2)


def _facing(shape: BoardShape, each: int, inset: int) -> tuple[Block, ...]:
    files, ranks = shape.grid.files, shape.grid.ranks
    joined = shape.topology.joined_files
    lying = True
    if shape.topology is not Topology.CYLINDER:
        # Along the shorter edges, since they are farther apart, unless a whole team does not fit there.
        room = each * (WIDE + 1) - (not joined)
        lying = files >= room if files <= ranks else ranks < room <= files
    length, depth = (files, ranks) if lying else (ranks, files)
    if joined:
        first = [n * length // each for n in range(each)]
        second = [at + length // (2 * each) for at in first]
    else:
        spare = max(0, length - each * (WIDE + 1) + 1)
        first = [n * (WIDE + 1) + spare * (n + 1) // (each + 1) for n in range(each)]
        second = [length - WIDE - at for at in reversed(first)]
    far = depth // 2 if shape.topology.joined_ranks else depth - DEEP - inset
    return tuple(
        Block(along % length, into, WIDE, DEEP) if lying else Block(into, along % length, DEEP, WIDE)
        for pair in zip(first, second, strict=True)
        for along, into in zip(pair, (inset, far), strict=True)
    )


def _on_plane(shape: BoardShape, players: int, inset: int, *, has_hq: bool) -> tuple[Block, ...]:
    low = Square(inset, inset)
    high = Square(shape.grid.files - 1 - inset, shape.grid.ranks - 1 - inset)
    ring = _ring(low, high)
    if has_hq:
        ring = list(dict.fromkeys(_headquarters(block, low, high) for block in ring))
    elif players in (2, 4):
        corners = (low, Square(low.file, high.rank), high, Square(high.file, low.rank))
        return tuple(Block(*corner) for corner in corners[:: 4 // players])
    place = {block: at for at, block in enumerate(ring)}
    found = _best(
        shape,
        _along(shape, ring, players),
        lambda block: (ring[place[block] - 1], ring[(place[block] + 1) % len(ring)]),
    )
    return tuple(sorted(found, key=ring.index))


def _on_cylinder(shape: BoardShape, players: int, inset: int, *, has_hq: bool) -> tuple[Block, ...]:
    files = shape.grid.files
    wide, deep = (WIDE, DEEP) if has_hq else (1, 1)
    top = shape.grid.ranks - deep - inset
    if players == 2:
        return (Block(0, inset, wide, deep), Block(files // 2, top, wide, deep))
    if players == 4 and files // 2 > wide:
        ends = ((0, inset), (0, top), (files // 2, top), (files // 2, inset))
        return tuple(Block(file, rank, wide, deep) for file, rank in ends)
    starts = [
        _rows(
            files, [inset + row * (top - inset) // (count - 1) for row in range(count)], players, (wide, deep)
        )
        for count in range(2, players + 1)
    ]
    return tuple(sorted(_best(shape, starts, _beside(shape, range(inset, top + 1)))))


def _on_torus(shape: BoardShape, players: int, _inset: int, *, has_hq: bool) -> tuple[Block, ...]:
    files, ranks = shape.grid.files, shape.grid.ranks
    wide, deep = (WIDE, DEEP) if has_hq else (1, 1)
    if players == 2 or (players == 4 and files // 2 > wide and ranks // 2 > deep):
        ends = ((0, 0), (0, ranks // 2), (files // 2, ranks // 2), (files // 2, 0))
        return tuple(Block(file, rank, wide, deep) for file, rank in ends[:: 4 // players])
    starts = [
        _rows(files, [row * ranks // count for row in range(count)], players, (wide, deep))
        for count in range(1, players + 1)
    ]
    starts += [
        tuple(
            Block(n * files // players, step * n % players * ranks // players, wide, deep)
            for n in range(players)
        )
        for step in range(1, players)
    ]
    return tuple(sorted(_best(shape, starts, _beside(shape, range(ranks)))))


def _ring(low: Square, high: Square) -> list[Block]:
    return [
        *(Block(low.file, rank) for rank in range(low.rank, high.rank)),
        *(Block(file, high.rank) for file in range(low.file, high.file)),
        *(Block(high.file, rank) for rank in range(high.rank, low.rank, -1)),
        *(Block(file, low.rank) for file in range(high.file, low.file, -1)),
    ]


def _headquarters(at: Block, low: Square, high: Square) -> Block:
    along_file = min(max(at.file - 1, low.file), high.file + 1 - WIDE)
    along_rank = min(max(at.rank - 1, low.rank), high.rank + 1 - WIDE)
    if at.rank == low.rank:
        return Block(along_file, low.rank, WIDE, DEEP)
    if at.rank == high.rank:
        return Block(along_file, high.rank + 1 - DEEP, WIDE, DEEP)
    if at.file == low.file:
        return Block(low.file, along_rank, DEEP, WIDE)
    return Block(high.file + 1 - DEEP, along_rank, DEEP, WIDE)
