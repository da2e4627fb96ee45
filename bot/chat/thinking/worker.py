"""The code of a worker process. It has no chat, store or secret, and may be killed at any moment."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from bot.chat.thinking.jobs import Job, run_job
from engine.core import SearchListener

if sys.platform != "win32":
    import resource


OUT_OF_MEMORY: Final = 12  # the exit status of a worker without memory: ENOMEM

ENVIRONMENT: Final = frozenset({"PATH", "HOME", "LANG", "TMPDIR", "TZ", "KLOP_ENGINE"})
"""The variables that a worker keeps; the bot's tokens are not among them."""

NICE: Final = 10  # the niceness of a worker: answering people comes before searching


class _Asked(SearchListener):
    """Stops the search of this process where the pool asks for it, in the place of the search in memory that both share."""

    def __init__(self) -> None:
        self.stops: Sequence[int] = (0,)
        self.place = 0

    def stopped(self) -> bool:
        return bool(self.stops[self.place])


_asked: Final = _Asked()


def prepare(memory: int, stops: Sequence[int] = (0,)) -> None:
    """Limit a worker's memory (0: no bound), remove the bot's settings from its environment, and lower its priority.

    A search ends early once `stops` is not 0 at its place.
    """
    _asked.stops = stops
    for name in os.environ.keys() - ENVIRONMENT:
        del os.environ[name]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the bot, which then ends its workers
    if sys.platform != "win32":
        os.nice(NICE)
    if sys.platform != "win32" and memory:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def run(answer: Callable[[str, float], str], text: str, seconds: float, place: int = 0) -> str:
    """Answer a job. Exit when out of memory: what is still held would be missing for the next job."""
    _asked.place = place
    try:
        return answer(text, seconds)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def work(text: str, seconds: float) -> str:
    """Answer a job, or be killed after so many seconds of processor time."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        soft = int(used.ru_utime + used.ru_stime + seconds) + 1
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (soft, most))
    return run_job(Job.unpack(text), _asked).pack()
