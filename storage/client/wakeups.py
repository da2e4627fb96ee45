"""What wakes the tasks of a process when something is added, also by another process: messages on one channel of the server.

The scripts that add something publish it: `<process> <name> <when it is due>`. A message may be lost with its connection, so all
tasks are woken when this process listens again; while it does not, and beside it now and then, they look themselves.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from play.errors import Unavailable
from storage import keys


class Waiter(asyncio.Event):
    """One task's view of the wakeups; one that came since `clear` counts."""

    async def wait_for(self, seconds: float) -> None:
        """Return at a wakeup, or after so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait()


class Wakeup:
    """Wakes all waiters at each commit, in the order in which they came: a simulated run can be repeated."""

    def __init__(self) -> None:
        self._waiters: WeakKeyDictionary[Waiter, None] = WeakKeyDictionary()

    def waiter(self) -> Waiter:
        """Return a new waiter."""
        waiter = Waiter()
        self._waiters[waiter] = None
        return waiter

    def wake(self) -> None:
        """Wake all waiters."""
        for waiter in tuple(self._waiters):
            waiter.set()


POLLED: Final = 0.2
"""Seconds between looks for what other processes have added while this one does not listen."""
_LOOKED: Final = 60.0
"""Seconds after which is looked again for what is due although nothing is known to be: a process of an earlier version adds it unheard."""
_MOST: Final = 1000  # names of which is known when something is due


Subscribe: TypeAlias = Callable[[str, Callable[[bytes | None], None]], Awaitable[None]]
"""Calls back with each message of a channel, first with None once it listens, until that fails; raises `Unavailable`."""


class Wakeups:
    """The wakeups of a process by the name of what is added, and when the first of it is due.

    Attributes:
        listening: Whether those of other processes come.
    """

    def __init__(self, process: str, subscribe: Subscribe) -> None:
        self.listening = False
        self._process, self._subscribe = process, subscribe
        self._wakeups: dict[str, Wakeup] = {}
        self._due: dict[str, float] = {}  # in microseconds, since the last look
        self._looked: dict[str, float] = {}  # by the loop's clock

    def waiter(self, name: str) -> Waiter:
        """Return a new waiter for what is added under a name."""
        return self._wakeups.setdefault(name, Wakeup()).waiter()

    def message(self, name: str, due: int | None = None) -> str:
        """Return what a script publishes when it adds something."""
        return f"{self._process} {name} {'' if due is None else due}"

    def wake(self, name: str, due: int | None = None) -> None:
        """Wake those who wait for what was added; timers are added by commits."""
        of = keys.TIMERS if name == keys.OUT.name else name
        if due is not None and due < self._due.get(of, -math.inf):
            self._due[of] = due
            self._wake(of)
        self._wake(name)

    def due(self, name: str) -> float:
        """Return up to when nothing under a name is due, in microseconds, as far as is known."""
        now = asyncio.get_running_loop().time()
        known = self.listening and now - self._looked.get(name, -math.inf) < _LOOKED
        return self._due[name] if known else -math.inf

    def look(self, name: str) -> None:
        """Call before a look for when something is due, and where it is not known any more; what is added from now on counts."""
        self._looked.pop(name, None)
        self._due[name] = math.inf

    def looked(self, name: str, *due: int) -> None:
        """Call after it with when what was found is due."""
        if len(self._due) > _MOST:
            self._looked.clear()
            self._due.clear()
        self._due[name] = min(self._due.get(name, -math.inf), *due, math.inf)
        self._looked[name] = asyncio.get_running_loop().time()

    def bounded(self, seconds: float) -> float:
        """Return for how many of so many seconds a task may wait for a wakeup."""
        return seconds if self.listening else min(seconds, POLLED)

    @asynccontextmanager
    async def heard(self) -> AsyncIterator[None]:
        """Listen in the background for as long as the context lasts."""
        task = asyncio.create_task(self._listen(), name="wakeups")
        try:
            yield
        finally:
            while not task.done():  # `wait_for`, by which redis-py connects, may lose one in Python 3.11
                task.cancel()
                await asyncio.wait((task,), timeout=POLLED)

    async def _listen(self) -> None:
        while True:
            with suppress(Unavailable):
                await self._subscribe(keys.WAKE, self._hear)
            if self.listening:
                self.listening = False
                self._wake_all()
            await asyncio.sleep(POLLED)

    def _hear(self, message: bytes | None) -> None:
        if message is None:  # it listens from now on
            self.listening = True
            self._wake_all()
            return
        process, name, due = message.decode().split(" ")
        if process != self._process:
            self.wake(name, int(due) if due else None)

    def _wake_all(self) -> None:
        self._looked.clear()
        for name in tuple(self._wakeups):
            self._wake(name)

    def _wake(self, name: str) -> None:
        if name in self._wakeups:
            self._wakeups[name].wake()
