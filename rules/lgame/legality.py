"""Which rule an illegal turn breaks: the first one, the L's before the neutrals'."""

from __future__ import annotations

from rules.core import IllegalMove
from rules.lgame.board import FULL, LYING, squares
from rules.lgame.moves import Move
from rules.lgame.reasons import Refusal


def lying(cells: int, own: int, other: int, neutrals: int) -> IllegalMove | None:
    """Why the L may not be put on these cells, or None if it may."""
    if cells not in LYING:
        return IllegalMove(Refusal.NOT_AN_L, squares=squares(cells & FULL))
    if cells == own:
        return IllegalMove(Refusal.SAME_CELLS, squares=squares(cells))
    if taken := cells & other:
        return IllegalMove(Refusal.ON_OPPONENT, squares=squares(taken))
    if taken := cells & neutrals:
        return IllegalMove(Refusal.ON_NEUTRAL, squares=squares(taken))
    return None


def settling(move: Move, other: int, neutrals: int, lifts: int) -> IllegalMove:
    """Why the neutrals may not go as this move says, when its L may; `lifts` of them may move."""
    lifted, put = squares(move.lifted & FULL), squares(move.put & FULL)
    if absent := squares(move.lifted & FULL & ~neutrals):
        return IllegalMove(Refusal.NO_NEUTRAL, square=absent[0], neutrals=squares(neutrals))
    if max(len(lifted), len(put)) > lifts:
        return IllegalMove(Refusal.TOO_MANY_NEUTRALS, count=lifts)
    if taken := squares(move.put & (move.cells | other | neutrals)):
        return IllegalMove(Refusal.TARGET_TAKEN, square=taken[0])
    if len(put) < len(lifted):
        return IllegalMove(Refusal.WHERE_TO, square=lifted[len(put)])
    # More cells entered than left, or bits beyond the board: no text says so, only code can.
    return IllegalMove(Refusal.TOO_MANY_NEUTRALS, count=len(lifted))
