"""The two searches of the generic engine: Monte Carlo tree search for more than two sides, and alpha-beta.

A node of the tree is a position, so that all orders of a turn's plies lead to the same node. Each walk from the root goes
where the side to move expects most (UCT; what `evaluate` says counts as the first visit of a node), opens one more
position, and adds its values for all sides on the way back. An end by the rules outweighs any count: a side that can win
at once does. Where a game has no `evaluate`, random games to the end are added to the common guess.

A value of alpha-beta is how good a position is for the side of the seat that asks, counted in plies. That side maximizes
it, all others minimize it: with two sides this is minimax, however many plies a turn has; with more it is the paranoid
search, in which the others stand together. Then a win is proved, a loss is not.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from engine.core import BudgetExhausted, Meter
from rules.core import Outcome, Position, Seat, guess

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")

WON: Final = 2.0
"""The value of a win at once. Guesses lie between -1 and 1; each ply that a win takes costs `PLY`."""
PLY: Final = 1e-4
CERTAIN: Final = 1.5  # beyond this a value is proved

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2
_KEPT: Final = 400_000  # positions in a transposition table; some 300 bytes each


@dataclass(frozen=True, slots=True)
class RankedMove(Generic[M]):
    """A ply of the root and its evaluation."""

    move: M
    value: float  # for the side that asks
    line: tuple[M, ...]  # the principal variation, the ply first


class AlphaBeta(Generic[P, M]):
    """One search for the seats of a `side`, of which `seat` asks; its transposition table is valid for one side only."""

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
        """Return the best of some plies of the seat that asks; those beyond the `most` best have a bound for a value."""
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
        line: list[M] = []
        while depth > 0 and position.outcome is None and (known := self._table.get(position)):
            line.append(known[3])
            position = position.play(known[3])
            depth -= 1
        return tuple(line)


_CURIOSITY: Final = 0.05  # the exploration constant of UCT for a game with an `evaluate`
_ROLLING: Final = 0.25  # the same for random games, which tell less
_ROLLED: Final = 0.5  # the weight of a random game beside the common guess
MAX_NODES: Final = 60_000  # positions that a tree holds; a full tree looks no deeper
_WALKS: Final = 20_000  # walks, where only the depth is limited
_LONGEST: Final = 300  # plies of a walk or of a random game, in games that go in circles


class _TreeNode(Generic[P, M]):
    __slots__ = ("children", "end", "moves", "plies", "position", "sight", "totals", "turn", "visits")

    def __init__(self, position: P, turn: int) -> None:
        self.position = position  # what it stands for
        self.turn = turn  # whole turns between the root and it
        self.sight: dict[int, float] = {}  # by side, the evaluation, once it was asked for
        # By side, the sum of the evaluation and of the values of walks; empty until one comes here.
        self.totals: list[float] = []
        self.visits = 1  # the number of walks, and one for the evaluation
        self.moves: Sequence[M] = ()  # the plies from here, once it is open
        self.children: list[_TreeNode[P, M]] = []  # where they lead
        # By side, the certain result: the game is over, or the side to move wins by force.
        self.end: tuple[float, ...] | None = None
        self.plies = 0  # to that end


class MonteCarloTree(Generic[P, M]):
    """The tree of one search; `chance` breaks ties, and plays random plies."""

    def __init__(
        self,
        position: P,
        sides: Mapping[Seat, int],
        evaluate: Callable[[P, Seat], float],
        meter: Meter,
        chance: random.Random,
    ) -> None:
        self._side: Final = sides
        self._speakers: Final = [
            next(seat for seat in sorted(sides) if sides[seat] == side)
            for side in range(max(sides.values()) + 1)
        ]
        self._evaluate: Final = evaluate
        self._rolls: Final = evaluate is guess
        self._curiosity: Final = _ROLLING if self._rolls else _CURIOSITY
        self._meter: Final = meter
        self._chance: Final = chance
        self._known: Final[dict[P, _TreeNode[P, M]]] = {}
        self.root: Final[_TreeNode[P, M]] = self._node(position, 0)
        self.depth = 1  # the most whole turns of a walk

    def grow(self, depth: int | None) -> None:
        """Walk until the meter runs out or the winner is certain, so many whole turns deep at most."""
        try:
            for _ in range(_WALKS) if depth is not None else iter(int, 1):
                if self.root.end is not None or (
                    len(self.root.children) == 1 and self.root.children[0].children
                ):
                    break
                self._walk(depth or _LONGEST)
        except BudgetExhausted:
            pass

    def found(self, most: int) -> list[RankedMove[M]]:
        """Return the best plies: those that win, then the most visited; those that lose come last."""
        if not self.root.children:
            return []
        side = self._side[self.root.position.to_move]
        ranked = sorted(
            zip(self.root.moves, self.root.children, strict=True),
            key=lambda pair: self._merit(pair[1], side),
            reverse=True,
        )
        return [
            RankedMove(move, self._worth(child, side), (move, *self._line(child)))
            for move, child in ranked[:most]
        ]

    def _merit(self, node: _TreeNode[P, M], side: int) -> tuple[int, float, float]:
        if node.end is None:
            return (0, node.visits, self._mean(node, side))
        result = node.end[side]
        return (2 if result > 0 else -2 if result < 0 else 0, -result * node.plies, 0.0)

    def _worth(self, node: _TreeNode[P, M], side: int) -> float:
        """Return the value for a side as `AlphaBeta` counts it: beyond `CERTAIN` where it is certain."""
        if node.end is None:
            return self._mean(node, side)
        result = node.end[side]
        return result * (WON - (node.plies + 1) * PLY)

    def _line(self, node: _TreeNode[P, M]) -> list[M]:
        line: list[M] = []
        while node.children and len(line) < _LONGEST:
            side = self._side[node.position.to_move]
            at = max(range(len(node.children)), key=lambda at: self._merit(node.children[at], side))
            if node.children[at].visits == 1 and node.children[at].end is None:
                break
            line.append(node.moves[at])
            node = node.children[at]
        return line

    def _walk(self, depth: int) -> None:
        node, path = self.root, [self.root]
        while node.children and node.end is None and len(path) < _LONGEST:
            node = self._next(node)
            path.append(node)
        self._meter.tick()
        if node.end is None and node.turn < depth and len(self._known) < MAX_NODES:
            self._open(node)
            self.depth = max(self.depth, node.turn + 1)
        values = self._values(node)
        if self._rolls and node.end is None:
            pairs = zip(values, self._rolled(node.position), strict=True)
            values = [(1 - _ROLLED) * sight + _ROLLED * result for sight, result in pairs]
        for node in reversed(path):
            if node.end is None and node.children:
                self._settle(node)
            if node.end is not None:
                values = list(node.end)
            before = node.totals or self._means(node)
            node.visits += 1
            node.totals = [total + value for total, value in zip(before, values, strict=True)]

    def _next(self, node: _TreeNode[P, M]) -> _TreeNode[P, M]:
        side = self._side[node.position.to_move]
        spread = self._curiosity * math.sqrt(math.log(node.visits + 1))

        def promise(child: _TreeNode[P, M]) -> float:
            if child.end is not None and child.end[side] < 0:
                return -math.inf
            return self._mean(child, side) + spread / math.sqrt(child.visits)

        return max(node.children, key=promise)

    def _mean(self, node: _TreeNode[P, M], side: int) -> float:
        if node.totals:
            return node.totals[side] / node.visits
        if side not in node.sight:
            node.sight[side] = self._evaluate(node.position, self._speakers[side])
        return node.sight[side]

    def _means(self, node: _TreeNode[P, M]) -> list[float]:
        return [self._mean(node, side) for side in range(len(self._speakers))]

    def _values(self, node: _TreeNode[P, M]) -> list[float]:
        """Return what a walk brings back: of a node just opened, the evaluation of its best child."""
        if node.end is not None:
            return list(node.end)
        if not node.children:
            return self._means(node)
        side = self._side[node.position.to_move]
        best = max(node.children, key=lambda child: self._mean(child, side))
        return self._means(best)

    def _rolled(self, position: P) -> list[float]:
        for _ in range(_LONGEST):
            if position.outcome is not None:
                return self._ended(position.outcome)
            self._meter.tick()
            position = position.play(self._chance.choice(position.legal_moves()))
        return [0.0] * len(self._speakers)

    def _ended(self, outcome: Outcome) -> list[float]:
        won = {self._side[seat] for seat in outcome.winners}
        return [0.0 if not won else 1.0 if side in won else -1.0 for side in range(len(self._speakers))]

    def _open(self, node: _TreeNode[P, M]) -> None:
        position = node.position
        seat, owed = position.to_move, position.plies_left
        moves = list(position.legal_moves())
        self._chance.shuffle(moves)
        children = []
        for move in moves:
            self._meter.tick()
            after = position.play(move)
            same = after.outcome is None and after.to_move == seat and owed > 1
            children.append(self._known.get(after) or self._node(after, node.turn if same else node.turn + 1))
        node.moves, node.children = moves, children

    def _node(self, position: P, turn: int) -> _TreeNode[P, M]:
        made: _TreeNode[P, M] = _TreeNode(position, turn)
        if position.outcome is not None:
            made.totals = self._ended(position.outcome)
            made.end = tuple(made.totals)
        self._known[position] = made
        return made

    def _settle(self, node: _TreeNode[P, M]) -> None:
        side = self._side[node.position.to_move]
        winning = [child for child in node.children if child.end is not None and child.end[side] > 0]
        if winning:
            quickest = min(winning, key=lambda child: child.plies)
            node.end, node.plies = quickest.end, quickest.plies + 1
            return
        ends = {child.end for child in node.children}
        if len(ends) == 1 and (end := ends.pop()) is not None:
            node.end, node.plies = end, max(child.plies for child in node.children) + 1
