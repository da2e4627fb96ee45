"""Choosing a notch: a cell, with regions first on a large board."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core import Fork, Picks, Step, pick_one

from .position import Notch, Notches

PROMPT = "notches.fork.cell"


def fork(position: Notches, chosen: Sequence[str]) -> Fork[Notch]:
    """The cells that can be cut, or the notch once one is named."""
    moves = {Step(str(move.square), Picks.CELLS, (move.square,)): move for move in position.legal_moves()}
    return pick_one(PROMPT, moves, chosen)
