"""Forced wins on 8x8, proved by trying everything; shares nothing with the engines, nor with the rules' bitboards.

Men are integers, square (file, rank) is bit `8 * rank + file`. The side to move goes up; the board is turned round after
each step.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from rules.breakthrough import BreakthroughPosition, Move
from rules.core import Seat
from tests.rules.breakthrough.making import start

_SIZE: Final = 8
_STEP_AWAY: Final = 0xFF << 8 * 6
"""A side to move with a man here wins: one diagonal step at least is open to it."""


def forced(here: BreakthroughPosition, most: int) -> int | None:
    """In how many plies the side to move can force the end, if in no more than so many."""
    own, foe = _seen(here)
    return next((plies for plies in range(1, most + 1, 2) if _wins(own, foe, plies)), None)


def keeps(here: BreakthroughPosition, move: Move, most: int) -> bool:
    """Whether a move forces the end in so many plies, itself included."""
    after = here.play(move)
    if after.outcome is not None:
        return here.to_move in after.outcome.winners
    return most > 1 and not _escapes(*_seen(after), most - 1)


def positions(seed: int) -> Iterator[BreakthroughPosition]:
    """Positions of games between people who take what they can, like to run, and see nothing coming."""
    while True:
        chance = random.Random(f"forced {seed}")
        seed += 1
        here = start("8x8", "classic")
        while here.outcome is None:
            yield here
            moves = list(here.legal_moves())
            up = here.to_move is Seat.S1
            weights = [
                (6 if move.captures else 1) * (1.2 ** (move.end.rank if up else 7 - move.end.rank))
                for move in moves
            ]
            here = here.play(chance.choices(moves, weights)[0])


def _seen(here: BreakthroughPosition) -> tuple[int, int]:
    """The men of the side to move and of the other one, the side to move going up."""
    sides = {Seat.S1: 0, Seat.S2: 0}
    for square in here.options.grid:
        if (seat := here.at(square)) is not None:
            sides[seat] |= 1 << _SIZE * square.rank + square.file
    white, black = sides[Seat.S1], sides[Seat.S2]
    return (white, black) if here.to_move is Seat.S1 else (_turned(black), _turned(white))


def _turned(men: int) -> int:
    return int.from_bytes(men.to_bytes(_SIZE, "little"), "big")


def _after(own: int, foe: int) -> Iterator[tuple[int, int]]:
    """The other side's men and the own ones after each step, the board turned; far men first."""
    for start_ in reversed(range(_SIZE * (_SIZE - 1))):
        if not own >> start_ & 1:
            continue
        for file in (start_ % _SIZE - 1, start_ % _SIZE, start_ % _SIZE + 1):
            if not 0 <= file < _SIZE:
                continue
            end = 1 << start_ // _SIZE * _SIZE + _SIZE + file
            if own & end or (foe & end and file == start_ % _SIZE):
                continue
            yield _turned(foe & ~end), _turned(own ^ 1 << start_ | end)


def _wins(own: int, foe: int, plies: int) -> bool:
    """Whether the side to move forces the end in so many plies or fewer; `plies` is odd."""
    if own & _STEP_AWAY:
        return True
    turns = (plies + 1) // 2
    # No man so near the goal, and more men to take than there are turns.
    if own >> _SIZE * (_SIZE - 1 - turns) == 0 and foe.bit_count() > turns:
        return False
    return any(
        not theirs or (plies > 1 and not _escapes(theirs, ours, plies - 1))
        for theirs, ours in _after(own, foe)
    )


def _escapes(own: int, foe: int, plies: int) -> bool:
    """Whether the side to move is not beaten within so many plies; `plies` is even."""
    if own & _STEP_AWAY:
        return True
    return any(not theirs or not _wins(theirs, ours, plies - 1) for theirs, ours in _after(own, foe))
