"""How long to wait before the next try."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

FIRST: Final = 0.5
"""Seconds before the second try."""

LONGEST: Final = 60.0
"""Seconds between tries, once there have been many."""

BUGS: Final = 6
"""Tries of what fails in a way that nobody foresaw, before it is given up: else it would block its chat for good."""

Sleep: TypeAlias = Callable[[float], Awaitable[None]]


def delay(tries: int) -> float:
    """Seconds to wait after so many tries that failed: twice as long each time."""
    return min(FIRST * 2.0 ** min(tries - 1, 20), LONGEST)
