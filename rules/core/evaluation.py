"""A guess at who is better off, for a game that does not say how to tell."""

from __future__ import annotations

from typing import Any, Final

from rules.core.position import Position
from rules.core.seat import Seat

_LEAD: Final = 10.0  # points that are half a win
_CHOICE: Final = 12.0  # legal moves of an ordinary position


def squashed(advantage: float) -> float:
    """An advantage of any size as a guess between -1 and 1; 1.0 is half a win, and 0 is nothing."""
    return advantage / (1.0 + abs(advantage))


def guess(position: Position[Any], seat: Seat, /) -> float:
    """By points, where the game counts any: the lead over the best other. Else by how much choice the mover has."""
    scores = position.scores
    if scores:
        best = max(score for other, score in enumerate(scores) if other != seat)
        return squashed((scores[seat] - best) / _LEAD)
    choice = len(position.legal_moves())
    mobility = 0.2 * (choice - _CHOICE) / (choice + _CHOICE)
    return mobility if seat == position.to_move else -mobility
