"""Periodic work: a step, taken again and again.

Exponential backoff between tries.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn, TypeAlias

from play.errors import Unavailable

FIRST: Final = 0.5  # seconds before the second try
LONGEST: Final = 60.0  # seconds between tries, once there have been many

Sleep: TypeAlias = Callable[[float], Awaitable[None]]


def delay(tries: int) -> float:
    """Return the seconds to wait after so many failed tries: twice as long each time."""
    return min(FIRST * 2.0 ** min(tries - 1, 20), LONGEST)


_log: Final = logging.getLogger(__name__)


async def periodically(
    step: Callable[[], Awaitable[object]], pause: float, sleep: Sleep, what: str
) -> NoReturn:
    """Take a step now and after each pause of so many seconds, until cancelled.

    While the store does not answer, it is only logged `what` cannot be done.
    """
    while True:
        try:
            await step()
        except Unavailable:
            _log.info("%s: the store does not answer", what)
        await sleep(pause)
