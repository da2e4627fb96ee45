"""Workers that do as a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from bot.chat.thinking import Job, Reply
from bot.chat.thinking.jobs import run_job
from bot.chat.thinking.thinker import SearchFailed


class Inline:
    """Answers here and now, at the quickest level; or fails, or waits until it is let go."""

    workers = 2

    def __init__(self) -> None:
        self.asked: list[Job] = []
        self.fails: Callable[[Job], bool] = lambda _: False
        self.hold: asyncio.Event | None = None
        self.begun = asyncio.Event()
        self.seconds = 0.05

    async def solve(self, job: Job, seconds: float) -> Reply:
        self.asked.append(job)
        self.begun.set()
        if self.hold is not None:
            await self.hold.wait()
        if self.fails(job):
            raise SearchFailed("as asked")
        return run_job(replace(job, level=job.level and 1, seconds=self.seconds))

    async def close(self) -> None:
        """Nothing to end."""
