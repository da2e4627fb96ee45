"""What both engines share: positions and results on one side, men and steps as numbers on the other."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from engine.breakthrough.bitboards import PROVED, WIN
from engine.breakthrough.weights import LOGIT
from engine.core import (
    SILENT,
    Budget,
    Clock,
    Engine,
    GameValue,
    Meter,
    Proof,
    SearchListener,
    SearchResult,
    value_of,
)
from rules.breakthrough import BreakthroughPosition, Move
from rules.core import Square

Steps: TypeAlias = Sequence[tuple[Square, Square]]
Lines: TypeAlias = Sequence[tuple[int, Steps]]
"""For each principal variation its score and its steps."""

_ONLY: Final = 4  # plies to look ahead where there is one legal step


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search."""

    position: BreakthroughPosition  # the root
    budget: Budget  # its depth and nodes; `stopped` watches the time
    most: int  # how many lines are wanted
    seed: int  # chooses between equally good steps
    stopped: Callable[[int], bool]  # asked whether to stop, with the nodes so far
    # Takes depth, nodes and lines of each finished depth; None where no listener follows.
    report: Callable[[int, int, Lines], None] | None


class BreakthroughEngine(Engine[BreakthroughPosition, Move]):
    """An engine that searches Breakthrough. The rules check every step it names."""

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
        """Return the step it would play; where only one is legal it looks ahead only a little."""
        if len(position.legal_moves()) == 1:
            budget = replace(budget, depth=min(budget.depth or _ONLY, _ONLY))
        return super().think(position, budget, seed=seed, listener=listener)

    def ranked(
        self,
        position: BreakthroughPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """Return the best steps. What is proved ends at the latest after the plies told."""
        self.check(position)
        meter = Meter(budget, self._clock, listener)

        def report(depth: int, nodes: int, lines: Lines) -> None:
            listener.better(self._result(position, *lines[0], depth, nodes))

        depth, nodes, lines = self._search(
            SearchRequest(
                position,
                budget,
                most,
                seed,
                lambda _nodes: meter.stopped(),
                None if listener is SILENT else report,
            )
        )
        return [self._result(position, score, steps, depth, nodes) for score, steps in lines]

    @abstractmethod
    def _search(self, request: SearchRequest) -> tuple[int, int, Lines]:
        """Return depth, nodes and the best lines."""

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
        proof = None
        if abs(score) >= PROVED:
            proof = Proof(GameValue.WIN if score > 0 else GameValue.LOSS, WIN - abs(score))
        value = value_of(math.tanh(score / (2 * LOGIT)), proof)
        return SearchResult(tuple(line[:1]), value, proof, tuple(line), depth, nodes, 0, self.name)
