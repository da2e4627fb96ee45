"""Where each player starts.

Bases: two in opposite corners, four in all corners clockwise, any other number at equal distances along the border,
clockwise from near a1; `inset` moves the border inwards. Where edges are joined the corners touch, so two and four
go half a board apart, and others are spread over what border there is (a cylinder) or over the board (a torus).

Headquarters are blocks of two by three. Two sides face each other from opposite edges, the members of a team beside
one another; more sides are spread like bases.

Turn order goes round the board. Team-mates act in turn with the others, so on the border each sits between enemies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from rules.core import Grid, Seat, Square
from rules.klopodavka.arrangement import along, beside, best, next_on, rows
from rules.klopodavka.geometry import Block, BoardShape, Topology, distance

WIDE, DEEP = 3, 2
"""The sides of headquarters: along the edge, and into the board."""

_ROOMY: Final[Mapping[Topology, tuple[int, ...]]] = {
    Topology.PLANE: (10, 10, 10, 15, 15, 15, 15, 22, 22),
    Topology.CYLINDER: (10, 14, 14, 15, 15, 21, 21, 21, 22),
    Topology.TORUS: (14, 14, 14, 18, 21, 21, 21, 21, 24),
}
"""The sides of square boards for the bases of 2, 3, ... 10 players."""

_LARGEST: Final = Grid(26, 30)


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
    return Grid(21, 21) if topology is Topology.PLANE and players <= 4 else _LARGEST


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
    """The headquarters of two sides on opposite edges, in turn order."""
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
    """Along the border, clockwise."""
    low = Square(inset, inset)
    high = Square(shape.grid.files - 1 - inset, shape.grid.ranks - 1 - inset)
    ring = _ring(low, high)
    if has_hq:
        ring = list(dict.fromkeys(_headquarters(block, low, high) for block in ring))
    elif players in (2, 4):
        corners = (low, Square(low.file, high.rank), high, Square(high.file, low.rank))
        return tuple(Block(*corner) for corner in corners[:: 4 // players])
    found = best(shape, along(shape, ring, players), next_on(ring))
    return tuple(sorted(found, key=ring.index))


def _on_cylinder(shape: BoardShape, players: int, inset: int, *, has_hq: bool) -> tuple[Block, ...]:
    """Half on the bottom edge and half on the top edge, or in as many rows as keep them farthest apart."""
    files = shape.grid.files
    wide, deep = (WIDE, DEEP) if has_hq else (1, 1)
    top = shape.grid.ranks - deep - inset
    if players == 2:
        return (Block(0, inset, wide, deep), Block(files // 2, top, wide, deep))
    if players == 4 and files // 2 > wide:
        ends = ((0, inset), (0, top), (files // 2, top), (files // 2, inset))
        return tuple(Block(file, rank, wide, deep) for file, rank in ends)
    starts = [
        rows(
            files, [inset + row * (top - inset) // (count - 1) for row in range(count)], players, (wide, deep)
        )
        for count in range(2, players + 1)
    ]
    return tuple(sorted(best(shape, starts, beside(shape, range(inset, top + 1)))))


def _on_torus(shape: BoardShape, players: int, _inset: int, *, has_hq: bool) -> tuple[Block, ...]:
    """Half a board apart, or in as many rows as keep them farthest apart, or in a slanting line."""
    files, ranks = shape.grid.files, shape.grid.ranks
    wide, deep = (WIDE, DEEP) if has_hq else (1, 1)
    if players == 2 or (players == 4 and files // 2 > wide and ranks // 2 > deep):
        ends = ((0, 0), (0, ranks // 2), (files // 2, ranks // 2), (files // 2, 0))
        return tuple(Block(file, rank, wide, deep) for file, rank in ends[:: 4 // players])
    starts = [
        rows(files, [row * ranks // count for row in range(count)], players, (wide, deep))
        for count in range(1, players + 1)
    ]
    starts += [
        tuple(
            Block(n * files // players, step * n % players * ranks // players, wide, deep)
            for n in range(players)
        )
        for step in range(1, players)
    ]
    return tuple(sorted(best(shape, starts, beside(shape, range(ranks)))))


def _ring(low: Square, high: Square) -> list[Block]:
    """The cells of a border, clockwise from its lowest corner."""
    return [
        *(Block(low.file, rank) for rank in range(low.rank, high.rank)),
        *(Block(file, high.rank) for file in range(low.file, high.file)),
        *(Block(high.file, rank) for rank in range(high.rank, low.rank, -1)),
        *(Block(file, low.rank) for file in range(high.file, low.file, -1)),
    ]


def _headquarters(at: Block, low: Square, high: Square) -> Block:
    """Headquarters on the border's edge around one of its cells, pushed off the corners."""
    along_file = min(max(at.file - 1, low.file), high.file + 1 - WIDE)
    along_rank = min(max(at.rank - 1, low.rank), high.rank + 1 - WIDE)
    if at.rank == low.rank:
        return Block(along_file, low.rank, WIDE, DEEP)
    if at.rank == high.rank:
        return Block(along_file, high.rank + 1 - DEEP, WIDE, DEEP)
    if at.file == low.file:
        return Block(low.file, along_rank, DEEP, WIDE)
    return Block(high.file + 1 - DEEP, along_rank, DEEP, WIDE)
