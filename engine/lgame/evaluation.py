"""Evaluation of the game for points: the lead, and what can be scored next."""

from __future__ import annotations

from typing import Final

from rules.core import Seat, squashed
from rules.lgame import LPosition
from rules.lgame.board import fitting
from rules.lgame.options import BLOCK_POINTS

_LEAD: Final = 4.0
"""Points that are half a win, when the goal is far."""
_ROOM: Final = 4
"""With so few ways to lie, an L is in danger of being blocked."""


def evaluate(position: LPosition, seat: Seat, /) -> float:
    """The lead, what each can score in its next turn (the one to move for sure), and how near each is to a block."""
    other = Seat.S1 if seat else Seat.S2
    painted, neutrals = position.options.painted, position.neutrals
    own, foe = position.cells(seat), position.cells(other)
    mine, theirs = fitting(foe | neutrals), fitting(own | neutrals)
    ahead = float(position.scores[seat] - position.scores[other])
    first = position.to_move == seat
    ahead += (1.0 if first else 0.5) * _most(mine, own, painted)
    ahead -= (0.5 if first else 1.0) * _most(theirs, foe, painted)
    ahead += _danger(theirs, not first) - _danger(mine, first)
    goal = position.options.goal
    near = max(position.scores) / goal
    return squashed(ahead * (1.0 + 2.0 * near) / _LEAD)


def _most(places: tuple[int, ...], own: int, painted: int) -> int:
    """The most painted cells that an L could cover next."""
    return max(((cells & painted).bit_count() for cells in places if cells != own), default=0)


def _danger(places: tuple[int, ...], to_move: bool) -> float:
    """What a threatening block may cost."""
    left = len(places) - 1
    if left >= _ROOM:
        return 0.0
    return (0.3 if to_move else 1.0) * BLOCK_POINTS * (_ROOM - left) / (2 * _ROOM)
