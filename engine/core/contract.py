"""What an engine is, and how the engines of a game are found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from engine.core.budget import Budget, Clock
from engine.core.levels import Level
from engine.core.puzzles import Puzzle
from engine.core.search_result import SILENT, SearchListener, SearchResult
from rules.core import Mark, Phrase, Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")


class EngineKind(StrEnum):
    """What an engine is made of."""

    TABLES = "tables"  # solved beforehand
    NATIVE = "native"  # a compiled core
    PYTHON = "python"  # a specialist in plain Python
    GENERIC = "generic"  # knows only the rules


class Engine(ABC, Generic[P, M]):
    """Searches positions for good turns.

    One thread at a time may use an engine. What it remembers between searches must change no answer whose budget has
    only nodes or depth.
    """

    name: str  # for logs and the protocol: ASCII, without blanks
    kind: EngineKind  # what it is made of

    @abstractmethod
    def fits(self, position: P) -> bool:
        """Return whether it can play this position and all that follow from it."""

    def think(
        self, position: P, budget: Budget, *, seed: int = 0, listener: SearchListener = SILENT
    ) -> SearchResult[M]:
        """Return the turn it would play: a legal one, soon after the budget is spent, however small that is.

        Args:
            position: Where the game goes on.
            budget: What it may use.
            seed: Chooses between equally good turns; all other chance follows from it too.
            listener: Follows the search, and may stop it.

        Raises:
            ValueError: the game is over, or the position does not fit.
        """
        return self.ranked(position, budget, most=1, seed=seed, listener=listener)[0]

    @abstractmethod
    def ranked(
        self, position: P, budget: Budget, *, most: int, seed: int = 0, listener: SearchListener = SILENT
    ) -> Sequence[SearchResult[M]]:
        """Return the best turns, the best first: at least one, at most `most`, each with its own value.

        Values are comparable: all come from searches of the same depth. The engine decides what is best; a tree search
        may trust the turns it has visited most. A refuted turn comes after all that are not, and the first one is proved
        lost or drawn only if the position is. No two turns lead to the same position, where that is cheap to tell.

        Raises:
            ValueError: the game is over, or the position does not fit.
        """

    def forget(self) -> None:
        """Drop what is remembered from earlier searches."""

    def check(self, position: P) -> None:
        """Check that there is something to search.

        Raises:
            ValueError: the game is over, or the position does not fit.
        """
        if position.outcome is not None or not self.fits(position):
            raise ValueError("nothing to play: the game is over, or the position does not fit")


@dataclass(frozen=True, slots=True)
class Idea:
    """What is behind a turn, to say before the turn is told."""

    phrase: Phrase  # a key of the catalogues in the specialist's `texts`, with its fields
    marks: tuple[Mark, ...] = ()  # what to show on the board
    reply: Phrase | None = (
        None  # the same said to the side that the turn is played against, where it is worth a word
    )


class Specialist(ABC, Generic[P, M]):
    """The engines of one game. A folder `engine/<game>`, named by the key of the game, defines `SPECIALIST`, an instance."""

    @abstractmethod
    def build(self, clock: Clock) -> Sequence[Engine[P, M]]:
        """Return the engines available on this machine, the strongest first. The first that fits a position plays it.

        Called once. What is not compiled or cannot be loaded is left out without an error.
        """

    def levels_for(self, options: Any) -> Mapping[int, Level]:  # noqa: ARG002 - most games have one table
        """Return the level figures that differ from the common ones in a game with these options."""
        return MappingProxyType({})

    def puzzles(self) -> Sequence[Puzzle]:
        """Return every puzzle of a solved game, the shortest first; nothing where the game is not solved."""
        return ()

    def idea(self, position: P, result: SearchResult[M]) -> Idea | None:  # noqa: ARG002 - most have none
        """Return what is behind a turn, if it has a name."""
        return None
