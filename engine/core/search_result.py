"""What a search found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Generic, TypeVar

from rules.core import Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")


class GameValue(IntEnum):
    """How it ends for the seat to move; the number is the value of it."""

    LOSS = -1
    DRAW = 0
    WIN = 1


@dataclass(frozen=True, slots=True)
class Proof:
    """What is certain, whatever the others do.

    Attributes:
        result: For the seat to move, when its side plays on as well as can be.
        plies: To the end, when the winner hurries and the loser holds out; 0 for a draw.
    """

    result: GameValue
    plies: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult(Generic[M]):
    """A turn, and what the search thinks of it.

    Attributes:
        turn: The plies to play now: all that the seat still owes, in an order that is legal.
        value: From -1 to 1, the result that the seat to move may expect from this turn. Of a proof, exactly its result;
            of a guess, never -1 or 1.
        proof: What is certain once this turn is played; None: nothing.
        line: The expected play, this turn first.
        depth: How many whole turns deep the search went.
        nodes: Positions it made; shared by all thoughts of one `ranked`.
        playouts: Games it played out.
        engine: The name of the engine.
    """

    turn: tuple[M, ...]
    value: float
    proof: Proof | None
    line: tuple[M, ...]
    depth: int
    nodes: int
    playouts: int
    engine: str


class SearchListener:
    """Whoever waits for a search: hears how it gets on, and may stop it."""

    __slots__ = ()

    def better(self, result: SearchResult[Any]) -> None:
        """A depth is finished, or a better turn is found; the same turn may come again."""

    def stopped(self) -> bool:
        """Whether to answer at once with what there is. Asked often, at least every 50 ms; may be another thread's."""
        return False


SILENT: Final = SearchListener()
"""Nobody listens."""


def turn_of(position: Position[M], plies: Sequence[M]) -> tuple[M, ...]:
    """How much of some legal plies is one turn: up to where the next seat is to move, or to the end."""
    here, seat, owed = position, position.to_move, position.plies_left
    for at, ply in enumerate(plies):
        if here.outcome or here.to_move != seat or at == owed:
            return tuple(plies[:at])
        here = here.play(ply)
    return tuple(plies)
