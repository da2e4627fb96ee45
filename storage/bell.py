"""A bell that wakes whoever waits in this process; what other processes do is seen at the next look."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from weakref import WeakSet


class Listener:
    """One who hears the bell, also if it rang since `clear`."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def clear(self) -> None:
        """Forget that it rang."""
        self._event.clear()

    def wake(self) -> None:
        """It rings."""
        self._event.set()

    async def wait(self, seconds: float) -> None:
        """Return when it rings, or has, or else after so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()


class Bell:
    """Rung at each commit."""

    def __init__(self) -> None:
        self._listeners: WeakSet[Listener] = WeakSet()

    def listener(self) -> Listener:
        """Somebody more to hear it."""
        listener = Listener()
        self._listeners.add(listener)
        return listener

    def ring(self) -> None:
        """Wake everybody."""
        for listener in tuple(self._listeners):
            listener.wake()
