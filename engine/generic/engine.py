"""The generic engine: iterative deepening for two sides, Monte Carlo tree search for more, in whole turns."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from engine.core import (
    SILENT,
    Budget,
    BudgetExhausted,
    Clock,
    Engine,
    EngineKind,
    GameValue,
    Meter,
    Proof,
    SearchListener,
    SearchResult,
    value_of,
)
from engine.generic.mcts import CERTAIN, PLY, WON, AlphaBeta, MonteCarloTree, RankedMove
from rules.core import Position, Seat, Sides

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")

_DEEPEST: Final = 64
_LEAST: Final = 60  # nodes for each later ply of a turn, even after the budget is spent
_MORE: Final = 4000  # the most nodes for each later ply of a turn
_SOON: Final = 0.02  # seconds for each later ply of a turn, even after the time is up


class GenericEngine(Engine[P, M]):
    """Plays any game; `paranoid` searches as if all others stood together, with more than two sides too.

    A specialist with its own `evaluate` has its own `name` and `kind`.
    """

    def __init__(
        self,
        sides: Sides,
        evaluate: Callable[[P, Seat], float],
        clock: Clock = time.monotonic,
        *,
        name: str = "generic",
        kind: EngineKind = EngineKind.GENERIC,
        paranoid: bool = False,
    ) -> None:
        self._sides: Final = {seat: frozenset(side) for side in sides for seat in side}
        self._duel: Final = len(sides) == 2
        self._paranoid: Final = paranoid or self._duel
        self._side: Final = {seat: at for at, side in enumerate(sides) for seat in side}
        self._evaluate: Final = evaluate
        self._clock: Final = clock
        self.name = name
        self.kind = kind

    def fits(self, position: P) -> bool:
        return position.to_move in self._sides

    def ranked(
        self, position: P, budget: Budget, *, most: int, seed: int = 0, listener: SearchListener = SILENT
    ) -> Sequence[SearchResult[M]]:
        self.check(position)
        meter = Meter(budget, self._clock, listener)
        chance = random.Random(seed)  # noqa: S311 - a game, no secret
        # Several first plies may turn out to begin the same turn.
        wanted = most if most == 1 or position.plies_left == 1 else 2 * most
        look = self._deepened if self._paranoid else self._sampled
        found, depth = look(position, budget, wanted, chance, meter)
        results: list[SearchResult[M]] = []
        reached = set()
        for each in found:
            turn, value, line = self._rest_of_turn(position, each, meter)
            if each.value >= -CERTAIN:  # the end of the turn may be a blunder, which proves nothing here
                value = max(value, -CERTAIN)
            here = position
            for ply in turn:
                here = here.play(ply)
            if here in reached:
                continue
            reached.add(here)
            results.append(self._result(turn, value, line, depth, meter.nodes))
        if self._paranoid:  # else what was looked at most comes first
            results.sort(key=lambda result: -result.value)
        return results[:most]

    def _deepened(
        self, position: P, budget: Budget, most: int, chance: random.Random, meter: Meter
    ) -> tuple[list[RankedMove[M]], int]:
        # What an unfinished depth has proved counts too: no refuted ply is played while another is open.
        search = self._search(position, meter)
        moves = list(position.legal_moves())
        chance.shuffle(moves)
        found = [RankedMove(move, 0.0, (move,)) for move in moves]
        length = position.turn_length
        deepest = _DEEPEST if budget.depth is None else position.plies_left + length * (budget.depth - 1)
        depth = 0
        try:
            ranked = {move: at for at, move in enumerate(search.ordered(position))}
            moves.sort(key=ranked.__getitem__)
            found = [RankedMove(move, 0.0, (move,)) for move in moves]
            while depth < deepest:
                found = search.root(position, moves, depth + 1, most)
                moves = [each.move for each in found]
                depth += 1
                turn = found[0].line[: position.plies_left]
                meter.listener.better(self._result(turn, found[0].value, found[0].line, depth, meter.nodes))
                if self._settled(found[:most], depth):
                    break
                if len(moves) == 1 and most == 1 and budget.depth is None and depth >= length:
                    break
        except BudgetExhausted:
            proved = {each.move: each for each in search.compared if abs(each.value) > CERTAIN}
            found = sorted((proved.get(each.move, each) for each in found), key=lambda each: -each.value)
        return found[:most], depth

    def _sampled(
        self, position: P, budget: Budget, most: int, chance: random.Random, meter: Meter
    ) -> tuple[list[RankedMove[M]], int]:
        tree: MonteCarloTree[P, M] = MonteCarloTree(position, self._side, self._evaluate, meter, chance)
        tree.grow(budget.depth)
        move = position.legal_moves()[0]
        found = tree.found(most) or [RankedMove(move, 0.0, (move,))]
        return found, tree.depth

    @staticmethod
    def _settled(found: list[RankedMove[M]], depth: int) -> bool:
        """Return whether no deeper search changes these: they are proved, and all ends are within the depth."""
        return all((WON - abs(each.value)) / PLY <= depth + 0.5 for each in found)

    def _rest_of_turn(
        self, position: P, first: RankedMove[M], meter: Meter
    ) -> tuple[tuple[M, ...], float, tuple[M, ...]]:
        seat, owed, here, value = position.to_move, position.plies_left, position, first.value
        turn: list[M] = []
        line = list(first.line)
        while len(turn) < owed and here.outcome is None and here.to_move == seat:
            if len(turn) == len(line):
                best = self._next(here, meter)
                value = best.value
                line += best.line
            turn.append(line[len(turn)])
            here = here.play(turn[-1])
        return tuple(turn), value, tuple(line)

    def _next(self, position: P, meter: Meter) -> RankedMove[M]:
        left = max(_LEAST, min(meter.nodes_left, _MORE))
        seconds = None if meter.left == float("inf") else max(_SOON, meter.left)
        rest = Meter(Budget(seconds, int(left)), self._clock)
        search = self._search(position, rest)
        moves = list(position.legal_moves())
        best = RankedMove(moves[0], 0.0, (moves[0],))
        try:
            moves = search.ordered(position)
            best = search.root(position, moves, 1, 1)[0]
            best = search.root(position, [best.move, *(m for m in moves if m != best.move)], 2, 1)[0]
        except BudgetExhausted:
            if best.move == moves[0]:
                best = RankedMove(moves[0], best.value, (moves[0],))
        return best

    def _search(self, position: P, meter: Meter) -> AlphaBeta[P, M]:
        seat = position.to_move
        return AlphaBeta(self._sides[seat], seat, self._evaluate, meter)

    def _result(
        self, turn: tuple[M, ...], value: float, line: tuple[M, ...], depth: int, nodes: int
    ) -> SearchResult[M]:
        proof = None
        if value > CERTAIN or (value < -CERTAIN and self._duel):
            plies = round((WON - abs(value)) / PLY)
            proof = Proof(GameValue.WIN if value > 0 else GameValue.LOSS, plies)
        return SearchResult(turn, value_of(value, proof), proof, line, depth, nodes, 0, self.name)
