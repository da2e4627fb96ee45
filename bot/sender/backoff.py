"""Exponential backoff between tries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

FIRST: Final = 0.5  # seconds before the second try
LONGEST: Final = 60.0  # seconds between tries, once there have been many

Sleep: TypeAlias = Callable[[float], Awaitable[None]]


def delay(tries: int) -> float:
    """Return the seconds to wait after so many failed tries: twice as long each time."""
    return min(FIRST * 2.0 ** min(tries - 1, 20), LONGEST)
