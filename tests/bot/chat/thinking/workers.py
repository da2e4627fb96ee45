"""Workers that do as a test wants."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace

from bot.chat.thinking import Job, Reply
from bot.chat.thinking.jobs import run_job
from bot.chat.thinking.thinker import SearchFailed
from bot.chat.thinking.worker import work


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


# Workers that something befalls: what it is, the seed of the job says.


FAULTS = ("killed", "hung", "memory", "broken", "computing", "exit", "none")


def faulty(text: str, seconds: float) -> str:
    """Do what the seed says; at another level than 5, answer."""
    job = Job.unpack(text)
    fault = FAULTS[job.seed % len(FAULTS)]
    if job.level == 5:
        befall(fault)
    quick = Job(job.game, job.options, job.position, job.level and 1, 0.05, job.most, job.seed)
    return work(quick.pack(), seconds)


def befall(fault: str) -> None:
    if fault == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "hung":
        time.sleep(3600)
    if fault == "memory":
        held = []
        while True:
            held.append(bytearray(64 << 20))
    if fault == "broken":
        raise ValueError("as asked")
    if fault == "computing":
        while True:
            pass
    if fault == "exit":
        os._exit(7)
