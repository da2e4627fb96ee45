"""Random games beside the plain second version, and what is true of every game."""

from __future__ import annotations

import random
from itertools import combinations, cycle, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core import BadOption, Grid
from rules.core.grid import BitTable
from rules.klopodavka import GAME
from rules.klopodavka.layout import Block, BoardShape, Topology, apart, distance
from rules.klopodavka.notation import MOST
from rules.klopodavka.options import SIDES, Finish, Options
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import bitboard
from tests.rules.klopodavka.reference import play_both

# Random games of every variant, with any number of players, beside the plain second version.


SEATINGS = [
    "players:2 board:5x6",
    "players:3 board:6x6",
    "players:4 board:6x6",
    "teams:2v2 board:6x6",
    "players:5 board:7x6",
    "teams:2v2v2 board:7x7",
    "teams:3v3 board:8x6",
    "players:7 board:8x7",
    "teams:4v4 board:8x8",
    "players:9 board:9x8",
    "players:10 board:9x9",
    "teams:5v5 board:9x9",
]
HQ = [
    "players:2 board:6x8",
    "players:2 board:9x6 fence:off",
    "teams:2v2 board:9x8",
    "teams:2v2 board:9x8 fence:off",
    "players:3 board:11x11",
    "teams:2v2v2 board:16x14",
]
TOPOLOGIES = ["plane", "cylinder", "torus"]
ROWS = [
    *(
        f"{seating} topology:{topology} base:{base} reach:{reach} variant:{variant} actions:{actions} first:{first}"
        for seating, topology, base, reach, variant, (actions, first) in product(
            SEATINGS,
            TOPOLOGIES,
            ("crushable", "immune"),
            ("live", "base"),
            ("standard", "bases"),
            ((3, "auto"), (2, 1), (4, 2)),
        )
    ),
    *(f"{seating} topology:{topology} variant:hq" for seating, topology in product(HQ, TOPOLOGIES)),
]
# One in nineteen, a number that divides no column of the table: every word still meets every other.
SAMPLE = [*ROWS[:-18:19], *ROWS[-18::5]]


@pytest.mark.parametrize(("text", "leaving"), [*zip(SAMPLE, cycle((0, 0.02)), strict=False)])
def test_both_play_the_same(text: str, leaving: float) -> None:
    last = [*play_both(text, 1, leaving=leaving)][-1]
    assert last.outcome is not None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(12))
def test_both_play_the_same_always(part: int) -> None:
    for at, row in enumerate(ROWS[part::12]):
        for _ in play_both(row, 4, leaving=0.01) if at % 2 else play_both(row, 3):
            pass


def test_random_games_come_to_every_ending() -> None:
    small = [row for row in ROWS if "players:2 board:5x6" in row or "players:2 board:6x8" in row]
    ends = [[*play_both(row, 5)][-1].outcome for row in small]
    assert {end.reason for end in ends if end} == set(Finish)


# What is true of every game, tried on games that hypothesis makes up.


@st.composite
def options(draw: st.DrawFn) -> Options:
    """Any kind of game on a board that is soon full."""
    chosen = {
        "variant": draw(st.sampled_from(["standard", "bases", "hq"])),
        "topology": draw(st.sampled_from(["plane", "cylinder", "torus"])),
        "base": draw(st.sampled_from(["crushable", "immune"])),
        "reach": draw(st.sampled_from(["live", "base"])),
        "first": draw(st.sampled_from(["auto", "1", "2"])),
        "teams": draw(st.sampled_from(["off", "off", *SIDES])),
        "board": f"{draw(st.integers(5, 9))}x{draw(st.integers(5, 9))}",
    }
    if chosen["variant"] == "hq":
        chosen |= {
            "base": "crushable",
            "reach": "live",
            "board": draw(st.sampled_from(["12x12", "9x14", "16x12"])),
        }
    else:
        chosen["actions"] = str(draw(st.integers(1, 5)))
    if chosen["teams"] == "off":
        chosen["players"] = str(draw(st.integers(2, 6)))
    try:
        return GAME.choose(chosen)
    except BadOption:
        return GAME.choose({})


def playout(chosen: Options, seed: int) -> list[KlopodavkaPosition]:
    chance = random.Random(seed)
    line = [GAME.start(chosen)]
    while not line[-1].outcome:
        line.append(line[-1].play(chance.choice(line[-1].legal_moves())))
    return line


def turn_ends(here: KlopodavkaPosition, most: int) -> tuple[set[KlopodavkaPosition], int] | None:
    """Return every position that can end the turn, and how many can arise in it; None where there are too many."""
    level, ends, known = {here}, set(), 0
    while level:
        level = {each.play(move) for each in level for move in each.legal_moves()}
        known += len(level)
        if known > most:
            return None
        ends |= {each for each in level if each.outcome or each.seat != here.seat}
        level -= ends
    return ends, known


def check_finish(here: KlopodavkaPosition) -> bool:
    """Check what finishes a turn against all ways to finish it, if these are few; return whether there is something."""
    if not (found := turn_ends(here, 2 * MOST)):
        return False
    ends, known = found
    wins = all(end.outcome and here.to_move in end.outcome.winners for end in ends)
    moves = GAME.finish(here)
    assert wins or not moves
    assert moves or not wins or known > MOST
    last = here
    for move in moves:
        last = last.play(move)
    assert not moves or last in ends
    return bool(moves)


@settings(max_examples=40, deadline=None)
@given(options(), st.integers(0, 10**6))
def test_a_turn_is_finished_where_all_ways_to_finish_it_win(chosen: Options, seed: int) -> None:
    for here in playout(chosen, seed)[-8:-1]:
        check_finish(here)


@pytest.mark.parametrize("players", range(2, 11))
def test_turns_are_decided_before_their_end_among_any_number_of_players(players: int) -> None:
    chosen = GAME.choose({"players": str(players), "board": "10x10", "actions": "2"})
    found = [check_finish(here) for seed in range(3) for here in playout(chosen, seed)[-4:-1]]
    assert any(found)


# Sets of cells as integers, against cells one by one.


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
