"""Which rule a move breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.breakthrough.moves import Move
from rules.breakthrough.reasons import Refusal
from rules.core.errors import IllegalMove
from rules.core.reasons import Legality, Spelling
from rules.core.square import Square

if TYPE_CHECKING:
    from rules.breakthrough.position import BreakthroughPosition


def refusal(position: BreakthroughPosition, move: Move) -> IllegalMove:
    """The rule that forbids a move which is not legal."""
    return (
        _refused_here(position, move)
        or _refused_step(move, position.state[2].ahead)
        or _refused_target(position, move)
    )


def _refused_here(position: BreakthroughPosition, move: Move) -> IllegalMove | None:
    """Why nothing can go from there now."""
    if position.outcome:
        return IllegalMove(Legality.GAME_OVER)
    grid = position.options.grid
    for square in (move.start, move.end):
        if square not in grid:
            return IllegalMove(Spelling.OFF_THE_BOARD, square=square, board=str(grid))
    owner = position.at(move.start)
    if owner is position.to_move:
        return None
    return IllegalMove(Refusal.NO_MAN if owner is None else Refusal.OPPONENTS_MAN, square=move.start)


def _refused_step(move: Move, ahead: int) -> IllegalMove | None:
    """Why no man goes that way, on any board."""
    ranks = (move.end.rank - move.start.rank) * ahead
    if ranks < 1:
        return IllegalMove(Refusal.NOT_FORWARD, start=move.start, end=move.end)
    if ranks > 1 or abs(move.end.file - move.start.file) > 1:
        return IllegalMove(Refusal.TOO_FAR, start=move.start, end=move.end)
    return None


def _refused_target(position: BreakthroughPosition, move: Move) -> IllegalMove:
    """Why an own man may not take a step that is well aimed, and is not legal."""
    holder = position.at(move.end)
    if holder is position.to_move:
        return IllegalMove(Refusal.OWN_MAN, square=move.end)
    if holder is None:  # an empty square may be entered: only the claim to capture there is wrong
        return IllegalMove(Refusal.NOTHING_TO_CAPTURE, square=move.end)
    straight = move.start.file == move.end.file
    return IllegalMove(Refusal.BLOCKED if straight else Refusal.IS_A_CAPTURE, start=move.start, end=move.end)


def nobody_reaches(position: BreakthroughPosition, end: Square, *, captures: bool) -> IllegalMove:
    """Why no man can go to a square of the board that was named alone."""
    if position.outcome:
        return IllegalMove(Legality.GAME_OVER)
    holder = position.at(end)
    if holder is position.to_move:
        return IllegalMove(Refusal.OWN_MAN, square=end)
    if captures and holder is None:
        return IllegalMove(Refusal.NOTHING_TO_CAPTURE, square=end)
    return IllegalMove(Refusal.NOBODY_REACHES, square=end)
