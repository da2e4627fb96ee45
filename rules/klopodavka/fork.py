"""Picking an action: one cell, on large fronts by way of a part of the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.core.errors import IllegalMove
from rules.core.fork import Fork, Picks, Step, narrow, take
from rules.core.reasons import Legality
from rules.klopodavka.moves import Move
from rules.klopodavka.position import KlopodavkaPosition

PROMPT: Final = "klopodavka.pick.cell"
"""Catalogue key of what a fork asks for."""


def fork(position: KlopodavkaPosition, chosen: Sequence[str]) -> Fork[Move]:
    """The cells to act on, or the action once one is chosen.

    Raises:
        IllegalMove: the game is over, or a token is no step where it stands.
    """
    if position.outcome:
        raise IllegalMove(Legality.GAME_OVER)
    moves = {str(move.square): move for move in position.legal_moves()}
    cells = [
        Step(token, Picks.PIECE if move.crush else Picks.CELLS, (move.square,))
        for token, move in moves.items()
    ]
    steps, left = narrow(cells, chosen)
    if not left:
        return Fork(PROMPT, steps)
    step = take(Fork(PROMPT, steps), left[0])
    if len(left) > 1:
        raise IllegalMove(Legality.NO_SUCH_STEP, step=left[1])
    return Fork(PROMPT, move=moves[step.token])
