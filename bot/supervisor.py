"""Supervisor: runs the parts of the bot, and starts one that fails again, alone, with growing pauses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from bot.platform import CannotConnect
from bot.sender.backoff import Sleep, delay
from bot.stopping import Stop

FINISH: Final = 7.0
"""Seconds in which a process finishes what it has taken; with what closing takes, it ends within 10."""
STEADY: Final = 60.0  # seconds of running after which a failure counts as the first one

_log: Final = logging.getLogger(__name__)

Run: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
"""Runs until cancelled; may be called again after it has failed."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the bot.

    Attributes:
        name: Names it in the log.
        run: Runs it.
        remedy: What the operator can do if it goes on failing.
        needed: A token that the platform rejects ends the process, also later than at the start.
    """

    name: str
    run: Run
    remedy: str = "if it goes on, run `klop doctor` and report the traceback"
    needed: bool = True


Finish: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
"""Has the parts take nothing more, and returns once they have finished what they took."""


class Supervisor:
    """Runs parts side by side; the failure of one does not stop the others."""

    def __init__(
        self, sleep: Sleep = asyncio.sleep, clock: Callable[[], float] | None = None, steady: float = STEADY
    ) -> None:
        self._sleep = sleep
        self._clock = clock
        self._steady = steady

    async def run(
        self, parts: Sequence[Part], stop: Stop | None = None, finish: Finish | None = None
    ) -> None:
        """Run until cancelled, or until stopped and finished, within `FINISH` seconds.

        Raises:
            CannotConnect: a platform rejects its token: at the start, or any time if it is needed.
        """
        async with self.behind(parts) as tasks:
            stopping = [asyncio.create_task(stop.wait())] if stop and finish else []
            try:
                done, _ = await asyncio.wait([*tasks, *stopping], return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                if finish:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(finish(), FINISH)
            finally:
                for task in stopping:
                    task.cancel()

    @asynccontextmanager
    async def behind(self, parts: Sequence[Part]) -> AsyncIterator[Sequence[asyncio.Task[None]]]:
        """Run in the background for as long as the context lasts."""
        tasks = [asyncio.create_task(self._kept(part), name=part.name) for part in parts]
        try:
            yield tasks
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _kept(self, part: Part) -> None:
        clock = self._clock or asyncio.get_running_loop().time
        first, failed = clock(), 0
        while True:
            began = clock()
            try:
                await part.run()
                _log.error("%s has ended by itself", part.name)
            except CannotConnect as rejected:
                if part.needed or clock() - first < self._steady:
                    raise
                _log.error("%s rejects its token: set %s", part.name, rejected.fields["setting"])
            except Exception:  # noqa: BLE001 - the others go on
                _log.exception("%s has failed", part.name)
            failed = 1 if clock() - began >= self._steady else failed + 1
            pause = delay(failed)
            _log.error("%s is started again in %g s; %s", part.name, pause, part.remedy)
            await self._sleep(pause)
