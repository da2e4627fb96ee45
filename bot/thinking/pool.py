"""Worker processes on this machine: bounded in time, computing and memory, killed when over."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from pebble import ProcessPool

from bot.thinking.jobs import Job, Reply
from bot.thinking.ports import Failed
from bot.thinking.worker import prepare, run, work

MEMORY: Final = 1024
"""Megabytes of address space that a worker may have."""

TASKS: Final = 2000
"""Jobs after which a worker is replaced, so that nothing it keeps can grow for ever."""

_log: Final = logging.getLogger(__name__)

CLOSING: Final = 5.0
"""Seconds that workers have to end."""


def usual_workers() -> int:
    """As many as the machine has processors to spare, at least one."""
    return max(1, (os.cpu_count() or 2) - 1)


class Pool:
    """A pool of workers. They are started when the first job comes.

    Args:
        workers: How many.
        memory: Megabytes of address space for each; 0: no bound.
        answer: What a worker does with a job.
    """

    def __init__(
        self,
        workers: int | None = None,
        memory: int = MEMORY,
        answer: Callable[[str, float], str] = work,
    ) -> None:
        self.workers: Final = usual_workers() if workers is None else workers
        self._memory: Final = memory << 20
        self._answer: Final = answer
        self._pool: ProcessPool | None = None
        self._lock: Final = threading.Lock()

    async def solve(self, job: Job, seconds: float) -> Reply:
        """The answer, within so many seconds; see `Solver`."""
        loop = asyncio.get_running_loop()
        try:
            # Starting a process takes some milliseconds that the loop has better uses for.
            future: Future[str] = await loop.run_in_executor(None, self._schedule, job, seconds)
            return Reply.unpack(await asyncio.wrap_future(future))
        except asyncio.CancelledError:
            raise
        except Exception as failed:
            raise Failed(type(failed).__name__) from failed

    def _schedule(self, job: Job, seconds: float) -> Future[str]:
        with self._lock:
            pool = self._pool
            if pool is None or not pool.active:
                broken, pool = pool, self._started()
                self._pool = pool
                if broken is not None:
                    _log.error("the workers have broken down altogether; there are new ones")
                    _ended(broken)
            scheduled: Future[str] = pool.schedule(
                run, args=[self._answer, job.pack(), seconds], timeout=seconds
            )
        return scheduled

    def _started(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self.workers,
            max_tasks=TASKS,
            initializer=prepare,
            initargs=[self._memory],
            context=_context(),
        )

    async def close(self) -> None:
        """End all workers."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.get_running_loop().run_in_executor(None, _ended, pool)


def _ended(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join(timeout=CLOSING)


def _context() -> Any:
    """How workers are started: never by copying this process, which has threads and connections."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bot.thinking.worker"])
    return context
