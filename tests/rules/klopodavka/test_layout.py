"""Options and where each player starts."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from rules.core import SEATS, BadOption, Grid, Reason, Square
from rules.klopodavka import GAME
from rules.klopodavka.layout import Block, BoardShape, Topology, arranged, closest, distance, recommended
from rules.klopodavka.options import SCHEMA, SIDES, Options, Setup, homes
from tests.rules.klopodavka.reference import chosen

# Where each player starts.


def nearest_enemies(options: Options) -> int:
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
@pytest.mark.parametrize("size", [(3, 27), (27, 3), (9, 9), (5, 16)])
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


# What can be chosen, what it comes to, and what cannot be played.


@pytest.mark.parametrize(
    ("text", "described"),
    [
        ("", {}),
        ("preset:quick", {"board": "8x8"}),
        ("players:6", {"players": "6", "board": "15x15"}),
        ("players:6 board:10x10", {"players": "6", "board": "10x10"}),
        ("preset:torus", {"board": "14x14", "topology": "torus"}),
        ("topology:torus board:10x10", {"board": "10x10", "topology": "torus"}),
        ("variant:hq", {"board": "20x20", "actions": "8", "variant": "hq"}),
        ("teams:2v2", {"players": "4", "teams": "2v2"}),
        ("bases:B2,d9 first:1", {"first": "1", "bases": "b2,d9"}),
        ("variant:hq fence:off", {"board": "20x20", "actions": "8", "variant": "hq", "fence": "off"}),
    ],
)
def test_a_game_is_described_with_its_numbers(text: str, described: dict[str, str]) -> None:
    options = chosen(text)
    assert GAME.describe(options) == described
    assert GAME.choose(described) == options


@pytest.mark.parametrize(
    ("text", "reason", "fields"),
    [
        (
            "players:3 board:4x5",
            Setup.BOARD_TOO_SMALL,
            {"board": "4x5", "players": 3, "cells": 8, "least": 24},
        ),
        ("teams:2v2 players:5", Setup.TEAMS_FIX_PLAYERS, {"teams": "2v2", "players": 5, "needed": 4}),
        ("variant:hq actions:3", Setup.HQ_ACTIONS, {"actions": 3, "low": 8, "high": 10}),
        ("variant:hq board:3x4", Setup.HQ_NO_ROOM, {"board": "3x4", "players": 2}),
        ("variant:hq board:8x8 teams:3v3", Setup.HQ_NO_ROOM, {"board": "8x8", "players": 6}),
        ("variant:hq bases:a1,j10", Setup.HQ_NAMES_NO_BASES, {}),
        ("variant:hq base:immune", Setup.HQ_IS_IMMUNE, {}),
        ("variant:hq reach:base", Setup.HQ_IS_LINKED, {}),
        ("fence:off", Setup.FENCE_NEEDS_HQ, {}),
        ("variant:hq players:3 fence:off", Setup.FENCE_NEEDS_TWO_SIDES, {}),
        # Defaults that were named.
        ("fence:win", Setup.FENCE_NEEDS_HQ, {}),
        ("variant:hq base:crushable", Setup.HQ_IS_IMMUNE, {}),
        ("preset:hq reach:live", Setup.HQ_IS_LINKED, {}),
        ("bases:a1,j10 inset:0", Setup.BASES_OR_INSET, {}),
        ("topology:torus inset:0", Setup.INSET_ON_TORUS, {}),
        ("bases:a1", Setup.BASES_COUNT, {"count": 1, "players": 2}),
        ("bases:a1,b5,c9", Setup.BASES_COUNT, {"count": 3, "players": 2}),
        ("bases:a1,k10", Setup.BASE_OFF_THE_BOARD, {"square": "k10", "board": "10x10"}),
        ("bases:c3,c3", Setup.BASE_TWICE, {"square": "c3"}),
        ("players:4 bases:a1,a2,b1,b2", Setup.BASE_SHUT_IN, {"square": "a1"}),
        ("bases:a1,j10 inset:2", Setup.BASES_OR_INSET, {}),
        ("inset:6 board:26x7", Setup.INSET_TOO_LARGE, {"inset": 6, "board": "26x7"}),
        ("variant:hq board:10x10 inset:3", Setup.HQ_NO_ROOM, {"board": "10x10", "players": 2}),
        ("topology:torus inset:1", Setup.INSET_ON_TORUS, {}),
    ],
)
def test_what_cannot_be_played(text: str, reason: Reason, fields: dict[str, object]) -> None:
    with pytest.raises(BadOption) as refused:
        chosen(text)
    assert refused.value.reason is reason
    shown = {
        name: str(value) if not isinstance(value, int) else value
        for name, value in refused.value.fields.items()
    }
    assert shown == fields


# What is said before a game on a board that is too small for those who play on it.


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("preset", SCHEMA.presets)
def test_a_player_who_starts_within_two_turns_of_an_enemy_is_told(preset: str, players: int) -> None:
    text = f"preset:{preset} players:{players}"
    if "teams" in preset or (preset == "quick" and players > 8):
        text = f"preset:{preset}"
    options = chosen(text)
    near = nearest_enemies(options) <= 2 * options.actions
    said = GAME.warning(options)
    assert (said is not None) == (near and options.players > 2 and not options.has_hq)


@pytest.mark.parametrize(
    ("text", "key", "board"),
    [
        ("preset:quick players:5", "tournament", "15x15"),
        ("preset:classic players:10", "tournament", "22x22"),
        ("preset:duel players:6 teams:3v3", "tournament", "20x30"),
        ("preset:torus board:10x10 players:4", "tournament", "14x14"),
        ("players:10 board:10x10 topology:torus", "board", "24x24"),
        ("players:10 board:22x22 actions:10", "actions", None),
        ("players:5 board:8x8 actions:7", "actions", None),
        ("players:3 board:8x8 actions:4", "actions", None),
    ],
)
def test_what_leaves_more_room_is_named_and_does(text: str, key: str, board: str | None) -> None:
    said = GAME.warning(chosen(text))
    assert said is not None
    assert said.key == f"klopodavka.warning.{key}"
    assert said.fields.get("board") == board
    if board is not None:
        words = [word for word in text.split() if not word.startswith(("board:", "preset:"))]
        actions = chosen(text).actions
        wider = chosen(" ".join([*words, f"board:{board}", f"actions:{actions}"]))
        assert GAME.warning(wider) is None


@pytest.mark.parametrize(
    "text", ["preset:quick players:8 base:immune", "board:6x6", "players:3 board:6x6 bases:a1,b3,f6"]
)
def test_of_what_is_meant_or_does_no_harm_nothing_is_said(text: str) -> None:
    assert GAME.warning(chosen(text)) is None
