"""Picking a turn step by step."""

from __future__ import annotations

import random

import pytest

from rules.core import IllegalMove, Legality, Picks, walk
from rules.lgame import GAME, LPosition, Move
from rules.lgame.fork import fork
from rules.lgame.moves import mv
from tests.rules.lgame.shared import NOTATION, VARIANTS, at, start


def leaves(position: LPosition, path: tuple[str, ...] = ()) -> list[Move]:
    here = fork(position, path)
    assert len(here.steps) <= 25
    if here.move is not None:
        assert not here.steps
        return [here.move]
    assert here.steps
    return [move for step in here.steps for move in leaves(position, (*path, step.token))]


@pytest.mark.parametrize("preset", VARIANTS)
def test_reaches_every_move_once_and_nothing_else(preset: str) -> None:
    chance = random.Random(preset)
    position = start(preset)
    for _ in range(4):
        if position.outcome:
            break
        assert leaves(position) == list(position.legal_moves())
        for move in position.legal_moves():
            path, end = walk(lambda path, p=position: fork(p, path), NOTATION.steps(move))  # type: ignore[misc]
            assert (path, end.move) == (NOTATION.steps(move), move)
        position = position.play(chance.choice(position.legal_moves()))


def tokens(position: LPosition, *path: str) -> list[str]:
    return [step.token for step in fork(position, path).steps]


def test_classic_steps() -> None:
    assert tokens(start()) == ["a1-a3-b3", "a3-a1-b1", "b1-b3-a3", "b3-b1-a1", "c1-a1-a2"]
    assert tokens(start(), "c1-a1-a2") == ["keep", "n d1", "n a4"]
    assert fork(start(), ("c1-a1-a2", "keep")).move == mv("L c1-a1-a2")
    assert tokens(start(), "c1-a1-a2", "n a4") == ["b2", "d2", "a3", "b3", "d3", "d4"]
    assert fork(start(), ("c1-a1-a2", "n a4", "b2")).move == mv("L c1-a1-a2 n a4-b2")


def test_sudden_death_steps() -> None:
    position = start("sudden-death")
    assert tokens(position, "c1-a1-a2") == ["keep", "n d1", "n a4", "both"]
    pairs = tokens(position, "c1-a1-a2", "both")
    assert len(pairs) == 15
    assert pairs[0] == "b2 d2"
    assert fork(position, ("c1-a1-a2", "both", "b2 d2")).move == mv("L c1-a1-a2 n d1-b2 n a4-d2")


def test_what_a_step_shows() -> None:
    place = fork(start(), ()).steps[0]
    assert (place.picks, " ".join(map(str, place.squares))) == (Picks.CELLS, "a1 a2 a3 b3")
    keep, neutral, _, both = fork(start("sudden-death"), ("c1-a1-a2",)).steps
    assert (keep.picks, keep.squares, keep.label) == (Picks.NOTHING, (), "lgame.step.keep")
    assert (neutral.picks, str(neutral.squares[0]), neutral.label) == (Picks.PIECE, "d1", None)
    assert (both.picks, len(both.squares), both.label) == (Picks.PIECE, 2, "lgame.step.both")


@pytest.mark.parametrize(
    "path",
    [
        ("b1-b3-c3",),
        ("B1-B3-A3",),
        ("c1-a1-a2", "n b2"),
        ("c1-a1-a2", "both"),
        ("c1-a1-a2", "n a4", "a4"),
        ("c1-a1-a2", "n a4", "a1"),
        ("c1-a1-a2", "keep", "b2"),
        ("c1-a1-a2", "n a4", "b2", "n d1"),
    ],
)
def test_no_such_step(path: tuple[str, ...]) -> None:
    with pytest.raises(IllegalMove) as refused:
        fork(start(), path)
    assert refused.value.reason is Legality.NO_SUCH_STEP


def test_nothing_to_pick_once_the_game_is_over() -> None:
    for path in ((), ("a1-a3-b3",)):
        with pytest.raises(IllegalMove) as refused:
            GAME.fork(at("111o/122./o.2./..2. 1"), path)
        assert refused.value.reason is Legality.GAME_OVER
