"""Gets answers: from the workers, whatever happens to them; for a match, at worst without them."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Final

from bot.thinking.analysis import Judged, analysed
from bot.thinking.harvest import fair, harvested
from bot.thinking.job_queue import Busy, JobQueue
from bot.thinking.jobs import Job, Reply, at_once
from bot.thinking.library import Library
from bot.thinking.ports import SearchFailed, Solver
from play.errors import Unavailable
from play.match import Match
from play.replay import Course

TRIES: Final = 2
"""How often a search is tried as it was asked for."""

GRACE: Final = 2.5
"""Seconds beyond what it may think until a worker is killed: the first job loads what it needs."""

_log: Final = logging.getLogger(__name__)


REMEMBERED: Final = 200
"""Analyses that are kept, at some tens of kilobytes each; and so many single answers."""


_HARVESTER: Final = "puzzles"
"""On whose behalf puzzles are made: nobody's, so that everybody else has their turn."""


class NoAnswer(Exception):
    """No advice can be had now."""


class Thinker:
    """The bot's way to its engines.

    Args:
        solver: The workers.
        line: The line before them.
    """

    def __init__(self, solver: Solver, line: JobQueue | None = None) -> None:
        self._solver = solver
        self._line = line or JobQueue(solver.workers)
        self._replies: OrderedDict[Job, Reply] = OrderedDict()
        self._analyses: OrderedDict[tuple[str, int], asyncio.Future[tuple[Judged, ...]]] = OrderedDict()
        self._harvested: OrderedDict[str, None] = OrderedDict()
        self._harvests: set[asyncio.Task[None]] = set()

    async def turn(self, job: Job, match: Hashable) -> Reply:
        """The turn of a level. Always comes: after two failures from the level below, then without any search.

        Raises:
            Busy: too many wait.
        """
        level = job.level or 1
        jobs = [*[job] * TRIES, replace(job, level=max(1, level - 1))]
        async with self._line.player(match):
            for tried in jobs:
                try:
                    return await self._solver.solve(tried, tried.seconds + GRACE)
                except SearchFailed as failed:
                    _log.warning("a search at level %s failed: %s", tried.level, failed)
        return at_once(job)

    async def advice(self, job: Job, person: Hashable, chat: Hashable) -> Reply:
        """The best turns.

        Raises:
            Busy: too many wait, or whoever asks has asked for enough.
            NoAnswer: the search failed, twice.
        """
        known = self._replies.get(job)
        if known is not None:  # whoever asks for the idea and then for the turn gets the same one
            return known
        with self._line.question(person, chat):
            reply = self._replies[job] = await self._advice(job, person)
        while len(self._replies) > REMEMBERED:
            self._replies.popitem(last=False)
        return reply

    async def _advice(self, job: Job, person: Hashable) -> Reply:
        async with self._line.adviser(person):
            for _ in range(TRIES):
                try:
                    return await self._solver.solve(job, job.seconds + GRACE)
                except SearchFailed as failed:
                    _log.warning("a search for advice failed: %s", failed)
        raise NoAnswer

    async def analysis(
        self, match: Match, course: Course, person: Hashable, chat: Hashable
    ) -> tuple[Judged, ...]:
        """Every turn of a match, judged; made once for all who ask.

        Raises:
            Busy: too many wait, or whoever asks has asked for enough.
            NoAnswer: the search failed, twice.
        """
        key = (match.id, match.revision)
        made = self._analyses.get(key)
        if made is None:
            made = asyncio.ensure_future(self._analysed(match, course, person, chat))
            self._analyses[key] = made
            while len(self._analyses) > REMEMBERED:
                self._analyses.popitem(last=False)
        try:
            return await asyncio.shield(made)
        except Exception:
            self._analyses.pop(key, None)
            raise

    async def _analysed(
        self, match: Match, course: Course, person: Hashable, chat: Hashable
    ) -> tuple[Judged, ...]:
        with self._line.question(person, chat):  # one, however many positions it has
            return await analysed(match, course, lambda job: self._advice(job, person))

    def harvest(self, match: Match, course: Course, turns: Sequence[Judged], library: Library) -> None:
        """Make puzzles of a match that was analysed, when there is time for it; nobody waits for that.

        Once for each match, whichever bot of the store does it.
        """
        if match.id in self._harvested or not fair(match):
            return
        self._harvested[match.id] = None
        while len(self._harvested) > REMEMBERED:
            self._harvested.popitem(last=False)
        task = asyncio.create_task(self._harvest(match, course, turns, library), name=f"harvest {match.id}")
        self._harvests.add(task)
        task.add_done_callback(self._harvests.discard)

    async def _harvest(self, match: Match, course: Course, turns: Sequence[Judged], library: Library) -> None:
        try:
            if await library.takes(match.id):
                for posed in await harvested(course, turns, lambda job: self._advice(job, _HARVESTER)):
                    await library.add(posed)
        except (Busy, NoAnswer, Unavailable) as error:
            _log.info("no puzzles of the match %s: %r", match.id, error)

    async def settled(self) -> None:
        """Wait until nothing is under way that nobody waits for."""
        while self._harvests:
            await asyncio.wait(self._harvests)

    @property
    def waiting(self) -> int:
        """How many wait for a worker."""
        return self._line.waiting

    async def close(self) -> None:
        """End all workers."""
        for task in tuple(self._harvests):
            task.cancel()
        await asyncio.gather(*self._harvests, return_exceptions=True)
        await self._solver.close()
