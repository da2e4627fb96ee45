"""Waiting for another process: the one place where tests let time pass, and never without a bound."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

LIMIT = 120.0
"""Seconds that anything may take, far more than it needs on a busy machine."""
PAUSE = 0.01


async def eventually(condition: Callable[[], object | Awaitable[object]], limit: float = LIMIT) -> None:
    """Return once `condition` is true; fail if it is not in time."""
    async with asyncio.timeout(limit):
        while True:
            found = condition()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return
            await asyncio.sleep(PAUSE)


def eventually_now(
    condition: Callable[[], object],
    limit: float = LIMIT,
    *,
    said: Callable[[], str] = str,
    pause: float = PAUSE,
) -> None:
    """The same where there is no event loop; a failure has the words of `said`."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(said())
        time.sleep(pause)
