"""A game's text: moves and positions, both ways."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from rules.core.position import Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")
O = TypeVar("O")  # noqa: E741 - a game's options, beside P and M


class Notation(ABC, Generic[P, M, O]):
    """Parse beside format. Text is a request; only a position makes it a move."""

    @abstractmethod
    def parse(self, text: str, position: P) -> tuple[M, ...]:
        """The legal plies that typed text asks for: one, or up to a whole turn where turns have several plies.

        Every ply is legal after those before it: all of the text can be played, or nothing is.

        Raises:
            BadNotation: the text is no move of this game.
            AmbiguousMove: several legal moves fit; the error's candidates are moves.
            IllegalMove: the rules forbid it; the reason names the rule, the fields the first bad square.
        """

    def format(self, move: M) -> str:
        """Return the canonical text of a ply, by default its `str`; `parse` reads it back wherever the move is legal."""
        return str(move)

    @abstractmethod
    def steps(self, move: M) -> tuple[str, ...]:
        """The tokens that pick this move in the game's fork, leaving out steps that only narrow the choice."""

    @abstractmethod
    def parse_position(self, text: str, options: O) -> P:
        """The position that canonical text describes, under these options.

        Raises:
            BadNotation: the text describes no position that the rules know.
        """

    @abstractmethod
    def format_position(self, position: P) -> str:
        """One line of ASCII from which `parse_position` makes an equal position."""
