"""A quick guess at who is better off: points where they count, else room to move in."""

from __future__ import annotations

from typing import Final

from rules.core import Seat, squashed
from rules.lgame.board import fitting
from rules.lgame.position import LPosition

_LEAD: Final = 6.0  # points that are half a win
_ROOM: Final = 12.0  # ways to lie by which one is half lost
_INSIDE: Final = 0b0110_0110 << 4  # b2 c2 b3 c3: an L that holds them is in no corner


def evaluate(position: LPosition, seat: Seat, /) -> float:
    """The lead in points, and in how many ways each L could lie; holding the middle keeps an L out of the corners."""
    other = Seat.S1 if seat else Seat.S2
    own, foe, neutrals = position.cells(seat), position.cells(other), position.neutrals
    room = len(fitting(foe | neutrals)) - len(fitting(own | neutrals))
    inside = (own & _INSIDE).bit_count() - (foe & _INSIDE).bit_count()
    ahead = (room + inside) / _ROOM
    if position.scores:
        ahead = ahead / 2 + (position.scores[seat] - position.scores[other]) / _LEAD
    return squashed(ahead)
