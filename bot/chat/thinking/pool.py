"""Workers: processes on this machine, bounded in time and memory, and those on other machines."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import secrets
import sys
import threading
from collections.abc import Awaitable, Callable, MutableSequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from pebble import ProcessExpired, ProcessPool

from bot.chat.thinking.jobs import GIVING_WAY, Job, JobClass, JobQueue, Reply, weaker_here
from bot.chat.thinking.thinker import SearchFailed, Solver
from bot.chat.thinking.worker import prepare, run, work
from play.errors import Unavailable
from storage.ports import TRIES, reason_of
from storage.redis.jobs import LEASE, LeasedJob, RedisJobs

MEMORY: Final = 1024  # megabytes of address space of a worker
TASKS: Final = 2000  # jobs after which a worker is replaced, so that its memory cannot grow without end

REMEDY: Final = "if it goes on, set KLOP_WORKERS lower"
"""What the operator can do where workers end by themselves."""

CLOSING: Final = 5.0  # seconds that workers have to end
STOPS: Final = 0.5  # seconds that a search which is no longer wanted has to stop; then its worker is killed

OVERDUE: Final = 15.0  # seconds beyond its time until an answer is given up: a worker is started and killed


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
        # By default one processor is left to the bot.
        self.workers: Final = max(1, (os.cpu_count() or 2) - 1) if workers is None else workers
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
        for game, levels in weaker_here().items():
            said = ", ".join(f"level {level} plays like level {alike}" for level, alike in levels.items())
            _log.warning("the engine of %s is not compiled: %s; see docs/engines.md", game, said)
        await self._down

    async def solve(self, job: Job, seconds: float) -> Reply:
        """Return the answer within so many seconds; see `Solver`."""
        return await self._queue.run(job.job_class, None, lambda: self._solved(job, seconds))

    async def _solved(self, job: Job, seconds: float) -> Reply:
        place = self._unused.pop()
        self._stops[place] = 0
        try:
            async with asyncio.timeout(seconds):
                if self._pool is not None and not self._pool.active:
                    self._break(self._pool, "the workers have broken down altogether")
                await self._ready.wait()
            return Reply.unpack(await self._answered(job, seconds, place))
        except SearchFailed:
            raise
        except ProcessExpired as ended:
            raise SearchFailed(f"a worker has ended (status {ended.exitcode}); {REMEDY}") from ended
        except Exception as failed:  # whatever failed in the other process
            raise SearchFailed(type(failed).__name__) from failed
        finally:
            self._unused.append(place)

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
                self._pool = ProcessPool(
                    max_workers=self.workers,
                    max_tasks=TASKS,
                    initializer=prepare,
                    initargs=[self._memory, self._stops],
                    context=_context(),
                )
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


LOOK: Final = 0.05  # seconds between polls for an answer or a job
BEAT: Final = 1.0  # seconds between the heartbeats of a worker, and between looks whether any is alive
OVERHEAD: Final = LEASE + 1.0  # seconds beyond its time that the bot waits: a worker may be killed
ALIVE: Final = timedelta(seconds=5)  # how long a worker counts as alive after a heartbeat

_log: Final = logging.getLogger(__name__)


class RemoteSolver:
    """Sends jobs to workers on other machines; while there are none, to those here."""

    def __init__(
        self, jobs: RedisJobs, here: Solver, now: Callable[[], Awaitable[datetime]], workers: int
    ) -> None:
        self.workers: Final = workers
        self._jobs: Final = jobs
        self._here: Final = here
        self._now: Final = now

    async def solve(self, job: Job, seconds: float) -> Reply:
        """Return the answer; see `Solver`. A worker that is killed, or too many jobs, cost some seconds more."""
        try:
            reply = await self._asked(job, seconds) if await self._alive(job) else None
        except Unavailable as away:
            raise SearchFailed("the store is out of reach") from away
        return reply or await self._here.solve(job, seconds)

    async def _alive(self, job: Job) -> bool:
        return bool(await self._jobs.workers(job.job_class, await self._now(), ALIVE))

    async def _asked(self, job: Job, seconds: float) -> Reply | None:
        job_id = secrets.token_hex(12)
        patience = seconds + OVERHEAD
        await self._jobs.put(job.job_class, job_id, job.pack(), patience)
        loop = asyncio.get_running_loop()
        until = loop.time() + patience
        looked = loop.time()
        while loop.time() < until:
            await asyncio.sleep(LOOK)
            text = await self._jobs.answer(job_id)
            if text is not None:
                try:
                    return Reply.unpack(text)
                except ValueError as nothing:
                    raise SearchFailed("a worker elsewhere failed") from nothing
            if loop.time() - looked >= BEAT:
                looked = loop.time()
                if not await self._alive(job):
                    break
        return None

    async def close(self) -> None:
        """End the workers here."""
        await self._here.close()


class RemoteWorker:
    """Takes jobs from the store and runs them."""

    def __init__(self, jobs: RedisJobs, pool: Solver, now: Callable[[], Awaitable[datetime]]) -> None:
        self._jobs: Final = jobs
        self._pool: Final = pool
        self._now: Final = now
        self._name: Final = jobs.new_worker()
        self._working: dict[asyncio.Task[None], str] = {}  # the class of each job

    async def run(self) -> None:
        """Work until cancelled; jobs under way then go to other workers at once."""
        beating = asyncio.create_task(self._beat())
        try:
            while True:
                try:
                    found = await self.step()
                except Unavailable:
                    found = 0
                if not found:
                    await asyncio.sleep(LOOK)
        finally:
            tasks = [beating, *self._working]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(Unavailable):
                await self._jobs.leave(self._name)

    async def step(self) -> int:
        """Take as many jobs as workers are free, and turns of matches also instead of searches that give way; return how many."""
        under_way, classes = self._working.values(), tuple(JobClass)
        free = self._pool.workers - len(under_way)
        if free <= 0:
            free = self._pool.workers - sum(each not in GIVING_WAY for each in under_way)
            classes = (JobClass.MOVE,)
        if free <= 0:
            return 0
        leased = await self._jobs.take(self._name, free, classes)
        for each in leased:
            task = asyncio.create_task(self._work(each))
            self._working[task] = each.job_class
            task.add_done_callback(self._working.pop)
        return len(leased)

    async def _work(self, leased: LeasedJob) -> None:
        renewing = asyncio.create_task(self._renew(leased))
        answer = ""
        try:
            if leased.age < leased.seconds:  # else the bot has given it up
                answer = await self._answer(leased)
        finally:
            renewing.cancel()
        with suppress(Unavailable):
            await self._jobs.done(leased, answer)

    async def _answer(self, leased: LeasedJob) -> str:
        for tries in range(1, TRIES + 1):
            try:
                job = Job.unpack(leased.text)
                return (await self._pool.solve(job, leased.seconds - OVERHEAD)).pack()
            except (SearchFailed, ValueError) as failed:
                _log.warning("a job came to nothing: %s", failed)
                break
            except Exception as error:  # noqa: BLE001 - a bug must not go through all workers
                if tries == TRIES:
                    _log.exception("a job cannot be done")
                    with suppress(Unavailable):
                        await self._jobs.set_aside(leased, reason_of(error))
        return ""

    async def _renew(self, leased: LeasedJob) -> None:
        while True:
            await asyncio.sleep(LEASE / 3)
            with suppress(Unavailable):
                await self._jobs.renew(self._name, leased)

    async def _beat(self) -> None:
        while True:
            with suppress(Unavailable):
                await self._jobs.beat(self._name, await self._now())
            await asyncio.sleep(BEAT)
