from __future__ import annotations

import pytest

from engine.core import SearchResult
from engine.klopodavka import SPECIALIST
from rules.core import Sign
from rules.klopodavka import GAME, KlopodavkaPosition, Move
from tests.rules.klopodavka.making import played, position, start


def result(here: KlopodavkaPosition, text: str) -> SearchResult[Move]:
    turn = GAME.notation.parse(text, here)
    return SearchResult(tuple(turn), 0.0, None, tuple(turn), 1, 1, 0, "test")


@pytest.mark.parametrize(
    ("here", "turn", "key"),
    [
        (position("5/3b1/2a2/5/5 1 1 -", board="5x5"), "xd4", "win"),
        (start(), "b2 c3 d4", "reach"),
        (played(start(), "b2 c3 d4", "i9 h8 g7", "e5 f6 e6"), "xf6 xe5 xd4", "hem"),
    ],
)
def test_a_turn_has_a_name(here: KlopodavkaPosition, turn: str, key: str) -> None:
    found = SPECIALIST.idea(here, result(here, turn))
    assert found is not None
    assert found.phrase.key == f"klopodavka.idea.{key}"
    crushed = [move.square for move in result(here, turn).turn if move.crush]
    assert [(mark.sign, mark.square) for mark in found.marks] == [
        (Sign.CRUSHED, square) for square in crushed
    ]
