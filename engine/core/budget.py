"""How much a search may use, and how it keeps count."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.core.search_result import SILENT, SearchListener

Clock: TypeAlias = Callable[[], float]
"""Seconds since some moment; never runs backwards."""

EVERY: Final = 64
"""Nodes between two looks at the clock and at the listener."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one search; the first that is met ends it. At least one is set.

    With no `seconds`, the same position, seed and limits give the same answer on every machine.

    Attributes:
        seconds: Of the clock's time.
        nodes: Positions that the search may make. An engine whose unit is a playout counts the positions of its tree.
        depth: Whole turns that it may look ahead.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        limits = (self.seconds, self.nodes, self.depth)
        if all(limit is None for limit in limits):
            raise ValueError("a budget without a limit")
        if any(limit is not None and limit <= 0 for limit in limits):
            raise ValueError("a budget of nothing")


class BudgetExhausted(Exception):
    """The budget is used up, or the search was told to stop."""


class Meter:
    """What one search has used. Each position it makes is counted with `tick`.

    Attributes:
        nodes: Positions made so far.
    """

    __slots__ = ("_budget", "_clock", "_end", "_limit", "_listener", "_start", "nodes")

    def __init__(
        self, budget: Budget, clock: Clock = time.monotonic, listener: SearchListener = SILENT
    ) -> None:
        self._budget: Final = budget
        self._clock: Final = clock
        self._listener: Final = listener
        self._start: Final = clock()
        self._end: Final = None if budget.seconds is None else self._start + budget.seconds
        self._limit: Final = budget.nodes
        self.nodes = 0

    def tick(self) -> None:
        """Count a position.

        Raises:
            Spent: nothing is left for it.
        """
        if self.nodes == self._limit:
            raise BudgetExhausted
        self.nodes += 1
        if self.nodes % EVERY == 0:
            self.look()

    def look(self) -> None:
        """Look at the clock and at the listener.

        Raises:
            Spent: the time is up, or the search is told to stop.
        """
        if (self._end is not None and self._clock() >= self._end) or self._listener.stopped():
            raise BudgetExhausted

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return self._clock() - self._start

    @property
    def left(self) -> float:
        """Seconds that are left; infinite where time is no limit."""
        return float("inf") if self._end is None else self._end - self._clock()

    @property
    def nodes_left(self) -> float:
        """Nodes that are left; infinite where they are no limit."""
        return float("inf") if self._limit is None else self._limit - self.nodes
