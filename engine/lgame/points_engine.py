"""The engine for the game with points: searched at first, and known near its end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.core import SILENT, Budget, Clock, Engine, EngineKind, SearchListener, SearchResult
from engine.generic import GenericEngine
from engine.lgame.evaluation import evaluate
from engine.lgame.points_solver import PointsSolution, lack, points_solution
from engine.lgame.table_engine import KnownMove, proof_of, rank
from rules.core import Seat
from rules.lgame import LPosition, Move

MOST: Final = 100
"""Pairs of what the seats lack that are worked out at most, some 0.6 MB and 17 ms each."""
_NODES: Final = 2800
"""What working out one of them counts for: a search makes so many positions in that time."""
_SHARE: Final = 0.5
"""Of the time of a question that is too short to work all of them out; the search has the rest."""
_LINE: Final = 4
"""Plies of the expected play that are told."""


class LPoints(Engine[LPosition, Move]):
    """The game for points.

    Where the seats lack few points, and the budget is worth the work, it knows who wins and answers exactly. Whoever
    looks only so many turns ahead searches.
    """

    name = "lpoints"
    kind = EngineKind.PYTHON

    def __init__(self, clock: Clock) -> None:
        self._clock: Final = clock
        self._search: Final[GenericEngine[LPosition, Move]] = GenericEngine(
            ((Seat.S1,), (Seat.S2,)), evaluate, clock, name=self.name, kind=self.kind
        )

    def fits(self, position: LPosition) -> bool:
        """Where there are points."""
        return bool(position.options.goal)

    def think(
        self, position: LPosition, budget: Budget, *, seed: int = 0, listener: SearchListener = SILENT
    ) -> SearchResult[Move]:
        """The turn it would play; see `Engine.think`."""
        return self.ranked(position, budget, most=1, seed=seed, listener=listener)[0]

    def ranked(
        self,
        position: LPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """The best turns; see `Engine.ranked`."""
        if position.outcome is not None or not self.fits(position):
            raise ValueError("nothing to think about")
        began = self._clock()
        known = points_solution(position.options.painted)
        if self._worked_out(known, position, budget, listener):
            return _known(known, position, most, seed, listener)
        if budget.seconds is not None:
            spent = self._clock() - began
            budget = replace(budget, seconds=max(budget.seconds - spent, budget.seconds / 10))
        return self._search.ranked(position, budget, most=most, seed=seed, listener=listener)

    def forget(self) -> None:
        """Drop what has been worked out."""
        points_solution.cache_clear()

    def _worked_out(
        self, known: PointsSolution, position: LPosition, budget: Budget, listener: SearchListener
    ) -> bool:
        """Whether the budget is worth knowing all that can follow; then it is known.

        A budget of nodes pays for all of it, known before or not, so that it always has the same answer.
        """
        first, second = lack(position)
        if budget.depth is not None or first * second > MOST:
            return False
        if budget.nodes is not None and first * second * _NODES > budget.nodes:
            return False
        until = None if budget.seconds is None else self._clock() + budget.seconds * _SHARE
        for lacking in known.missing((first, second)):
            if listener.stopped() or (until is not None and self._clock() > until):
                return False
            known.solve(lacking)
        return True


def _known(
    known: PointsSolution, position: LPosition, most: int, seed: int, listener: SearchListener
) -> Sequence[SearchResult[Move]]:
    """The best turns, exactly: the quickest win, the longest defence."""
    ways = _ways(known, position)
    random.Random(seed).shuffle(ways)  # noqa: S311 - a game, no secret
    ways.sort(key=rank)
    results = []
    for way in ways[:most]:
        proof, line = proof_of(way), _line(known, position, way)
        results.append(
            SearchResult((way.move,), float(proof.result), proof, line, len(line), len(ways), 0, LPoints.name)
        )
    listener.better(results[0])
    return results


def _ways(known: PointsSolution, position: LPosition) -> list[KnownMove]:
    """Every legal turn."""
    ways = []
    for move in position.legal_moves():
        after = position.play(move)
        left = 0 if after.outcome else known.distance(after)
        ways.append(KnownMove(move, None if left is None else left + 1, 0))
    return ways


def _line(known: PointsSolution, position: LPosition, way: KnownMove) -> tuple[Move, ...]:
    """Best play by both, some plies of it."""
    line = [way.move]
    here = position.play(way.move)
    while here.outcome is None and len(line) < _LINE:
        move, here = _best(known, here)
        line.append(move)
    return tuple(line)


def _best(known: PointsSolution, position: LPosition) -> tuple[Move, LPosition]:
    """A turn that keeps the value and the distance, and where it leads."""
    plies = known.distance(position)
    for move in position.legal_moves():
        after = position.play(move)
        left = 0 if after.outcome else known.distance(after)
        if left == (None if plies is None else plies - 1):
            return move, after
    raise AssertionError(position)
