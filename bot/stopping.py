"""The end of a process, as SIGTERM asks for it. It is loaded before all else, so nothing else is loaded with it."""

from __future__ import annotations

import asyncio


class Stop:
    """What SIGTERM calls: the first one asks a process to finish, where that is awaited; else, and at the second one, it is cancelled."""

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self._asked = asyncio.Event()
        self._awaited = False

    def __call__(self) -> None:
        """Ask, or cancel."""
        if self._task is not None and (self._asked.is_set() or not self._awaited):
            self._task.cancel()
        self._asked.set()

    async def wait(self) -> None:
        """Return once the process is asked to finish."""
        self._awaited = True
        await self._asked.wait()
