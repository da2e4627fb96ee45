"""Alpha-beta over the positions of any game, counted in plies.

A value is how good a position is for the side of the seat that asks. That side maximizes it, all others minimize it: with
two sides this is minimax, however many plies a turn has; with more it is the paranoid search, in which the others stand
together. Then a win is proved, a loss is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from engine.core import Meter
from rules.core import Position, Seat

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")

WON: Final = 2.0
"""The value of a win at once. Guesses lie between -1 and 1; each ply that a win takes costs `PLY`."""
PLY: Final = 1e-4
CERTAIN: Final = 1.5
"""Beyond this a value is proved."""

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2
_KEPT: Final = 400_000
"""Positions in a transposition table; some 300 bytes each."""


@dataclass(frozen=True, slots=True)
class RankedMove(Generic[M]):
    """A ply of the root and its evaluation."""

    move: M
    value: float  # for the side that asks
    line: tuple[M, ...]  # the principal variation, the ply first


class AlphaBeta(Generic[P, M]):
    """One search; its transposition table is valid for one side only.

    Args:
        side: The seats that play together, for which it searches.
        seat: The one of them that asks.
        evaluate: The game's guess at a position that goes on.
        meter: Counts the positions.
    """

    def __init__(
        self, side: AbstractSet[Seat], seat: Seat, evaluate: Callable[[P, Seat], float], meter: Meter
    ) -> None:
        self._side: Final = side
        self._seat: Final = seat
        self._evaluate: Final = evaluate
        self._meter: Final = meter
        self._table: Final[dict[P, tuple[int, int, float, M]]] = {}
        self._good: Final[dict[M, int]] = {}
        self.compared: list[RankedMove[M]] = []  # the plies that the last `root` came to

    def root(self, position: P, moves: Sequence[M], depth: int, most: int) -> list[RankedMove[M]]:
        """Return the best of some plies of the seat that asks; those beyond the `most` best have a bound for a value.

        Raises:
            BudgetExhausted: the budget is used up before all are compared.
        """
        found = self.compared = []
        for move in moves:
            self._meter.tick()
            after = position.play(move)
            bar = sorted((each.value for each in found), reverse=True)[most - 1 :][:1]
            value = self._value(after, depth - 1, bar[0] if bar else -WON, WON, 1)
            found.append(RankedMove(move, value, (move, *self._line(after, depth - 1))))
        return sorted(found, key=lambda each: -each.value)

    def ordered(self, position: P) -> list[M]:
        """Return the legal plies of the seat that asks, sorted by their evaluation without search."""
        valued = []
        for move in position.legal_moves():
            self._meter.tick()
            valued.append((self._leaf(position.play(move), 1), move))
        return [move for _, move in sorted(valued, key=lambda pair: -pair[0])]

    def _leaf(self, position: P, ply: int) -> float:
        outcome = position.outcome
        if outcome is None:
            return self._evaluate(position, self._seat)
        if outcome.drawn:
            return 0.0
        return WON - ply * PLY if self._side & set(outcome.winners) else ply * PLY - WON

    def _value(self, position: P, depth: int, low: float, high: float, ply: int) -> float:
        if depth <= 0 or position.outcome is not None:
            return self._leaf(position, ply)
        known = self._table.get(position)
        first = None
        if known is not None:
            deep, bound, value, first = known
            if value > CERTAIN:
                value -= ply * PLY
            elif value < -CERTAIN:
                value += ply * PLY
            if (deep >= depth or abs(value) > CERTAIN) and (
                bound == _EXACT
                or (bound == _AT_LEAST and value >= high)
                or (bound == _AT_MOST and value <= low)
            ):
                return value
        return self._searched(position, depth, (low, high), ply, first)

    def _searched(
        self, position: P, depth: int, window: tuple[float, float], ply: int, first: M | None
    ) -> float:
        mine = position.to_move in self._side
        low, high = alpha, beta = window
        best = -WON if mine else WON
        choice: M | None = None
        for move in self._sorted(position, first):
            self._meter.tick()
            value = self._value(position.play(move), depth - 1, alpha, beta, ply + 1)
            if choice is None or (value > best if mine else value < best):
                best, choice = value, move
                if mine:
                    alpha = max(alpha, value)
                else:
                    beta = min(beta, value)
                if alpha >= beta:
                    self._good[move] = self._good.get(move, 0) + depth * depth
                    break
        assert choice is not None, "a position that goes on has a move"  # noqa: S101 - the contract of positions
        if len(self._table) < _KEPT:
            bound = _AT_MOST if best <= low else _AT_LEAST if best >= high else _EXACT
            kept = best
            if best > CERTAIN:
                kept += ply * PLY
            elif best < -CERTAIN:
                kept -= ply * PLY
            self._table[position] = (depth, bound, kept, choice)
        return best

    def _sorted(self, position: P, first: M | None) -> Sequence[M]:
        moves = position.legal_moves()
        good = self._good
        if good:
            moves = sorted(moves, key=lambda move: -good.get(move, 0))
        if first is None:
            return moves
        return [first, *(move for move in moves if move != first)]

    def _line(self, position: P, depth: int) -> tuple[M, ...]:
        """Return the principal variation as far as the table has it."""
        line: list[M] = []
        while depth > 0 and position.outcome is None and (known := self._table.get(position)):
            line.append(known[3])
            position = position.play(known[3])
            depth -= 1
        return tuple(line)
