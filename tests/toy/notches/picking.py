"""Choosing a notch: a cell, with regions first on a large board."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core import Fork, IllegalMove, Legality, Picks, Step, narrow, take

from .position import Notch, Notches

PROMPT = "notches.fork.cell"


def fork(position: Notches, chosen: Sequence[str]) -> Fork[Notch]:
    """The cells that can be cut, or the notch once one is named."""
    if position.outcome:
        raise IllegalMove(Legality.GAME_OVER)
    cells = [Step(str(move.square), Picks.CELLS, (move.square,)) for move in position.legal_moves()]
    steps, rest = narrow(cells, chosen)
    if not rest:
        return Fork(PROMPT, steps)
    step = take(Fork(PROMPT, steps), rest[0])
    if len(rest) > 1:
        raise IllegalMove(Legality.NO_SUCH_STEP, step=rest[1])
    return Fork(PROMPT, move=Notch(step.squares[0]))
