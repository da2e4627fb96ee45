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
    return open_to(ground, standing, seat, touched(ground, standing, seat))


def touched(ground: Ground, standing: Standing, seat: int) -> int:
    """A seat's chain and all that touches it."""
    start = standing[0][seat]
    if ground.anchored:
        start &= ground.homes[seat]
    return ground.board.touched(start, carriers(ground, standing, seat) & ~start)


def lengthened(ground: Ground, standing: Standing, seat: int, before: int, near: int) -> int:
    """What `touched` gives after this seat itself has acted on a cell, from what it gave before.

    An own action cuts nothing: the cell was reached, so it lengthens a chain, as a bug or as a wall. It may link what
    was not linked; what was touched before and can carry the chain is part of it already.

    Args:
        ground: The kind of game.
        standing: What stands where now.
        seat: Who has acted.
        before: What `touched` gave.
        near: The cells that touch the one acted on.
    """
    unlinked = carriers(ground, standing, seat) & ~before
    if found := near & unlinked:
        near |= ground.board.touched(found, unlinked ^ found)
    return before | near


def open_to(ground: Ground, standing: Standing, seat: int, cells: int) -> int:
    """Those of some cells on which a seat can act if they touch its chain: empty, or an enemy's crushable bug."""
    bugs = standing[0]
    barred = standing[3] | bugs[seat]
    if ground.shared:
        for ally in ground.allies[seat]:
            barred |= bugs[ally]
    return cells & ground.soft & ~barred


def carriers(ground: Ground, standing: Standing, seat: int) -> int:
    """What a seat's chain goes on through, and in a game that is anchored its own bugs on the way."""
    walls = standing[1]
    cells = walls[seat]
    if ground.shared:
        for ally in ground.allies[seat]:
            cells |= walls[ally]
    return cells | standing[0][seat] if ground.anchored else cells


def could_ever(ground: Ground, standing: Standing, seat: int) -> int:
    """The cells that this seat's chain could come to if nobody else ever acted again.

    It goes on through empty cells and through bugs that he could crush, and stops at other sides' walls. Walls of his
    own side, and own bugs, that are not linked now carry the chain once it has come to them.
    """
    own = start = standing.bugs[seat]
    if ground.anchored:
        start &= ground.homes[seat]
    through = own | carriers(ground, standing, seat) | open_to(ground, standing, seat, ground.board.mask)
    return ground.board.flood(start, through)
