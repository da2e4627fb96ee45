"""Worker processes on this machine, bounded in time, processor time and memory; killed beyond their bounds."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, MutableSequence
from concurrent.futures import Future
from typing import Any, Final

from pebble import ProcessExpired, ProcessPool

from bot.chat.thinking.jobs import Job, JobQueue, Reply
from bot.chat.thinking.thinker import SearchFailed
from bot.chat.thinking.worker import prepare, run, work

MEMORY: Final = 1024  # megabytes of address space of a worker
TASKS: Final = 2000  # jobs after which a worker is replaced, so that its memory cannot grow without end

REMEDY: Final = "if it goes on, set KLOP_WORKERS lower"
"""What the operator can do where workers end by themselves."""

CLOSING: Final = 5.0  # seconds that workers have to end
STOPS: Final = 0.5  # seconds that a search which is no longer wanted has to stop; then its worker is killed

OVERDUE: Final = (
    15.0  # seconds beyond its time until an answer is given up: enough to start a worker and kill it
)


def usual_workers() -> int:
    """Return one less than the number of processors, at least one."""
    return max(1, (os.cpu_count() or 2) - 1)


class WorkersDown(Exception):
    """All workers have broken down."""


class Pool:
    """A pool of workers, started at the first job, each with so many megabytes of address space (0: no bound).

    The turn of a match does not wait for a chunk of an analysis: that begins again later. A worker that ends costs its
    search alone. After a breakdown of all, `run` under a supervisor decides when there are new ones, else the next job.
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
        self._queue: Final = JobQueue(self.workers, most=sys.maxsize, spare=0)  # no job waits inside pebble
        self._stops: Final[MutableSequence[int]] = _context().RawArray("b", self.workers)  # nonzero: stop
        self._unused: Final = [*range(self.workers)]  # of its places
        self._down: asyncio.Future[None] | None = None  # in a run: fails when the workers break down
        self._ready: Final = asyncio.Event()
        self._ready.set()

    async def run(self) -> None:
        """Allow new workers until they break down (WorkersDown; searches wait for the next run); see `bot.app.supervisor`."""
        self._down = asyncio.get_running_loop().create_future()
        self._ready.set()
        await self._down

    async def solve(self, job: Job, seconds: float) -> Reply:
        """Return the answer within so many seconds; see `Solver`."""
        return await self._queue.run(job.job_class, None, lambda: self._solved(job, seconds))

    async def _solved(self, job: Job, seconds: float) -> Reply:
        place = self._unused.pop()
        self._stops[place] = 0
        try:
            async with asyncio.timeout(seconds):
                await self._started_again()
            return Reply.unpack(await self._answered(job, seconds, place))
        except SearchFailed:
            raise
        except ProcessExpired as ended:
            raise SearchFailed(f"a worker has ended (status {ended.exitcode}); {REMEDY}") from ended
        except Exception as failed:  # whatever failed in the other process
            raise SearchFailed(type(failed).__name__) from failed
        finally:
            self._unused.append(place)

    async def _started_again(self) -> None:
        if self._pool is not None and not self._pool.active:
            self._break(self._pool, "the workers have broken down altogether")
        await self._ready.wait()

    async def _answered(self, job: Job, seconds: float, place: int) -> str:
        # Starting a process takes some milliseconds, too long for the loop.
        scheduling = asyncio.get_running_loop().run_in_executor(None, self._schedule, job, seconds, place)
        try:
            pool, scheduled = await asyncio.shield(scheduling)
        except asyncio.CancelledError:
            scheduling.add_done_callback(lambda done: done.exception() or done.result()[1].cancel())
            raise
        answer = asyncio.wrap_future(scheduled)
        try:
            if not (await asyncio.wait([answer], timeout=seconds + OVERDUE))[0]:
                # A worker killed at a bad moment can leave a pool that waits for ever.
                self._break(pool, "the workers do not answer")
                raise SearchFailed("overdue")
            return answer.result()
        except asyncio.CancelledError:
            self._stops[place] = 1
            await asyncio.wait([answer], timeout=STOPS)
            raise
        finally:
            answer.cancel()  # a worker that goes on is killed

    def _schedule(self, job: Job, seconds: float, place: int) -> tuple[ProcessPool, Future[str]]:
        with self._lock:
            if self._pool is None:
                self._pool = self._started()
            pool = self._pool
            scheduled: Future[str] = pool.schedule(
                run, args=[self._answer, job.pack(), seconds, place], timeout=seconds
            )
        return pool, scheduled

    def _break(self, pool: ProcessPool, reason: str) -> None:
        if self._pool is not pool:
            return
        self._pool = None
        _ending(pool)
        if self._down is not None and not self._down.done():
            self._ready.clear()
            self._down.set_exception(WorkersDown(reason))

    def _started(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self.workers,
            max_tasks=TASKS,
            initializer=prepare,
            initargs=[self._memory, self._stops],
            context=_context(),
        )

    async def close(self) -> None:
        """End all workers."""
        pool, self._pool = self._pool, None
        if pool is not None:
            ending = _ending(pool)
            await asyncio.get_running_loop().run_in_executor(None, ending.join, CLOSING)


def _ending(pool: ProcessPool) -> threading.Thread:
    """End a pool in a thread: it may take for ever, and must delay neither a search nor the bot's end."""

    def end() -> None:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()

    thread = threading.Thread(target=end, name="ending-workers", daemon=True)
    thread.start()
    return thread


def _context() -> Any:
    """Return how workers are started: never by a fork of this process, which has threads and connections."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bot.chat.thinking.worker"])
    return context
