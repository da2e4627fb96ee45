"""Workers on other machines: the solver of the bot, and the worker of `python -m bot --role engine`."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from bot.chat.thinking.jobs import GIVING_WAY, Job, JobClass, Reply
from bot.chat.thinking.thinker import SearchFailed, Solver
from play.errors import Unavailable
from storage.ports import TRIES, reason_of
from storage.redis.jobs import LEASE, LeasedJob, RedisJobs

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
            if text is None:
                if loop.time() - looked >= BEAT:
                    looked = loop.time()
                    if not await self._alive(job):
                        return None
                continue
            try:
                return Reply.unpack(text)
            except ValueError as nothing:
                raise SearchFailed("a worker elsewhere failed") from nothing
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
