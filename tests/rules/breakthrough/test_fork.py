"""Picking a move by steps."""

from __future__ import annotations

from hypothesis import given, settings

from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.core import MAX_STEPS, Picks
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
