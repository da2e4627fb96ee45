"""What a game's options come to for its positions: sets of cells and tables, worked out once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, TypeAlias

from rules.core import SEATS, Outcome, Seat
from rules.klopodavka.bitboard import Bitboard, bitboard
from rules.klopodavka.moves import actions
from rules.klopodavka.occupancy import Occupancy
from rules.klopodavka.options import Options, homes


class Ruleset:
    """A kind of Klopodavka, ready to be played on. Equal if, and only if, the options are; see `ruleset_of`."""

    def __init__(self, options: Options) -> None:
        self.options: Final = options  # what was chosen
        self.board: Final[Bitboard] = bitboard(options.shape)  # its bitboard
        self.sides: Final = options.sides  # who plays together
        # The number of each seat's side.
        self.side: Final = tuple(
            next(n for n, members in enumerate(self.sides) if seat in members)
            for seat in SEATS[: options.players]
        )
        # For each seat, the seats of its side, itself among them.
        self.allies: Final[tuple[tuple[Seat, ...], ...]] = tuple(self.sides[side] for side in self.side)
        self.shared: Final = len(self.sides) < options.players  # whether any side has more than one seat
        # Where each seat's bugs stand at the start.
        self.homes: Final = tuple(map(self.board.of, homes(options)))
        # The cells on which a bug can be crushed: all but immune bases and headquarters.
        self.soft: Final = self.board.mask & ~(sum(self.homes) if options.immune else 0)
        self.actions: Final = options.actions  # how many make a turn
        self.anchored: Final = options.anchored  # whether only what is linked to the own home gives reach
        self.fenced: Final = options.fenced  # whether a fence ends the game
        # For each square, its bit and those of the cells that touch it.
        self.places: Final = {
            square: (bit, self.board.near[square]) for square, bit in self.board.bits.items()
        }
        self.moves: Final = actions(self.board)  # the actions on this board
        self._hash: Final = hash(options)

    def turn(self, occupancy: Occupancy) -> int:
        """How many actions the turn has in which the board looks so.

        No seat has acted yet where only homes have bugs and there are no walls: a bug that was put is there for ever,
        alive or as a wall.
        """
        fresh = not occupancy.stones and occupancy.bugs == self.homes
        return 1 if self.options.first and fresh else self.actions

    def __reduce__(self) -> tuple[Any, ...]:
        return ruleset_of, (self.options,)  # copies and pickles: the tables are worked out again

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Ruleset) and self.options == other.options)

    def __hash__(self) -> int:
        return self._hash


@lru_cache(maxsize=256)
def ruleset_of(options: Options) -> Ruleset:
    """The ruleset of these options."""
    return Ruleset(options)


State: TypeAlias = tuple[Ruleset, Occupancy, int, int, int, int, int, Outcome | None]
"""The kind of game, what stands where, the seat to move, how many actions it owes, who is out, what the chain of the
seat to move is and touches, what of that it can act on, the end. The last three follow from the rest."""
