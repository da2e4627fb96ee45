"""Which rule a move breaks."""

from __future__ import annotations

from rules.breakthrough.bitboard import bit
from rules.breakthrough.movegen import State
from rules.breakthrough.moves import Move
from rules.breakthrough.reasons import Refusal
from rules.core import IllegalMove, Legality, Spelling, Square


def refusal(state: State, move: Move, *, over: bool) -> IllegalMove:
    """The rule that forbids a move which is not legal; `over` where the game is."""
    return (
        _refused_here(state, move, over=over)
        or _refused_step(move, state[2].ahead)
        or _refused_target(state, move)
    )


def _refused_here(state: State, move: Move, *, over: bool) -> IllegalMove | None:
    """Why nothing can go from there now."""
    if over:
        return IllegalMove(Legality.GAME_OVER)
    grid = state[2].options.grid
    for square in (move.start, move.end):
        if square not in grid:
            return IllegalMove(Spelling.OFF_THE_BOARD, square=square, board=grid)
    own, foe = _holds(state, move.start)
    if own:
        return None
    return IllegalMove(Refusal.OPPONENTS_MAN if foe else Refusal.NO_MAN, square=move.start)


def _refused_step(move: Move, ahead: int) -> IllegalMove | None:
    """Why no man goes that way, on any board."""
    ranks = (move.end.rank - move.start.rank) * ahead
    if ranks < 1:
        return IllegalMove(Refusal.NOT_FORWARD, start=move.start, end=move.end)
    if ranks > 1 or abs(move.end.file - move.start.file) > 1:
        return IllegalMove(Refusal.TOO_FAR, start=move.start, end=move.end)
    return None


def _refused_target(state: State, move: Move) -> IllegalMove:
    """Why an own man may not take a step that is well aimed, and is not legal."""
    own, foe = _holds(state, move.end)
    if own:
        return IllegalMove(Refusal.OWN_MAN, square=move.end)
    if not foe:  # an empty square may be entered: only the claim to capture there is wrong
        return IllegalMove(Refusal.NOTHING_TO_CAPTURE, square=move.end)
    straight = move.start.file == move.end.file
    return IllegalMove(Refusal.BLOCKED if straight else Refusal.IS_A_CAPTURE, start=move.start, end=move.end)


def unreachable(state: State, end: Square, *, captures: bool, over: bool) -> IllegalMove:
    """Why no man can go to a square of the board that was named alone."""
    if over:
        return IllegalMove(Legality.GAME_OVER)
    own, foe = _holds(state, end)
    if own:
        return IllegalMove(Refusal.OWN_MAN, square=end)
    if captures and not foe:
        return IllegalMove(Refusal.NOTHING_TO_CAPTURE, square=end)
    return IllegalMove(Refusal.UNREACHABLE, square=end)


def _holds(state: State, square: Square) -> tuple[bool, bool]:
    """Whether a man of the seat to move stands on a square, and whether one of the opponent does."""
    own, foe, mover = state
    one = bit(mover.options.grid, square)
    return bool(own & one), bool(foe & one)
