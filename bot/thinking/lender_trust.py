"""Which keys of lent computers get jobs, after what they did with earlier ones: docs/lending.md says it."""

from __future__ import annotations

import asyncio
import logging
import random
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.thinking import spot_checks
from bot.thinking.jobs import Job, Reply
from bot.thinking.lenders import Lender
from bot.thinking.ports import SearchFailed, Solver
from bot.thinking.spot_checks import FIRST, MOST, SHARE, SUSPICIOUS, Finding, Verdict
from play.errors import Unavailable
from rules.core import quoted
from storage import RedisStore
from storage.outgoing import Bucket, Limit
from storage.redis.lenders import LenderRecord

SLOWER: Final = 5.0  # seconds without a job after a wrong result: another worker takes it
FAILURES: Final = 5
WITHIN: Final = 600.0
REFUSED: Final = 600.0
"""After so many wrong results of a key within so many seconds, it gets no job for so many seconds."""

SILENT: Final = 3  # jobs in a row that a key may leave without an answer before it waits
SILENCE: Final = 5.0
LONGER: Final = 4.0
"""Seconds of the first such wait, and by how much each next one is longer, up to `REFUSED`."""

EXACT: Final = 5.0  # seconds that a result about a solved game waits for its check

_LOGGED: Final = 200  # characters of what is wrong with a result, which may quote it

_log: Final = logging.getLogger(__name__)


class Disproved(Exception):
    """A result is false; its key is suspended."""


class LenderTrust:
    """Counts what keys do with their jobs, and has own workers check results. Every method may raise `Unavailable`."""

    def __init__(self, store: RedisStore, bucket: Bucket, pool: Solver) -> None:
        self._records = store.lenders()
        self._jobs = store.jobs()
        self._now = store.now
        self._bucket = bucket
        self._pool = pool
        self._chance: random.Random = random.SystemRandom()  # a lender must not know what is checked
        self._checking: asyncio.Task[None] | None = None

    async def record(self, lender: Lender) -> LenderRecord:
        """Return what a key did."""
        return await self._records.read(lender.id)

    # --- jobs

    async def allowed(self, lender: Lender) -> tuple[int, float]:
        """Return how many jobs a key may have at once now, and how many seconds it waits before it gets any: it left some unanswered."""
        record = await self._records.read(lender.id)
        silent = record.unanswered - await self._jobs.held(lender.worker)
        if silent < SILENT:
            return lender.at_once, 0.0
        if silent > record.waited:
            wait = min(REFUSED, SILENCE * LONGER ** (silent - SILENT))
            _log.warning("the lent computer %s left %s jobs in a row without an answer", lender.name, silent)
            await self._bucket.hold(_silence(lender), wait)
            await self._records.waits(lender.id, silent)
        return 1, await self._bucket.take(_silence(lender))

    async def given(self, lender: Lender) -> None:
        """Count a job that a key got."""
        await self._records.given(lender.id)

    async def returned(self, lender: Lender) -> None:
        """Count a job that a key gave back."""
        await self._records.returned(lender.id)

    async def answered(self, lender: Lender) -> None:
        """Count a result."""
        await self._records.answered(lender.id, await self._jobs.held(lender.worker))

    # --- results

    async def pause(self, lender: Lender) -> float:
        """Return how many seconds a key gets no job because of its results."""
        return await self._bucket.take(_pause(lender))

    async def wrong(self, lender: Lender, why: str) -> None:
        """Note a result that cannot be true by the rules."""
        _log.warning("a wrong result of the lent computer %s: %s", lender.name, quoted(why, _LOGGED))
        failures = Limit(f"lent-wrong:{lender.name}", FAILURES / WITHIN, FAILURES - 1)
        await self._bucket.hold(_pause(lender), REFUSED if await self._bucket.take(failures) else SLOWER)

    async def examined(self, lender: Lender, job: Job, reply: Reply) -> Reply:
        """Return the reply that is used; sometimes check it, without waiting for that. Of a solved game each is checked, and waited for.

        Raises:
            Disproved: an own proof says otherwise.
        """
        if await asyncio.to_thread(spot_checks.is_solved, job):
            with suppress(SearchFailed, TimeoutError):  # no worker is free: it goes unchecked
                async with asyncio.timeout(EXACT):
                    reply, finding = await spot_checks.exact(self._pool, job, reply)
                if finding.verdict is Verdict.FALSE:
                    await self._suspend(lender, finding)
                    raise Disproved(finding.what)
            return reply
        if self._checking is None and self._is_drawn((await self._records.read(lender.id)).verdicts):
            self._checking = asyncio.create_task(self._check(lender, job, reply), name="a spot check")
        # How many turns keep a result only tables can tell.
        return replace(reply, keep=None, after=tuple(replace(each, keep=None) for each in reply.after))

    def _is_drawn(self, verdicts: str) -> bool:
        watched = len(verdicts) < FIRST or verdicts.strip(Verdict.GOOD)
        return self._chance.randrange(SUSPICIOUS if watched else SHARE) == 0

    async def _check(self, lender: Lender, job: Job, reply: Reply) -> None:
        try:
            finding = await spot_checks.by_search(self._pool, job, reply, self._chance)
            await self._judge(lender, finding)
        except (SearchFailed, Unavailable) as failed:
            _log.info("a spot check came to nothing: %s", failed)
        except Exception:  # noqa: BLE001 - no caller waits for the task, so only the log can have it
            _log.exception("a spot check of the lent computer %s failed", lender.name)
        finally:
            self._checking = None

    async def _judge(self, lender: Lender, finding: Finding) -> None:
        verdicts = await self._records.checked(lender.id, finding.verdict)
        if finding.verdict is not Verdict.GOOD:
            _log.warning("the lent computer %s: %s (%s)", lender.name, finding.what, finding.verdict.name)
        if finding.verdict is Verdict.FALSE or verdicts.count(Verdict.UNLIKELY) >= MOST:
            await self._suspend(lender, finding)
        elif finding.verdict is Verdict.SLOW and verdicts.count(Verdict.SLOW) >= MOST:
            await self._bucket.hold(_pause(lender), REFUSED)

    async def _suspend(self, lender: Lender, finding: Finding) -> None:
        if (await self._records.read(lender.id)).suspended is None:
            await self._records.suspend(lender.id, await self._now(), finding.what)
            _log.error("the key of the lent computer %s is suspended: %s", lender.name, finding.what)
        await self._jobs.leave(lender.worker)

    async def close(self) -> None:
        """End the check under way."""
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.gather(self._checking, return_exceptions=True)


def _pause(lender: Lender) -> Limit:
    """Return the bucket that has no token while a key gets no jobs because of its results."""
    return Limit(f"lent-pause:{lender.name}", 1000.0, 1000)


def _silence(lender: Lender) -> Limit:
    """Return the bucket that has no token while a key gets no jobs because it left some unanswered."""
    return Limit(f"lent-silence:{lender.name}", 1000.0, 1000)
