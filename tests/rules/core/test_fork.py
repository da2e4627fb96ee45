"""Narrowing: any number of squares becomes a few choices at a time, and every one of them is reached."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core import (
    MAX_STEPS,
    Fork,
    Grid,
    IllegalMove,
    Legality,
    Picks,
    Square,
    Step,
    narrow,
    sq,
    take,
    walk,
)


def steps(squares: Iterable[Square]) -> list[Step]:
    return [Step(str(square), Picks.CELLS, (square,)) for square in squares]


def pick(squares: Sequence[Square]) -> Callable[[tuple[str, ...]], Fork[Square]]:
    """A fork that picks one of some squares."""
    offered = steps(squares)

    def at(path: tuple[str, ...]) -> Fork[Square]:
        shown, rest = narrow(offered, path)
        if not rest:
            return Fork("prompt", shown)
        return Fork("prompt", move=take(Fork("prompt", shown), rest[0]).squares[0])

    return at


def leaves(
    offered: list[Step], path: tuple[str, ...] = (), depth: int = 0
) -> list[tuple[tuple[str, ...], Step]]:
    """Every step under a narrowing, with the regions that lead to it."""
    shown, rest = narrow(offered, path)
    assert not rest
    assert 0 < len(shown) <= MAX_STEPS
    assert len({step.token for step in shown}) == len(shown)
    assert depth < 4
    found = []
    for step in shown:
        if step.picks is Picks.REGION:
            assert len(step.token) <= 12
            found += leaves(offered, (*path, step.token), depth + 1)
        else:
            found.append((path, step))
    return found


@pytest.mark.parametrize(
    "grid", [Grid(f, r) for f in (1, 2, 5, 6, 10, 11, 20, 26) for r in (1, 4, 10, 13, 30)]
)
def test_a_full_board_is_cut_without_gap_or_overlap(grid: Grid) -> None:
    found = leaves(steps(grid))
    assert sorted(step.squares[0] for _, step in found) == sorted(grid)
    if grid.files <= 10 and grid.ranks <= 10:
        assert max(len(path) for path, _ in found) <= 1
    assert max(len(path) for path, _ in found) <= 2


@settings(max_examples=60)
@given(st.integers(1, 26), st.integers(1, 30), st.floats(0, 1), st.randoms(use_true_random=False))
def test_any_squares_are_reached_once(files: int, ranks: int, share: float, chance: random.Random) -> None:
    squares = [square for square in Grid(files, ranks) if chance.random() < share] or [Square(0, 0)]
    found = leaves(steps(squares))
    assert [str(step.squares[0]) for _, step in found] == [step.token for _, step in found]
    assert sorted(step.squares[0] for _, step in found) == sorted(squares)
    for _ in range(3):
        square = chance.choice(squares)
        path, fork = walk(pick(squares), [str(square)])
        assert fork.move == square
        assert path[-1] == str(square)


def test_the_quarters_of_a_ten_by_ten_board() -> None:
    shown, _ = narrow(steps(Grid(10, 10)), ())
    assert [step.token for step in shown] == ["a6-e10", "f6-j10", "a1-e5", "f1-j5"]
    assert all(step.picks is Picks.REGION for step in shown)
    inside, rest = narrow(steps(Grid(10, 10)), ("f1-j5", "g2", "more"))
    assert len(inside) == 25
    assert list(rest) == ["g2", "more"]


def test_a_wrong_region_is_refused() -> None:
    for wrong in ("a1", "a1-b2", "", "\0"):
        with pytest.raises(IllegalMove) as refused:
            narrow(steps(Grid(10, 10)), (wrong,))
        assert refused.value.reason is Legality.NO_SUCH_STEP
        assert refused.value.fields == {"step": wrong}


def test_too_many_steps_on_one_square_are_a_mistake_of_the_game() -> None:
    with pytest.raises(ValueError, match="one square"):
        narrow([Step(str(n), Picks.CELLS, (sq("a1"),)) for n in range(26)], ())


def test_several_steps_on_each_square_are_cut_down_too() -> None:
    offered = [Step(f"{square} {n}", Picks.PIECE, (square,)) for square in Grid(4, 4) for n in range(5)]
    assert len(leaves(offered)) == 80


def test_walk_adds_the_regions_and_refuses_what_is_not_there() -> None:
    squares = [square for square in Grid(26, 30) if square != sq("m15")]
    path, fork = walk(pick(squares), ["z30"])
    assert len(path) >= 2
    assert fork.move == sq("z30")
    for wrong in ("m15", "nothing", "", "a1-b2", "a31"):
        with pytest.raises(IllegalMove) as refused:
            walk(pick(squares), [wrong])
        assert refused.value.reason is Legality.NO_SUCH_STEP
    assert walk(pick(squares), [])[0] == ()
