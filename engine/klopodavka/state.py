"""A position as the search has it: raw sets of cells, with what is worked out once and carried along.

What is legal is asked of `rules.klopodavka` alone. A state keeps, for each seat, what its chain touches and where it
could ever come to. An action changes little of that: a bug that is put changes only what its own chain touches.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from rules.core import Outcome
from rules.klopodavka.occupancy import Occupancy
from rules.klopodavka.options import Variant
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import could_ever, lengthened, touched
from rules.klopodavka.ruleset import Ruleset


class Field:
    """What the search needs of a ruleset beyond what it has: see `field`.

    Attributes:
        ruleset: The kind of game.
        enemies: For each seat, the seats of other sides.
        cells: How many cells the board has.
        counted: Whether bases are counted at the end.
        near: For each bit, the cells that touch it.
    """

    __slots__ = ("cells", "counted", "enemies", "near", "ruleset")

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset: Final = ruleset
        self.enemies: Final = tuple(
            tuple(other for other, side in enumerate(ruleset.side) if side != mine) for mine in ruleset.side
        )
        self.cells: Final = len(ruleset.options.board)
        self.counted: Final = ruleset.options.variant is Variant.BASES
        self.near: Final = dict(ruleset.places.values())


@lru_cache(maxsize=64)
def field(ruleset: Ruleset) -> Field:
    """The field of a ruleset."""
    return Field(ruleset)


class State:
    """Bugs, walls, whose turn it is; never changed once made.

    Attributes:
        field: The kind of game.
        occupancy: What stands where.
        seat: Who acts next.
        left: How many actions it owes.
        gone: Who is out, a bit a seat.
        touches: For each seat, its chain and all that touches it.
        ever: For each seat, where it could ever come to.
        end: How the game ended.
    """

    __slots__ = ("end", "ever", "field", "gone", "left", "occupancy", "seat", "touches")

    def __init__(  # noqa: PLR0917 - called for every action, and names cost time
        self,
        on: Field,
        occupancy: Occupancy,
        seat: int,
        left: int,
        gone: int,
        touches: tuple[int, ...],
        ever: tuple[int, ...],
        end: Outcome | None,
    ) -> None:
        self.field = on
        self.occupancy = occupancy
        self.seat = seat
        self.left = left
        self.gone = gone
        self.touches = touches
        self.ever = ever
        self.end = end

    @classmethod
    def of(cls, position: KlopodavkaPosition) -> State:
        """The state of a position."""
        ruleset, occupancy = position.ruleset, position.occupancy
        seats = range(len(occupancy.bugs))
        return cls(
            field(ruleset),
            occupancy,
            position.seat,
            position.plies_left,
            position.gone,
            tuple([touched(ruleset, occupancy, seat) for seat in seats]),
            tuple([could_ever(ruleset, occupancy, seat) for seat in seats]),
            position.outcome,
        )

    def open_to(self, seat: int) -> int:
        """The cells on which a seat could act if it reached them."""
        ruleset = self.field.ruleset
        bugs, _, _, stones = self.occupancy
        for ally in ruleset.allies[seat]:
            stones |= bugs[ally]
        return ruleset.soft & ~stones

    @property
    def reached(self) -> int:
        """The cells that the seat to move can act on."""
        return 0 if self.end else self.touches[self.seat] & self.open_to(self.seat)

    def act(self, bit: int) -> State:
        """The state after an action on a cell that is reached."""
        own, walls, live, stones = self.occupancy
        ruleset, seat, left = self.field.ruleset, self.seat, self.left
        touches, ever = self.touches, self.ever
        crush = bit & live
        if crush:
            bugs = tuple([cells & ~bit for cells in own])
            walls = (*walls[:seat], walls[seat] | bit, *walls[seat + 1 :])
            occupancy = _occupancy(Occupancy, (bugs, walls, live ^ bit, stones | bit))
            ever = tuple(
                [
                    could_ever(ruleset, occupancy, other)
                    if cells & bit and ruleset.side[other] != ruleset.side[seat]
                    else cells
                    for other, cells in enumerate(ever)
                ]
            )
            reached: list[int] = []
            for other, cells in enumerate(touches):
                if other == seat:
                    reached.append(lengthened(ruleset, occupancy, seat, cells, self.field.near[bit]))
                elif own[other] & bit or ruleset.side[other] == ruleset.side[seat]:
                    reached.append(touched(ruleset, occupancy, other))
                else:
                    reached.append(cells)
            touches = tuple(reached)
        else:
            bugs = (*own[:seat], own[seat] | bit, *own[seat + 1 :])
            occupancy = _occupancy(Occupancy, (bugs, walls, live | bit, stones))
            mine = lengthened(ruleset, occupancy, seat, touches[seat], self.field.near[bit])
            touches = (*touches[:seat], mine, *touches[seat + 1 :])
            if ruleset.shared:
                # A bug stands in the way of its own team, and of nobody else.
                ever = tuple(
                    [
                        could_ever(ruleset, occupancy, other)
                        if cells & bit and other != seat and ruleset.side[other] == ruleset.side[seat]
                        else cells
                        for other, cells in enumerate(ever)
                    ]
                )
        if left > 1:
            after, left = seat, left - 1
        else:
            after, left = _after(seat, self.gone, len(bugs)), ruleset.actions
        made = State(self.field, occupancy, after, left, self.gone, touches, ever, None)
        if not made.reached or (ruleset.fenced and (crush or ruleset.shared)):
            return made.settled(seat)
        return made

    def turned(self, seat: int, left: int) -> State:
        """The same with a seat to move that need not be the next."""
        return State(self.field, self.occupancy, seat, left, self.gone, self.touches, self.ever, None)

    def settled(self, actor: int) -> State:
        """The same with everybody out who must act and cannot; by the rules themselves, since it is seldom asked."""
        found = KlopodavkaPosition.settled(
            self.field.ruleset, self.occupancy, self.seat, self.left, self.gone, actor=actor
        )
        return State(
            self.field,
            self.occupancy,
            found.seat,
            found.plies_left,
            found.gone,
            self.touches,
            self.ever,
            found.outcome,
        )


def bits_of(cells: int) -> list[int]:
    """The single bits of a set, from the lowest."""
    found = []
    while cells:
        bit = cells & -cells
        found.append(bit)
        cells ^= bit
    return found


def _after(seat: int, gone: int, players: int) -> int:
    seat = (seat + 1) % players
    while gone >> seat & 1:
        seat = (seat + 1) % players
    return seat


_occupancy: Any = tuple.__new__
