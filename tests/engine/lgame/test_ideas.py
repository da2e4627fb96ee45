"""Ideas behind turns of the L-game, in positions made for them."""

from __future__ import annotations

import pytest

from engine.core import GameValue, Proof, SearchResult
from engine.lgame.puzzles import idea_of
from rules.lgame import GAME


@pytest.mark.parametrize(
    ("position", "turn", "name", "marked"),
    [
        ("222./2.../o.1./111o 1", "L b1-b3-c3 n d1-d3", "square-last", "b1 c1 d1 b2 c2 d2 b3 c3 d3"),
        ("2o../222o/...1/.111 1", "L a2-c2-c1 n b4-c4", "half-last", "a1 b1 c1 d1 a2 b2 c2 d2"),
        # The opponent's L lies in every part that is closed.
        ("2.../222./o.1./111o 1", "L b2-d2-d3 n d1-c4", "last", "a3 b3 c3 a4"),
    ],
)
def test_a_turn_that_wins_is_named_by_the_block_that_it_makes(
    position: str, turn: str, name: str, marked: str
) -> None:
    here = GAME.notation.parse_position(position, GAME.choose({}))
    (move,) = GAME.notation.parse(turn, here)
    assert here.play(move).outcome
    idea = idea_of(here, SearchResult((move,), 1.0, Proof(GameValue.WIN, 1), (move,), 1, 0, 0, ""))
    assert idea is not None
    assert idea.phrase.key == f"lgame.idea.{name}"
    assert idea.reply is not None
    assert idea.reply.key == f"lgame.reply.{name}"
    assert " ".join(str(mark.square) for mark in idea.marks) == marked
