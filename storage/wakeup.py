"""Wake the tasks of this process that wait for a commit; commits of other processes are seen at the next poll."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from weakref import WeakSet


class Waiter(asyncio.Event):
    """One task's view of the wakeups; one that came since `clear` counts."""

    async def wait_for(self, seconds: float) -> None:
        """Return at a wakeup, or after so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait()


class Wakeup:
    """Wakes all waiters at each commit."""

    def __init__(self) -> None:
        self._waiters: WeakSet[Waiter] = WeakSet()

    def waiter(self) -> Waiter:
        """Return a new waiter."""
        waiter = Waiter()
        self._waiters.add(waiter)
        return waiter

    def wake(self) -> None:
        """Wake all waiters."""
        for waiter in tuple(self._waiters):
            waiter.set()
