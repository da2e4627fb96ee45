"""What a search found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Generic, TypeVar

from rules.core import Position

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")


class Result(IntEnum):
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

    result: Result
    plies: int = 0


@dataclass(frozen=True, slots=True)
class Thought(Generic[M]):
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


def turn_of(position: Position[M], plies: Sequence[M]) -> tuple[M, ...]:
    """How much of some legal plies is one turn: up to where the next seat is to move, or to the end."""
    here, seat, owed = position, position.to_move, position.plies_left
    for at, ply in enumerate(plies):
        if here.outcome or here.to_move != seat or at == owed:
            return tuple(plies[:at])
        here = here.play(ply)
    return tuple(plies)
