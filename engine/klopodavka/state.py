"""A position for the search: raw sets of cells, with reach carried along from action to action.

`rules.klopodavka` alone decides what is legal. A state keeps for each seat what its chain touches and what it could ever
reach. An action changes little of that: a bug that is put changes only what its own chain touches.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from rules.core import Outcome
from rules.klopodavka.options import Variant
from rules.klopodavka.position import KlopodavkaPosition, PositionFields, next_seat
from rules.klopodavka.reach import Occupancy, Ruleset, could_ever, lengthened, touched


class Field:
    """What the search derives from a ruleset, once; see `field`."""

    __slots__ = ("cells", "counted", "enemies", "near", "ruleset")

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset: Final = ruleset  # the kind of game
        # For each seat, the seats of other sides.
        self.enemies: Final = tuple(
            tuple(other for other, side in enumerate(ruleset.side) if side != mine) for mine in ruleset.side
        )
        self.cells: Final = len(ruleset.options.board)  # how many cells the board has
        self.counted: Final = ruleset.options.variant is Variant.BASES  # whether bases are counted at the end
        self.near: Final = dict(ruleset.places.values())  # for each bit, the cells that touch it


field: Final = lru_cache(maxsize=64)(Field)


class SearchState:
    """Bugs, walls and the seat to move; immutable."""

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
        self.field = on  # the kind of game
        self.occupancy = occupancy  # what stands where
        self.seat = seat  # the seat to move
        self.left = left  # the actions it owes
        self.gone = gone  # the seats that are out, a bit a seat
        self.touches = touches  # by seat, its chain and all that touches it
        self.ever = ever  # by seat, the cells it could ever reach
        self.end = end  # how the game ended

    @classmethod
    def of(cls, position: KlopodavkaPosition) -> SearchState:
        """Return the state of a position."""
        on, occupancy = position.ruleset, position.occupancy
        seats = range(len(occupancy.bugs))
        return cls(
            field(on),
            occupancy,
            position.seat,
            position.plies_left,
            position.gone,
            tuple([touched(on, occupancy, seat) for seat in seats]),
            tuple([could_ever(on, occupancy, seat) for seat in seats]),
            position.outcome,
        )

    def open_to(self, seat: int) -> int:
        """Return the cells on which a seat could act if it reached them."""
        on = self.field.ruleset
        bugs, _, _, stones = self.occupancy
        for ally in on.allies[seat]:
            stones |= bugs[ally]
        return on.soft & ~stones

    @property
    def reached(self) -> int:
        """The cells that the seat to move can act on."""
        return 0 if self.end else self.touches[self.seat] & self.open_to(self.seat)

    def act(self, bit: int) -> SearchState:
        """Return the state after an action on a cell that is reached."""
        own, walls, live, stones = self.occupancy
        on, seat, left = self.field.ruleset, self.seat, self.left
        touches, ever = self.touches, self.ever
        crush = bit & live
        if crush:
            bugs = tuple([cells & ~bit for cells in own])
            walls = (*walls[:seat], walls[seat] | bit, *walls[seat + 1 :])
            occupancy = _standing(Occupancy, (bugs, walls, live ^ bit, stones | bit))
            ever = tuple(
                [
                    could_ever(on, occupancy, other)
                    if cells & bit and on.side[other] != on.side[seat]
                    else cells
                    for other, cells in enumerate(ever)
                ]
            )
            reached: list[int] = []
            for other, cells in enumerate(touches):
                if other == seat:
                    reached.append(lengthened(on, occupancy, seat, cells, self.field.near[bit]))
                elif own[other] & bit or on.side[other] == on.side[seat]:
                    reached.append(touched(on, occupancy, other))
                else:
                    reached.append(cells)
            touches = tuple(reached)
        else:
            bugs = (*own[:seat], own[seat] | bit, *own[seat + 1 :])
            occupancy = _standing(Occupancy, (bugs, walls, live | bit, stones))
            mine = lengthened(on, occupancy, seat, touches[seat], self.field.near[bit])
            touches = (*touches[:seat], mine, *touches[seat + 1 :])
            if on.shared:
                # A bug blocks its own team only.
                ever = tuple(
                    [
                        could_ever(on, occupancy, other)
                        if cells & bit and other != seat and on.side[other] == on.side[seat]
                        else cells
                        for other, cells in enumerate(ever)
                    ]
                )
        if left > 1:
            after, left = seat, left - 1
        else:
            after, left = next_seat(seat, self.gone, len(bugs)), on.actions
        made = SearchState(self.field, occupancy, after, left, self.gone, touches, ever, None)
        if not made.reached or (on.fenced and (crush or on.shared)):
            return made.settled(seat)
        return made

    def turned(self, seat: int, left: int) -> SearchState:
        """Return the state with another seat to move."""
        return SearchState(self.field, self.occupancy, seat, left, self.gone, self.touches, self.ever, None)

    def settled(self, actor: int) -> SearchState:
        """Return the state with those out who must act and cannot, by the rules, since it is rare."""
        fields = PositionFields(self.occupancy, self.seat, self.left, self.gone)
        found = KlopodavkaPosition.settled(self.field.ruleset, fields, actor)
        _, seat, left, gone, _ = found.fields
        return SearchState(
            self.field, self.occupancy, seat, left, gone, self.touches, self.ever, found.outcome
        )


def bits_of(cells: int) -> list[int]:
    """Return the single bits of a set, the lowest first."""
    found = []
    while cells:
        bit = cells & -cells
        found.append(bit)
        cells ^= bit
    return found


_standing: Any = tuple.__new__
