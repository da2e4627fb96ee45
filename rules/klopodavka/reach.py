"""Which cells a seat can act on: the one source of what is legal.

A chain starts from the seat's own live bugs or, in an anchored game, from those on its home. It goes on through walls
of the seat's side and, in an anchored game, through its own live bugs. What touches the chain is reached, if it is
empty or holds an enemy's live bug that is not immune.
"""

from __future__ import annotations

from rules.klopodavka.occupancy import Occupancy
from rules.klopodavka.ruleset import Ruleset


def reach(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """The cells that a seat can act on."""
    return open_to(ruleset, occupancy, seat, touched(ruleset, occupancy, seat))


def touched(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """A seat's chain and all that touches it."""
    start = occupancy[0][seat]
    if ruleset.anchored:
        start &= ruleset.homes[seat]
    return ruleset.board.touched(start, carriers(ruleset, occupancy, seat) & ~start)


def lengthened(ruleset: Ruleset, occupancy: Occupancy, seat: int, before: int, near: int) -> int:
    """What `touched` gives after this seat itself has acted on a cell; before, it gave `before`.

    An own action cuts nothing: the cell was reached, so it lengthens a chain, as a bug or as a wall. It may link what
    was not linked; what was touched before and can carry the chain is part of it already. `near` touches the cell.
    """
    unlinked = carriers(ruleset, occupancy, seat) & ~before
    if found := near & unlinked:
        near |= ruleset.board.touched(found, unlinked ^ found)
    return before | near


def open_to(ruleset: Ruleset, occupancy: Occupancy, seat: int, cells: int) -> int:
    """Those of some cells on which a seat can act if they touch its chain: empty, or an enemy's crushable bug."""
    bugs = occupancy[0]
    barred = occupancy[3] | bugs[seat]
    if ruleset.shared:
        for ally in ruleset.allies[seat]:
            barred |= bugs[ally]
    return cells & ruleset.soft & ~barred


def carriers(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """What a seat's chain goes on through, and in a game that is anchored its own bugs on the way."""
    walls = occupancy[1]
    cells = walls[seat]
    if ruleset.shared:
        for ally in ruleset.allies[seat]:
            cells |= walls[ally]
    return cells | occupancy[0][seat] if ruleset.anchored else cells


def could_ever(ruleset: Ruleset, occupancy: Occupancy, seat: int) -> int:
    """The cells that this seat's chain could come to if no other seat ever acted again.

    It goes on through empty cells and through bugs that he could crush, and stops at other sides' walls. Walls of his
    own side, and own bugs, that are not linked now carry the chain once it has come to them.
    """
    own = start = occupancy.bugs[seat]
    if ruleset.anchored:
        start &= ruleset.homes[seat]
    through = own | carriers(ruleset, occupancy, seat) | open_to(ruleset, occupancy, seat, ruleset.board.mask)
    return ruleset.board.flood(start, through)
