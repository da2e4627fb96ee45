"""What every position can say and do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Self, TypeVar

from rules.core.outcome import Outcome
from rules.core.seat import Seat

M = TypeVar("M")


class Position(ABC, Generic[M]):
    """A state of a game as a value: immutable, hashable, equal to any position that plays on the same way.

    Implementations are frozen and slotted. A move `M` is one ply; where a turn has several plies, the position knows
    how many remain. Legal means legal: `legal_moves` is empty if, and only if, there is an `outcome`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def to_move(self) -> Seat:
        """Whose ply is next; once there is an outcome, who would have been next."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def legal_moves(self) -> Sequence[M]:
        """Every legal ply, each once, in an order that depends on the position alone."""

    @abstractmethod
    def play(self, move: M) -> Self:
        """The position after a ply.

        Raises:
            IllegalMove: the rules forbid it; the reason names the rule.
        """

    @property
    def plies_left(self) -> int:
        """How many plies the seat to move still owes in this turn, counting the next one."""
        return 1

    @property
    def turn_length(self) -> int:
        """How many plies this turn has in all."""
        return 1

    @property
    def counts_plies(self) -> bool:
        """Whether turns of this game can have several plies: then people are told how many remain, even of one."""
        return False

    @property
    def out(self) -> frozenset[Seat]:
        """The seats that play no more while the others go on."""
        return frozenset()

    @property
    def scores(self) -> tuple[int, ...]:
        """Points by seat, or nothing where the game has none."""
        return ()

    def retire(self, seat: Seat) -> Self:
        """The position when a seat has left a game of three or more, or of teams: out, as if blocked.

        Raises:
            ValueError: the game has two seats, and ends when one leaves.
        """
        raise ValueError(f"a game of two ends when {seat!r} leaves")

    def restore(self, seat: Seat) -> Self:
        """Return the position when a player takes over a seat that has left: it plays again, from where it stands.

        The position cannot know whether a seat that is out has left or was put out by the rules; the caller does.

        Raises:
            ValueError: the game has two seats, is over, or the seat is not out or could not act.
        """
        raise ValueError(f"no one takes over {seat!r} in a game of two")
