"""Which cells a seat can act on: the one source of what is legal.

A chain starts from the seat's own live bugs or, in an anchored game, from those on its home. It goes on through walls
of the seat's side and, in an anchored game, through its own live bugs. What touches the chain is reached, if it is
empty or holds an enemy's live bug that is not immune.
"""

from __future__ import annotations

from rules.klopodavka.ground import Ground
from rules.klopodavka.standing import Standing


def reach(ground: Ground, standing: Standing, seat: int) -> int:
    """The cells that a seat can act on."""
    bugs, walls, _, stones = standing
    own = front = bugs[seat]
    left = walls[seat]
    barred = stones | own
    if ground.shared:
        left, barred = _with_allies(ground, standing, seat, barred)
    if ground.anchored:
        front = own & ground.homes[seat]
        left |= own ^ front
    spread = ground.spread
    near = 0
    while front:
        front = spread(front)
        near |= front
        front &= left
        left ^= front
    return near & ground.soft & ~barred


def grown(ground: Ground, standing: Standing, seat: int, before: int, place: tuple[int, int]) -> int:
    """What `reach` gives after this seat itself has acted on a cell, from what it gave before.

    An own action cuts nothing: the cell was reached, so it lengthens a chain, as a bug or as a wall, and may link
    walls that were not linked.

    Args:
        ground: The kind of game.
        standing: What stands where now.
        seat: Who has acted.
        before: What he reached before.
        place: The cell, and those that touch it.
    """
    bugs, walls, _, stones = standing
    bit, near = place
    own = bugs[seat]
    left = walls[seat]
    barred = stones | own
    if ground.shared:
        left, barred = _with_allies(ground, standing, seat, barred)
    if ground.anchored:
        left |= own
    front = near & left
    if front:
        spread = ground.spread
        left &= ~(front | bit)
        while front:
            front = spread(front)
            near |= front
            front &= left
            left ^= front
    return (before | near) & ground.soft & ~barred


def could_ever(ground: Ground, standing: Standing, seat: int) -> int:
    """The cells that this seat's chain could come to if nobody else ever acted again.

    It goes on through empty cells and through bugs that he could crush, and stops at other sides' walls. Walls of his
    own side, and own bugs, that are not linked now carry the chain once it has come to them.
    """
    bugs, walls, _, stones = standing
    own = start = bugs[seat]
    left = walls[seat]
    barred = stones | own
    if ground.shared:
        left, barred = _with_allies(ground, standing, seat, barred)
    if ground.anchored:
        start = own & ground.homes[seat]
    return ground.board.flood(start, left | own | ground.soft & ~barred)


def _with_allies(ground: Ground, standing: Standing, seat: int, barred: int) -> tuple[int, int]:
    """The walls of the whole side, and what is barred with the bugs of the whole side."""
    left = 0
    for ally in ground.allies[seat]:
        left |= standing.walls[ally]
        barred |= standing.bugs[ally]
    return left, barred
