"""Picking a move by steps."""

from __future__ import annotations

from hypothesis import given, settings

from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.core import MAX_STEPS, Picks, walk
from tests.rules.breakthrough.making import position, positions


def moves_by_fork(here: BreakthroughPosition, path: tuple[str, ...] = ()) -> list[Move]:
    """Every move that can be picked."""
    fork = GAME.fork(here, path)
    if fork.move:
        return [fork.move]
    assert 0 < len(fork.steps) <= MAX_STEPS
    return [move for step in fork.steps for move in moves_by_fork(here, (*path, step.token))]


@settings(max_examples=40, deadline=None)
@given(positions())
def test_reaches_every_legal_move_once(here: BreakthroughPosition) -> None:
    if here.outcome:
        return
    found = moves_by_fork(here)
    assert len(found) == len(here.legal_moves())
    assert set(found) == set(here.legal_moves())


def test_the_man_then_the_target() -> None:
    here = position("8/b6w/8/8/wbbb4/1w1w4/3w4/8 w")
    first = GAME.fork(here, ())
    assert first.prompt == "breakthrough.fork.man"
    assert [step.token for step in first.steps] == ["a4", "b3", "d2", "d3", "h7"]
    assert {step.picks for step in first.steps} == {Picks.PIECE}
    second = GAME.fork(here, ("d3",))
    assert second.prompt == "breakthrough.fork.target"
    assert [step.token for step in second.steps] == ["c4", "e4"]
    assert {step.picks for step in second.steps} == {Picks.CELLS}
    done = GAME.fork(here, ("d3", "c4"))
    assert str(done.move) == "d3xc4"
    assert done.steps == ()


def test_more_men_than_fit_are_narrowed_down() -> None:
    """All 52 men of a side stand apart on the widest board, and all can move."""
    here = position("/".join(["26", *["b1" * 13] * 4, "26", *["1w" * 13] * 4]) + " w")
    first = GAME.fork(here, ())
    assert {step.picks for step in first.steps} == {Picks.REGION}
    assert set(moves_by_fork(here)) == set(here.legal_moves())
    for move in here.legal_moves():
        path, fork = walk(lambda path: GAME.fork(here, path), GAME.notation.steps(move))
        assert fork.move == move
        assert path[-2:] == GAME.notation.steps(move)
        assert len(path) > 2
