"""Steps, sums and certainties, in Python and in the native core, beside the rules and the plain definition."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice

import pytest

from engine.breakthrough import evaluation as shape
from engine.breakthrough.engine_base import WIN
from rules import GAMES
from rules.breakthrough import BreakthroughPosition
from rules.core import Grid, Seat, Square, perft
from tests.engine.breakthrough.kinds import LARGE, SMALL, VARIANTS, games, solved, ways
from tests.rules.breakthrough.making import position


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("board", [*SMALL, *LARGE])
def test_steps_are_those_of_the_rules(board: str, variant: str) -> None:
    for here in islice(games(board, variant, 2), 0, 300, 17):
        wanted = [perft(here, depth) for depth in (1, 2)]
        for way in ways():
            assert [way.perft(here, depth) for depth in (1, 2)] == wanted, (way.name, here)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("board", [*SMALL, *LARGE])
def test_a_score_is_the_sum_of_its_patterns(board: str, variant: str) -> None:
    for here in islice(games(board, variant, 2), 0, 300, 19):
        wanted = plain_sum(here)
        for way in ways():
            assert way.evaluate(here) == wanted, (way.name, here)


def plain_sum(here: BreakthroughPosition) -> int:
    """The score by its definition, a cell at a time."""
    grid = here.options.grid
    of = shape.weights_for(here.options)

    def cell(file: int, rank: int) -> int:
        """Empty, own or foe, as the side to move sees the board."""
        if not (0 <= file < grid.files and 0 <= rank < grid.ranks):
            return 0
        owner = here.at(Square(file, rank if here.to_move is Seat.S1 else grid.ranks - 1 - rank))
        return 0 if owner is None else 1 if owner is here.to_move else 2

    total = all_patterns(grid, of, cell)
    total -= all_patterns(grid, of, lambda _file, _rank: 0)
    total += all_patterns(Grid(8, 8), of, lambda _file, _rank: 0)
    return max(-shape.MOST, min(shape.MOST, total >> shape.SHIFT))


def all_patterns(grid: Grid, of: shape.PatternWeights, cell: Callable[[int, int], int]) -> int:
    """The weights of all patterns on a board, the cells told one by one."""

    def number(cells: list[int]) -> int:
        return sum(3**at * value for at, value in enumerate(cells))

    total = 0
    wide = max(1, grid.files - 2)
    for rank in range(grid.ranks - 1):
        for first in range(wide):
            files = [first, first + 1, first + 2]
            if first > wide - 1 - first:
                files.reverse()
            place = shape.from_ends(rank, grid.ranks - 1, shape.BRICK_RANKS) * shape.BRICK_FILES
            place += min(first, wide - 1 - first, shape.BRICK_FILES - 1)
            pattern = [cell(file, up) for up in (rank, rank + 1) for file in files]
            total += of.bricks[place * shape.BRICKS + number(pattern)]
    for rank in range(grid.ranks):
        for file in range(grid.files):
            left, right = (file - 1, file + 1) if file <= grid.files - 1 - file else (file + 1, file - 1)
            place = shape.from_ends(rank, grid.ranks, shape.CROSS_RANKS) * shape.CROSS_FILES
            place += min(file, grid.files - 1 - file, shape.CROSS_FILES - 1)
            pattern = [cell(file, rank)]
            pattern += [cell(near, up) for up in (rank - 1, rank + 1) for near in (left, right)]
            total += of.crosses[place * shape.CROSSES + number(pattern)]
    return total


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "board", ["5x12", "6x6", "7x7", "8x8", "9x9", "10x10", "12x12", "16x16", "20x20", "26x26"]
)
def test_at_the_start_no_side_is_ahead_on_a_board_of_any_size(board: str, variant: str) -> None:
    game = GAMES["breakthrough"]
    here = game.start(game.choose({"board": board, "variant": variant}))
    assert isinstance(here, BreakthroughPosition)
    for way in ways():
        assert abs(way.evaluate(here)) < shape.LOGIT / 3, way.name


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "board", ["2x4", "3x4", *(pytest.param(board, marks=pytest.mark.slow) for board in ("2x6", "3x5"))]
)
def test_what_is_certain_is_so(board: str, variant: str) -> None:
    found = 0
    # From the later half of the games: what comes after is solved by trying all.
    late = [here for here in games(board, variant, 40) if sum(map(int.bit_count, here.men)) <= 6]
    for here in random.Random(1).sample(late, min(60, len(late))):
        won, plies = solved(here)
        told = {way.name: way.certain(here) for way in ways()}
        assert len(set(told.values())) == 1, (here, told)
        sure = told["python"]
        if sure:
            found += 1
            assert (sure > 0) is won, here
            assert WIN - abs(sure) >= plies or not won, here
    assert variant == "misere" or found > 10


@pytest.mark.parametrize("board", [*SMALL, *LARGE])
def test_both_are_certain_of_the_same(board: str) -> None:
    for here in islice(games(board, "classic", 8), 1000):
        assert len({way.certain(here) for way in ways()}) == 1, here


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("8/3w4/8/8/8/8/b7/8 w", WIN - 1),  # arrives at once
        ("8/8/8/8/8/8/b7/8 w", -WIN),  # no man is left
        ("8/8/w7/8/8/8/b3b3/1w6 w", 2 - WIN),  # two are about to arrive, one can be taken
        ("8/8/w7/8/8/7b/3b4/8 w", 2 - WIN),  # it cannot be taken
        ("8/8/3w4/8/8/4b3/8/w7 w", WIN - 3),  # the squares before the goal are unguarded
        ("1bb5/8/w7/8/8/4b3/8/w7 w", 0),  # they are guarded
        ("1b6/8/8/1w6/6b1/8/8/6w1 w", 0),  # both can be met
        ("7b/8/8/1w6/6b1/8/8/3w4 w", WIN - 5),  # neither is met, and it comes first
        ("8/8/8/8/1w5b/8/8/8 w", 6 - WIN),  # the other is a step ahead
        ("8/8/8/1w6/7b/8/8/8 w", WIN - 5),  # the side to move comes first
        ("8/8/8/1w6/7b/8/8/8 b", WIN - 5),
    ],
)
def test_ends_in_sight(text: str, sure: int) -> None:
    for way in ways():
        assert way.certain(position(text)) == sure, way.name
