"""What an engine is, and how a game's own engines are found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from engine.core.budget import Budget, Clock
from engine.core.levels import Level
from engine.core.search_result import SILENT, SearchListener, SearchResult
from rules.core import Mark, Phrase, Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")


class EngineKind(StrEnum):
    """What an engine is made of."""

    TABLES = "tables"  # solved beforehand
    NATIVE = "native"  # a compiled core
    PYTHON = "python"  # a specialist in plain Python
    GENERIC = "generic"  # knows no more than the rules


class Engine(ABC, Generic[P, M]):
    """Something that finds good turns.

    One engine may be asked many times, by one thread at a time. What it remembers from one question to the next must
    change no answer that has a budget of nodes or depth alone.

    Attributes:
        name: For logs and the protocol: ASCII, without blanks.
        kind: What it is made of.
    """

    name: str
    kind: EngineKind

    @abstractmethod
    def fits(self, position: P) -> bool:
        """Whether it can play this position, all that follow from it included."""

    @abstractmethod
    def think(
        self, position: P, budget: Budget, *, seed: int = 0, listener: SearchListener = SILENT
    ) -> SearchResult[M]:
        """The turn it would play.

        Answers soon after the budget is spent, however small it is, with a legal turn.

        Args:
            position: Where the game goes on.
            budget: What it may use.
            seed: Chooses between turns that are as good; whatever else is left to chance follows from it.
            listener: Whoever waits.

        Raises:
            ValueError: the game is over, or the position does not fit.
        """

    @abstractmethod
    def ranked(
        self, position: P, budget: Budget, *, most: int, seed: int = 0, listener: SearchListener = SILENT
    ) -> Sequence[SearchResult[M]]:
        """The best turns, each with a value of its own, the best first: at least one, at most `most`.

        Values are comparable: all come from searches of the same depth. What counts as best is the engine's to say; a
        tree search may trust what it has looked at most. No two turns lead to the same position, where
        that is cheap to tell.

        Raises:
            ValueError: the game is over, or the position does not fit.
        """

    def forget(self) -> None:
        """Drop what is remembered from earlier questions."""


@dataclass(frozen=True, slots=True)
class Idea:
    """What is behind a turn, to say before the turn is told.

    Attributes:
        phrase: Words: a key of the catalogues in the specialist's `texts`, with its fields.
        marks: What to show on the board.
    """

    phrase: Phrase
    marks: tuple[Mark, ...] = ()


class Specialist(ABC, Generic[P, M]):
    """A game's own engines. A folder `engine/<game>` defines `SPECIALIST`, an instance, and is discovered.

    Attributes:
        game: The key of the game.
        levels: Figures of levels that differ from the common ones, by level; see `levels_for`.
    """

    game: str
    levels: Mapping[int, Level] = MappingProxyType({})

    @abstractmethod
    def build(self, clock: Clock) -> Sequence[Engine[P, M]]:
        """The engines that can be had here, the strongest first. The first that fits a position plays it.

        Called once. What is not compiled or cannot be loaded is left out, quietly: the others step in.
        """

    def levels_for(self, options: Any) -> Mapping[int, Level]:  # noqa: ARG002 - most games have one table
        """The figures that differ from the common ones in a game with these options: `levels`, unless they depend on it."""
        return self.levels

    def idea(self, position: P, result: SearchResult[M]) -> Idea | None:  # noqa: ARG002 - most have none
        """What is behind a turn, if it has a name."""
        return None
