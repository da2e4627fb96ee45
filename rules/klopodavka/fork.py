"""Picking an action: one cell, on large fronts by way of a part of the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.core import Fork, Picks, Step, pick_one
from rules.klopodavka.moves import Move
from rules.klopodavka.position import KlopodavkaPosition

PROMPT: Final = "klopodavka.pick.cell"
"""Catalogue key of what a fork asks for."""


def fork(position: KlopodavkaPosition, chosen: Sequence[str]) -> Fork[Move]:
    """Return the cells to act on, or the action once one is chosen."""
    moves = {
        Step(str(move.square), Picks.PIECE if move.crush else Picks.CELLS, (move.square,)): move
        for move in position.legal_moves()
    }
    return pick_one(PROMPT, moves, chosen)
