"""What searches: workers, and external engines."""

from __future__ import annotations

from typing import Protocol

from bot.thinking.jobs import Job, Reply


class SearchFailed(Exception):
    """A search failed: its worker died, was too slow, or ran out of memory."""


class Solver(Protocol):
    """Answers jobs, as many at once as it has workers."""

    @property
    def workers(self) -> int:
        """How many jobs it runs at once."""

    async def solve(self, job: Job, seconds: float) -> Reply:
        """Return the answer within so many seconds.

        Raises:
            SearchFailed: there is none.
        """

    async def close(self) -> None:
        """End all workers."""


class ExternalEngine(Protocol):
    """A program that plays."""

    async def turn(self, job: Job) -> Reply:
        """Return its turn.

        Raises:
            SearchFailed: it has none, or not in time.
        """

    async def close(self) -> None:
        """End the program."""
