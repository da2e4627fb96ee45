"""Workers that something befalls: what it is, the seed of the job says."""

from __future__ import annotations

import os
import signal
import time

from bot.chat.thinking.jobs import Job
from bot.chat.thinking.worker import work

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
