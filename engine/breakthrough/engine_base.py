"""What the two engines have in common: positions and thoughts on one side, men and steps as numbers on the other."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.breakthrough.bitboards import PROVED, WIN
from engine.breakthrough.weights import LOGIT
from engine.core import SILENT, Budget, Clock, Engine, GameValue, Proof, SearchListener, SearchResult
from rules.breakthrough import BreakthroughPosition, Move
from rules.core import Grid, Square

Steps: TypeAlias = Sequence[tuple[Square, Square]]
Lines: TypeAlias = Sequence[tuple[int, Steps]]
"""For each line its score and its steps."""

_ONLY: Final = 4  # plies to look ahead where there is no choice
_CERTAIN: Final = 0.999


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is to be searched.

    Attributes:
        position: Where.
        budget: Depth and nodes that may be used; `stopped` looks after the time.
        most: How many lines are wanted.
        seed: Chooses between steps that are as good.
        stopped: Whether to come to an end; is told the nodes so far.
        report: Is told depth, nodes and lines of each depth that is finished, if anybody listens.
    """

    position: BreakthroughPosition
    budget: Budget
    most: int
    seed: int
    stopped: Callable[[int], bool]
    report: Callable[[int, int, Lines], None] | None


class BreakthroughEngine(Engine[BreakthroughPosition, Move]):
    """An engine that searches Breakthrough. The rules have the last word on every step it names."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def think(
        self,
        position: BreakthroughPosition,
        budget: Budget,
        *,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> SearchResult[Move]:
        """The step it would play; where there is no choice it looks ahead only a little."""
        if len(position.legal_moves()) == 1:
            budget = Budget(budget.seconds, budget.nodes, min(budget.depth or _ONLY, _ONLY))
        return self.ranked(position, budget, most=1, seed=seed, listener=listener)[0]

    def ranked(
        self,
        position: BreakthroughPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """The best steps. What is proved is won or lost at the latest after the plies told."""
        if position.outcome or not self.fits(position):
            raise ValueError("the game is over, or of a kind that is not searched here")
        end = None if budget.seconds is None else self._clock() + budget.seconds

        def stopped(_: int) -> bool:
            return (end is not None and self._clock() >= end) or listener.stopped()

        def report(depth: int, nodes: int, lines: Lines) -> None:
            listener.better(self._result(position, *lines[0], depth, nodes))

        depth, nodes, lines = self._searched(
            SearchRequest(position, budget, most, seed, stopped, None if listener is SILENT else report)
        )
        return [self._result(position, score, steps, depth, nodes) for score, steps in lines]

    @abstractmethod
    def _searched(self, question: SearchRequest) -> tuple[int, int, Lines]:
        """Depth, nodes and the best lines."""

    def _result(
        self, position: BreakthroughPosition, score: int, steps: Steps, depth: int, nodes: int
    ) -> SearchResult[Move]:
        line = []
        here = position
        for start, end in steps:
            move = next((move for move in here.legal_moves() if (move.start, move.end) == (start, end)), None)
            if move is None:
                break
            line.append(move)
            here = here.play(move)
        value, proof = _judged(score)
        return SearchResult(tuple(line[:1]), value, proof, tuple(line), depth, nodes, 0, self.name)


def _judged(score: int) -> tuple[float, Proof | None]:
    """A score as the result to expect, and what is certain about it."""
    if abs(score) >= PROVED:
        result = GameValue.WIN if score > 0 else GameValue.LOSS
        return float(result), Proof(result, WIN - abs(score))
    return max(-_CERTAIN, min(_CERTAIN, math.tanh(score / (2 * LOGIT)))), None


def squares_at(grid: Grid, before: int, after: int) -> tuple[Square, Square]:
    """The two ends of a step, from their places in a bitboard of the rules."""
    return _square(grid, before), _square(grid, after)


def _square(grid: Grid, place: int) -> Square:
    rank, file = divmod(place, grid.files + 1)
    return Square(file, rank)
