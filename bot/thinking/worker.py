"""What runs in a worker process. It knows no chat, no store and no secret; it may be killed at any moment."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from bot.thinking.jobs import Job, run_job

if sys.platform != "win32":
    import resource


KNOWN: Final = frozenset({"PATH", "HOME", "LANG", "TMPDIR", "TZ", "KLOP_ENGINE"})
"""What a worker is told of the environment."""

OUT_OF_MEMORY: Final = 12
"""The exit status of a worker that had no memory left: what C calls ENOMEM."""


NICE: Final = 10
"""How much a worker gives way to the bot, in the system's own steps: whoever presses a button comes before who thinks."""


def prepare(memory: int) -> None:
    """Bound a fresh worker, and have it give way to the bot itself.

    Args:
        memory: Bytes of address space that it may have; 0: no bound.
    """
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # who stops the bot in a terminal stops the bot, which stops us
    if sys.platform != "win32":
        os.nice(NICE)
    if sys.platform != "win32" and memory:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def run(answer: Callable[[str, float], str], text: str, seconds: float) -> str:
    """Answer a job. Out of memory, die: what is still held then would cost the next job its memory too."""
    try:
        return answer(text, seconds)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def work(text: str, seconds: float) -> str:
    """Answer a job; after so many seconds of computing, die."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        soft = int(used.ru_utime + used.ru_stime + seconds) + 1
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (soft, most))
    return run_job(Job.unpack(text)).pack()
