"""What every position can say and do.

How a game ended, by its rules.

A guess at who is better off, for a game that does not say how to tell.

Perft: how many sequences of plies there are, the standard check of a move generator.

What could be taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Self, TypeVar

from rules.core.errors import Reason
from rules.core.squares import Seat, Square


class Ending(Reason):
    """Base of every game's enum of endings; the value is the key of the words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: who won (none: a draw; a team: all its seats) and by which rule."""

    winners: tuple[Seat, ...]
    reason: Ending

    @property
    def drawn(self) -> bool:
        """Whether it is a draw."""
        return not self.winners


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


_LEAD: Final = 10.0  # points that are half a win
_CHOICE: Final = 12.0  # legal moves of an ordinary position


def squashed(advantage: float) -> float:
    """An advantage of any size as a guess between -1 and 1; 1.0 is half a win, and 0 is nothing."""
    return advantage / (1.0 + abs(advantage))


def guess(position: Position[Any], seat: Seat, /) -> float:
    """By points, where the game counts any: the lead over the best other. Else by how much choice the mover has."""
    scores = position.scores
    if scores:
        best = max(score for other, score in enumerate(scores) if other != seat)
        return squashed((scores[seat] - best) / _LEAD)
    choice = len(position.legal_moves())
    mobility = 0.2 * (choice - _CHOICE) / (choice + _CHOICE)
    return mobility if seat == position.to_move else -mobility


def perft(position: Position[Any], depth: int) -> int:
    """The number of legal sequences of `depth` plies; shorter ones that end the game do not count."""
    if depth == 0:
        return 1
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)


def split(position: Position[Any], depth: int) -> Mapping[Any, int]:
    """Perft by first move: compare two generators' splits to find where they part."""
    return {move: perft(position.play(move), depth - 1) for move in position.legal_moves()}


@dataclass(frozen=True, slots=True)
class Threat:
    """Something that a seat could take in one ply, if it were to move.

    Attributes:
        by: The seat.
        target: Where that stands which it could take.
        start: Where the piece stands that takes; None where no single one does.
    """

    by: Seat
    target: Square
    start: Square | None = None
