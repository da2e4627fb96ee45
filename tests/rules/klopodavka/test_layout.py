"""Where each player starts."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from rules.core import SEATS, Grid, Square
from rules.klopodavka import GAME
from rules.klopodavka.layout import Block, BoardShape, Topology, arranged, closest, distance, recommended
from rules.klopodavka.options import SIDES, Options, homes
from tests.rules.klopodavka.making import chosen


def nearest_enemies(options: Options) -> int:
    """The fewest king's steps between homes of two sides."""
    blocks = [[Block(*square) for square in home] for home in homes(options)]
    return min(
        distance(options.shape, one, other)
        for mine, theirs in combinations(options.sides, 2)
        for seat in mine
        for enemy in theirs
        for one in blocks[seat]
        for other in blocks[enemy]
    )


@pytest.mark.parametrize(
    ("text", "squares"),
    [
        ("", "a1 j10"),
        ("board:7x12", "a1 g12"),
        ("players:4", "a1 a10 j10 j1"),
        ("preset:tournament players:4", "a1 a30 t30 t1"),
        ("board:20x30 inset:6", "g7 n24"),
        ("board:20x30 inset:4 players:4", "e5 e26 p26 p5"),
        ("bases:b2,d9", "b2 d9"),
        ("topology:cylinder", "a1 f10"),
        ("topology:torus board:12x8", "a1 g5"),
        ("topology:cylinder players:4 board:12x12", "a1 a12 g12 g1"),
        ("topology:torus players:4 board:12x12", "a1 a7 g7 g1"),
        ("topology:cylinder board:12x12 inset:2", "a3 g10"),
        ("variant:hq board:9x12", "d1 e1 f1 d2 e2 f2 d11 e11 f11 d12 e12 f12"),
        ("variant:hq board:12x9", "a4 b4 a5 b5 a6 b6 k4 l4 k5 l5 k6 l6"),
        ("variant:hq board:10x12 inset:2", "d3 e3 f3 d4 e4 f4 e9 f9 g9 e10 f10 g10"),
    ],
)
def test_bases(text: str, squares: str) -> None:
    assert " ".join(str(square) for home in homes(chosen(text)) for square in home) == squares


@pytest.mark.parametrize(
    "text", ["", "board:9x14", "board:14x8", "variant:hq", "variant:hq teams:2v2", "variant:hq teams:5v5"]
)
def test_two_sides_start_alike(text: str) -> None:
    """On a plane half a turn of the board exchanges them."""
    options = chosen(text)
    files, ranks = options.board.files, options.board.ranks
    first, second = ({square for seat in side for square in homes(options)[seat]} for side in options.sides)
    assert {Square(files - 1 - file, ranks - 1 - rank) for file, rank in first} == second


ROOMY = [
    *(f"preset:{name}" for name in GAME.schema.presets if name != "torus"),
    *(f"preset:{name} players:4" for name in ("classic", "tournament", "quick", "duel")),
    "players:4 board:12x12 actions:4",
    *(f"players:{n} topology:{topology.value}" for n in range(2, 11) for topology in Topology),
    *(f"teams:{teams} topology:{topology.value}" for teams in SIDES for topology in Topology),
    *(f"variant:hq players:{n}" for n in (2, 3, 4)),
    *(f"variant:hq teams:{teams}" for teams in SIDES if teams != "2v2v2"),
    "variant:hq topology:cylinder",
    "variant:hq topology:cylinder teams:5v5",
]


@pytest.mark.parametrize("text", ROOMY)
def test_no_side_starts_within_two_turns_of_an_enemy(text: str) -> None:
    """Each action comes one step nearer, and the last one crushes: two turns reach twice the actions of a turn."""
    options = chosen(text)
    assert nearest_enemies(options) > 2 * options.actions


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("topology", Topology)
def test_a_recommended_board_is_no_larger_than_it_must_be(players: int, topology: Topology) -> None:
    grid = recommended(players, players, topology, has_hq=False)
    if grid == Grid(10, 10):
        return
    shape = BoardShape(Grid(grid.files - 1, grid.ranks - 1), topology)
    assert closest(shape, arranged(shape, tuple((seat,) for seat in SEATS[:players]))) <= 6


@pytest.mark.parametrize("players", [3, 5, 6, 7, 8, 9, 10])
@pytest.mark.parametrize("size", [(15, 15), (16, 13), (18, 18), (22, 22), (20, 30), (26, 26)])
def test_bases_on_a_plane_are_spread_evenly(players: int, size: tuple[int, int]) -> None:
    """On the border, clockwise, each about as far from the next as any other."""
    options = chosen(f"players:{players} board:{size[0]}x{size[1]}")
    squares = [home[0] for home in homes(options)]
    files, ranks = size
    border = [
        *(Square(0, rank) for rank in range(ranks)),
        *(Square(file, ranks - 1) for file in range(1, files)),
        *(Square(files - 1, rank) for rank in range(ranks - 2, -1, -1)),
        *(Square(file, 0) for file in range(files - 2, 0, -1)),
    ]
    places = [border.index(square) for square in squares]
    assert places == sorted(places)
    steps = [
        distance(options.shape, Block(*one), Block(*other)) for one, other in pairwise([*squares, squares[0]])
    ]
    assert max(steps) - min(steps) <= 3, steps


@pytest.mark.parametrize("topology", Topology)
@pytest.mark.parametrize("size", [(3, 27), (27, 3), (9, 9), (3, 30), (26, 4), (5, 16), (8, 10)])
@pytest.mark.parametrize("players", range(2, 11))
def test_small_boards_hold_as_many_as_they_may(
    topology: Topology, size: tuple[int, int], players: int
) -> None:
    """Eight cells for each are enough for bases that do not touch."""
    grid = Grid(min(size[0], 26), size[1])
    if len(grid) < 8 * players:
        return
    shape = BoardShape(grid, topology)
    blocks = arranged(shape, tuple((seat,) for seat in SEATS[:players]))
    assert len(set(blocks)) == players
    assert closest(shape, blocks) >= 2


@pytest.mark.parametrize("topology", Topology)
@pytest.mark.parametrize(
    "text", ["players:2", "players:3", "players:6", "players:10", "teams:2v2", "teams:5v5", "teams:2v2v2"]
)
def test_headquarters_keep_apart(topology: Topology, text: str) -> None:
    options = chosen(f"variant:hq topology:{topology.value} board:26x30 {text}")
    cells = [square for home in homes(options) for square in home]
    assert len(set(cells)) == len(cells) == 6 * options.players
    assert all(square in options.board for square in cells)
    blocks = arranged(options.shape, options.sides, has_hq=True)
    assert closest(options.shape, blocks) >= 2
