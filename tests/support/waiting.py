"""Waiting: for another process, never without a bound; and an event loop whose time jumps."""

from __future__ import annotations

import asyncio
import inspect
import selectors
import time
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

# Waiting for another process: the one place where tests let time pass, and never without a bound.


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


# An event loop whose time jumps: whenever nothing can run, it is at once as late as the next timer wants it
# to be.


T = TypeVar("T")

START: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Stuck(AssertionError):
    """Nothing can run, and nothing is waited for that time would bring."""


class _Selector(selectors.SelectSelector):
    """Never waits: the wait is over at once, and the loop's time has passed."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Stuck
        self.now += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop on virtual time."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now

    def moment(self) -> datetime:
        """The virtual time as a date."""
        return START + timedelta(seconds=self.time())


def play(main: Coroutine[Any, Any, T]) -> T:
    """Run something to its end on virtual time."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(main)
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()


def now() -> datetime:
    """The virtual time of the running loop."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop.moment()


async def moment() -> datetime:
    """The same, as a store says what time it is."""
    return now()
