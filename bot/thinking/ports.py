"""Whoever does the searching."""

from __future__ import annotations

from typing import Protocol

from bot.thinking.jobs import Job, Reply


class SearchFailed(Exception):
    """A search came to nothing: its worker died, was too slow, or had no memory left."""


class Solver(Protocol):
    """Answers jobs, as many at once as it has workers."""

    @property
    def workers(self) -> int:
        """How many jobs it works at side by side."""
        ...

    async def solve(self, job: Job, seconds: float) -> Reply:
        """The answer, within so many seconds.

        Raises:
            Failed: there is none.
        """
        ...

    async def close(self) -> None:
        """End all workers."""
        ...
