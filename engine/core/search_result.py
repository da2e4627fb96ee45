"""What a search returns, and who is told about it while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Generic, TypeVar

M = TypeVar("M")

SUREST: Final = 0.999
"""The largest value of a guess; only what is proved is worth 1."""


class GameValue(IntEnum):
    """The game-theoretic value of a position for the seat to move; the number is its value."""

    LOSS = -1
    DRAW = 0
    WIN = 1


@dataclass(frozen=True, slots=True)
class Proof:
    """What is certain, however the others play."""

    result: GameValue  # for the seat to move, with best play by its side
    plies: int = 0  # within which the winner can force the end; 0 for a draw. Tables give the fewest


@dataclass(frozen=True, slots=True)
class SearchResult(Generic[M]):
    """A turn and its evaluation."""

    turn: tuple[M, ...]  # the plies to play now: all that the seat still owes, in a legal order
    # From -1 to 1, the result that the seat to move may expect from this turn. Of a proof, exactly its
    # result; of a guess, never -1 or 1.
    value: float
    proof: Proof | None  # what is certain once this turn is played; None: nothing
    line: tuple[M, ...]  # the principal variation, this turn first
    depth: int  # how many whole turns deep the search went
    nodes: int  # positions it made; shared by all results of one `ranked`
    playouts: int  # games it played out
    engine: str  # the name of the engine


def value_of(guess: float, proof: Proof | None) -> float:
    """Return the value of a `SearchResult`: of its proof, else of a guess kept between -1 and 1."""
    return float(proof.result) if proof else max(-SUREST, min(SUREST, guess))


class SearchListener:
    """Follows a search and may stop it."""

    __slots__ = ()

    def better(self, result: SearchResult[Any]) -> None:
        """Take a result: a depth is finished, or a better turn is found; the same turn may come again."""

    def stopped(self) -> bool:
        """Return whether to answer at once. Asked at least every 50 ms, perhaps from another thread."""
        return False


SILENT: Final = SearchListener()
"""Ignores results and never stops a search."""
