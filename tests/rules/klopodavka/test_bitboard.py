"""Sets of cells as integers, against cells one by one."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from rules.core import Grid, Square
from rules.core.grid import BitTable
from rules.klopodavka.layout import Block, BoardShape, Topology, apart, distance
from rules.klopodavka.reach import bitboard

SIZES = [(3, 3), (3, 7), (7, 3), (4, 5), (10, 10), (20, 30), (26, 30)]
SHAPES = [BoardShape(Grid(*size), topology) for size in SIZES for topology in Topology]
every_shape = pytest.mark.parametrize(
    "shape", SHAPES, ids=lambda shape: f"{shape.grid}-{shape.topology.value}"
)


@every_shape
def test_spread_is_of_each_cell(shape: BoardShape) -> None:
    board, chance = bitboard(shape), random.Random(str(shape))
    for share in (1, 3, 20):
        cells = board.of(chance.sample(list(shape.grid), max(1, len(shape.grid) // share)))
        slow = cells
        for square in board.listed(cells):
            slow |= board.near[square]
        assert board.spread(cells) == slow
    assert board.spread(board.mask) == board.mask
    assert board.spread(0) == 0


@every_shape
def test_flood_and_groups(shape: BoardShape) -> None:
    board, chance = bitboard(shape), random.Random(str(shape))
    for share in (0.2, 0.4, 0.6):
        cells = {square for square in shape.grid if chance.random() < share}
        groups = [set(board.listed(group)) for group in board.groups(board.of(cells))]
        assert sorted(square for group in groups for square in group) == sorted(cells)
        for group in groups:
            seen, edge = set(), {min(group)}
            while edge:
                seen |= edge
                edge = {near for square in edge for near in shape.around(square)} & cells - seen
            assert seen == group
        assert board.flood(0, board.mask) == 0
        one = chance.choice(list(shape.grid))
        flooded = board.flood(board.bits[one], board.of(cells))
        assert flooded & board.bits[one]
        touched = [group for group in groups if group & {one, *shape.around(one)}]
        assert set(board.listed(flooded)) == {one}.union(*touched)


@every_shape
def test_distance_is_that_of_a_king(shape: BoardShape) -> None:
    chance = random.Random(str(shape))
    board = bitboard(shape)
    grid = shape.grid
    for _ in range(10):
        sizes = [(chance.choice((1, 2, 3)), chance.choice((1, 2, 3))) for _ in range(2)]
        places = [
            Block(
                chance.randrange(grid.files - (0 if shape.topology.joined_files else size[0] - 1)),
                chance.randrange(grid.ranks - (0 if shape.topology.joined_ranks else size[1] - 1)),
                *size,
            )
            for size in sizes
        ]
        reached, target = (board.of(place.cells(grid)) for place in places)
        steps = 0
        while not reached & target:
            reached = board.spread(reached)
            steps += 1
        assert distance(shape, *places) == steps == max(apart(shape, *places))
        assert distance(shape, *reversed(places)) == steps


def test_a_table_lists_things_by_their_bits() -> None:
    table = BitTable("abcdefghijklmnopqrs".__getitem__, 3)
    assert table.read(0) == []
    assert table.read(1 << 18 | 1 << 8 | 1) == ["a", "i", "s"]
    assert table.read(1 << 18 | 1 << 8 | 1) == ["a", "i", "s"]
    for one, other in combinations(range(19), 2):
        assert table.read(1 << one | 1 << other) == ["abcdefghijklmnopqrs"[one], "abcdefghijklmnopqrs"[other]]


def test_joined_edges() -> None:
    def around(topology: Topology, square: Square) -> set[str]:
        return set(map(str, BoardShape(Grid(5, 4), topology).around(square)))

    assert around(Topology.PLANE, Square(0, 0)) == {"a2", "b1", "b2"}
    assert around(Topology.CYLINDER, Square(0, 0)) == {"a2", "b1", "b2", "e1", "e2"}
    assert around(Topology.TORUS, Square(0, 0)) == {"a2", "b1", "b2", "e1", "e2", "a4", "b4", "e4"}
    assert len(around(Topology.TORUS, Square(2, 2))) == 8
