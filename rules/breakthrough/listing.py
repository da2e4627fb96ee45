"""The legal moves of a position, as a sequence that is listed only when it has to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final, overload

from rules.breakthrough.mover import Mover
from rules.breakthrough.moves import Move

State: TypeAlias = tuple[int, int, Mover]
"""The men of the seat to move, the opponent's men, and the seat to move."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LegalMoves(Sequence[Move]):
    """Legal moves, captures first. Equal to any sequence of the same moves.

    Length and membership take a few operations on integers, whatever the number of moves.
    """

    state: State

    def __len__(self) -> int:
        own, foe, mover = self.state
        return mover.legal(own, foe).bit_count()

    def __iter__(self) -> Iterator[Move]:
        own, foe, mover = self.state
        return iter(mover.moves(mover.legal(own, foe), foe))

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Move, ...]: ...
    def __getitem__(self, index: int | slice) -> Move | tuple[Move, ...]:
        return tuple(self)[index]

    def __contains__(self, move: object) -> bool:
        own, foe, mover = self.state
        return isinstance(move, Move) and mover.find(own, foe, move) is not None

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
