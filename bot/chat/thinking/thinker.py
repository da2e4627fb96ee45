"""The bot's searches: turns of engines and advice, with retries when workers fail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakValueDictionary

from bot.chat.fair_queue import Recent
from bot.chat.metrics import JOB
from bot.chat.thinking.jobs import Backlog, Job, JobClass, JobQueue, Reply, at_once


class SearchFailed(Exception):
    """A search failed: its worker died, was too slow, or ran out of memory."""


class Solver(Protocol):
    """Answers jobs."""

    @property
    def workers(self) -> int:
        """How many jobs it runs at once."""

    async def solve(self, job: Job, seconds: float) -> Reply:
        """Return the answer within so many seconds, or raise SearchFailed."""

    async def close(self) -> None:
        """End all workers."""


TRIES: Final = 2  # attempts at a search before it is given up or made easier
GRACE: Final = 2.5  # seconds beyond its budget until a worker is killed; its first job loads modules
_log: Final = logging.getLogger(__name__)

REMEMBERED: Final = 200  # answers that are kept, and so many shared results, at some tens of kilobytes each

T = TypeVar("T")


class NoAnswer(Exception):
    """No advice is available now."""


@dataclass(slots=True, weakref_slot=True)
class SharedProgress:
    """How many parts of something shared are made, of how many; of none until that is known."""

    done: int = 0
    parts: int = 0


class Thinker:
    """Runs the bot's searches. Every one may raise `Busy`, and advice `NoAnswer` after two failures."""

    def __init__(self, solver: Solver, queue: JobQueue | None = None) -> None:
        self._solver = solver
        self._queue = queue or JobQueue(solver.workers)
        self._replies = Recent[Job, Reply](REMEMBERED)
        self._shared = Recent[Hashable, asyncio.Future[Any]](REMEMBERED)
        self._progress: WeakValueDictionary[Hashable, SharedProgress] = WeakValueDictionary()
        self._background: set[asyncio.Task[None]] = set()

    async def turn(self, job: Job, match: Hashable) -> Reply:
        """Return the turn of a level: after two failures from the level below, then without a search."""
        level = job.level or 1
        jobs = [*[job] * TRIES, replace(job, level=max(1, level - 1))]
        return await self._queue.run(JobClass.MOVE, match, lambda: self._tried(jobs)) or at_once(job)

    async def advice(self, job: Job, person: Hashable, chat: Hashable) -> Reply:
        """The best turns; the same ones when a position is asked about again."""
        known = self._replies.get(job)
        if known is not None:  # the idea and the turn come from one search
            return known
        with self.question(person, chat):
            reply = self._replies[job] = await self.search(job, person)
        return reply

    def question(self, person: Hashable, chat: Hashable) -> AbstractContextManager[None]:
        """Count one question of a person, however many positions are searched for it."""
        return self._queue.question(person, chat)

    async def search(self, job: Job, person: Hashable, job_class: JobClass = JobClass.ADVICE) -> Reply:
        """The best turns, as a part of a question, or in background work; people have turns."""
        job = replace(job, job_class=job_class)
        found = await self._queue.run(job_class, person, lambda: self._tried([job] * TRIES))
        if found is None:
            raise NoAnswer
        return found

    async def _tried(self, jobs: Sequence[Job]) -> Reply | None:
        for job in jobs:
            try:
                with JOB.timed(job.game, job.job_class):
                    return await self._solver.solve(job, job.total + GRACE)
            except SearchFailed as failed:
                _log.warning("a search (%s, level %s) failed: %s", job.job_class, job.level, failed)
        return None

    async def shared(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Make something once for all who ask for it, even if the first is gone; what fails is made again for the next one."""
        made = self._shared.get(key)
        if made is None:
            made = self._shared[key] = asyncio.ensure_future(make())
        try:
            result: T = await asyncio.shield(made)
        finally:
            if made.done() and (made.cancelled() or made.exception()) and self._shared.get(key) is made:
                del self._shared[key]
        return result

    def shares(self, key: Hashable) -> bool:
        """Whether something is made already, or being made."""
        return key in self._shared

    def progress(self, key: Hashable) -> SharedProgress:
        """Return how far something shared is, for all who wait for it."""
        return self._progress.setdefault(key, SharedProgress())

    def in_background(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run work that no request waits for; it ends with the thinker at the latest."""
        task = asyncio.create_task(work, name=name)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def settled(self) -> None:
        """Wait until no background work is left."""
        while self._background:
            await asyncio.wait(self._background)

    def queued(self) -> Mapping[str, Backlog]:
        """Return the jobs that wait and are worked at, by their class."""
        return self._queue.by_class()

    async def close(self) -> None:
        """End all workers."""
        for task in tuple(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self._solver.close()
