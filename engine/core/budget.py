"""The limits of a search, and the meter that keeps count."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.core.search_result import SILENT, SearchListener

Clock: TypeAlias = Callable[[], float]
"""Monotonic seconds."""

EVERY: Final = 64
"""Nodes between two checks of the clock and of the listener."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one search; the first that is met ends it. At least one is set.

    Without `seconds`, the same position, seed and limits give the same answer on every machine.

    Raises:
        ValueError: no limit is set, or one is not positive.
    """

    seconds: float | None = None  # time on the engine's clock
    # Positions the search may make. A playout engine counts the positions of its tree.
    nodes: int | None = None
    depth: int | None = None  # whole turns it may look ahead

    def __post_init__(self) -> None:
        limits = (self.seconds, self.nodes, self.depth)
        if all(limit is None for limit in limits):
            raise ValueError("a budget without a limit")
        if any(limit is not None and limit <= 0 for limit in limits):
            raise ValueError("a budget of nothing")


class BudgetExhausted(Exception):
    """The budget is used up, or the search was told to stop."""


class Meter:
    """What one search has used."""

    __slots__ = ("_clock", "_end", "_limit", "listener", "nodes")

    def __init__(
        self, budget: Budget, clock: Clock = time.monotonic, listener: SearchListener = SILENT
    ) -> None:
        self._clock: Final = clock
        self.listener: Final = listener  # follows the search
        self._end: Final = None if budget.seconds is None else clock() + budget.seconds
        self._limit: Final = budget.nodes
        self.nodes = 0  # positions made so far

    def tick(self) -> None:
        """Count a position, or raise BudgetExhausted where the budget has no room for it."""
        if self.nodes == self._limit:
            raise BudgetExhausted
        self.nodes += 1
        if self.nodes % EVERY == 0 and self.stopped():
            raise BudgetExhausted

    def stopped(self) -> bool:
        """Return whether the time is up or the listener wants an answer."""
        return (self._end is not None and self._clock() >= self._end) or self.listener.stopped()

    @property
    def left(self) -> float:
        """Seconds left; infinite without a limit of time."""
        return float("inf") if self._end is None else self._end - self._clock()

    @property
    def nodes_left(self) -> float:
        """Nodes left; infinite without a limit of nodes."""
        return float("inf") if self._limit is None else self._limit - self.nodes
