"""What is proved of starts, by a second solver."""

from __future__ import annotations

import pytest

from bench.solved import witness
from engine import proof_of_start
from engine.core import GameValue
from rules import GAMES


@pytest.mark.slow
@pytest.mark.parametrize(
    "board", ["2x4", "2x5", "2x9", "3x4", "3x6", "3x7", "4x4", "4x5", "5x4", "7x4", "8x4"]
)
def test_a_solver_that_counts_no_races_finds_the_same_plies(board: str) -> None:
    game = GAMES["breakthrough"]
    proof = proof_of_start(game, game.choose({"board": board}))
    assert proof is not None
    files, ranks = map(int, board.split("x"))
    assert witness(files, ranks, 20) == (proof.plies if proof.result is GameValue.WIN else -proof.plies)
