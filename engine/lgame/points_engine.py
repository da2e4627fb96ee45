"""The engine for the L-game with points: searched at first, solved near its end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from engine.core import SILENT, Budget, Clock, Engine, EngineKind, Meter, SearchListener, SearchResult
from engine.generic import GenericEngine
from engine.lgame.evaluation import evaluate
from engine.lgame.points_solver import PointsSolution, lack, points_solution
from engine.lgame.table_engine import KnownMove, known_results
from rules.core import Seat
from rules.lgame import LPosition, Move

MOST: Final = 100
"""The most pairs of lacking points that are solved, at some 0.6 MB and 17 ms each."""
_NODES: Final = 2800
"""Nodes that solving one pair counts for: a search makes so many in that time."""
_SHARE: Final = 0.5
"""The part of the time that solving may take; the search has the rest."""
_LINE: Final = 4
"""Plies of the expected play that are told."""


class LPoints(Engine[LPosition, Move]):
    """The game for points.

    Where the seats lack few points, and the budget pays for it, it solves the game and answers exactly. With a limit of
    depth it always searches.
    """

    name = "lpoints"
    kind = EngineKind.PYTHON

    def __init__(self, clock: Clock) -> None:
        self._clock: Final = clock
        self._search: Final[GenericEngine[LPosition, Move]] = GenericEngine(
            ((Seat.S1,), (Seat.S2,)), evaluate, clock, name=self.name, kind=self.kind
        )

    def fits(self, position: LPosition) -> bool:
        return bool(position.options.goal)

    def ranked(
        self,
        position: LPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        self.check(position)
        began = self._clock()
        solution = points_solution(position.options.painted)
        if self._solved(solution, position, budget, listener):
            known = list(_known(solution, position))
            random.Random(seed).shuffle(known)  # noqa: S311 - a game, no secret
            results = known_results(known, lambda each: _line(solution, position, each), most, self.name)
            listener.better(results[0])
            return results
        if budget.seconds is not None:
            spent = self._clock() - began
            budget = replace(budget, seconds=max(budget.seconds - spent, budget.seconds / 10))
        return self._search.ranked(position, budget, most=most, seed=seed, listener=listener)

    def forget(self) -> None:
        points_solution.cache_clear()

    def _solved(
        self, solution: PointsSolution, position: LPosition, budget: Budget, listener: SearchListener
    ) -> bool:
        """Solve all that can follow, if the budget pays for it; return whether it is solved.

        A budget of nodes pays for all of it, solved before or not, so that the same budget has the same answer.
        """
        first, second = lack(position)
        if budget.depth is not None or first * second > MOST:
            return False
        if budget.nodes is not None and first * second * _NODES > budget.nodes:
            return False
        share = None if budget.seconds is None else budget.seconds * _SHARE
        meter = Meter(replace(budget, seconds=share), self._clock, listener)
        for lacking in solution.missing((first, second)):
            if meter.stopped():
                return False
            solution.solve(lacking)
        return True


def _known(solution: PointsSolution, position: LPosition) -> Iterator[KnownMove]:
    for move in position.legal_moves():
        after = position.play(move)
        left = 0 if after.outcome else solution.distance(after)
        yield KnownMove(move, None if left is None else left + 1, 0)


def _line(solution: PointsSolution, position: LPosition, known: KnownMove) -> tuple[Move, ...]:
    line = [known.move]
    here = position.play(known.move)
    while here.outcome is None and len(line) < _LINE:
        plies = solution.distance(here)
        line.append(next(each.move for each in _known(solution, here) if each.plies == plies))
        here = here.play(line[-1])
    return tuple(line)
