"""Supervisor: runs the parts of the bot, and starts one that fails again, alone, with growing pauses.

The end of a process, as SIGTERM asks for it. It is loaded before all else, so nothing else is loaded with it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from bot.chat.periodic import Sleep, delay
from bot.config import CannotRun


class StopSignal:
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


FINISH: Final = 7.0
"""Seconds in which a process finishes what it has taken; with what closing takes, it ends within 10."""
STEADY: Final = 60.0  # seconds of running after which a failure counts as the first one

_log: Final = logging.getLogger(__name__)

Run: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the bot."""

    name: str
    run: Run  # runs it until cancelled; called again after it has failed
    # What the operator can do if it goes on failing.
    remedy: str = "if it goes on, run `klop doctor` and report the traceback"
    needed: bool = True  # a setting that it cannot run with ends the process, also later than at the start


class Supervisor:
    """Runs parts side by side; the failure of one does not stop the others."""

    def __init__(self, sleep: Sleep = asyncio.sleep) -> None:
        self._sleep = sleep

    async def run(
        self, parts: Sequence[Part], stop: StopSignal | None = None, finish: Run | None = None
    ) -> None:
        """Run until cancelled, or until stopped and finished, within `FINISH` seconds; raises `CannotRun`.

        `finish` has the parts take nothing more, and returns once they have finished what they took.
        """
        async with self.behind(parts):
            if not stop or not finish:
                await asyncio.Event().wait()
                return
            await stop.wait()
            with suppress(TimeoutError):
                await asyncio.wait_for(finish(), FINISH)

    @asynccontextmanager
    async def behind(self, parts: Sequence[Part]) -> AsyncIterator[None]:
        """Run in the background for as long as the context lasts; raises `CannotRun`."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._kept(part), name=part.name) for part in parts]
                try:
                    yield
                finally:
                    for task in tasks:
                        task.cancel()
        except BaseExceptionGroup as failed:  # of a part, or of the context
            raise failed.exceptions[0] from None

    async def _kept(self, part: Part) -> None:
        clock = asyncio.get_running_loop().time
        first, failed = clock(), 0
        while True:
            began = clock()
            try:
                await part.run()
                _log.error("%s has ended by itself", part.name)
            except Exception as failure:  # noqa: BLE001 - the last barrier: the others go on
                if refused := _refusal(failure):
                    if part.needed or clock() - first < STEADY:
                        raise refused from None
                    _log.error("%s cannot run with %s as it is set", part.name, refused.fields["setting"])
                else:
                    _log.exception("%s has failed", part.name)
            failed = 1 if clock() - began >= STEADY else failed + 1
            pause = delay(failed)
            _log.error("%s is started again in %g s; %s", part.name, pause, part.remedy)
            await self._sleep(pause)


def _refusal(failure: Exception) -> CannotRun | None:
    while isinstance(failure, ExceptionGroup) and (found := failure.subgroup(CannotRun)):
        failure = found.exceptions[0]
    return failure if isinstance(failure, CannotRun) else None
