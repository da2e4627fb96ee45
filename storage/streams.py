"""Streams of entries, which processes share: what the outbox and the inbox have in common.

* An entry stays in its stream until it is `done`. Those of a process that ended are read by the others within `LEASE`
  seconds, from the oldest one on; at once by one that starts with the same data directory, where `storage.processes` shows
  that it has ended. So an entry may be read twice, never not at all.
* `read` must be called at least every second or two, even while there is nothing to do (with `limit` 0 it only renews
  the lease): a process that does not for `LEASE` seconds loses its streams.
* `read` returns each entry once to one process. The process keeps what it could not finish yet, and tries again.
* Each stream is one process's at a time, also while processes come and go. So all entries of one match, or of one chat,
  come through one process, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, TypeVar

LEASE: Final = 5.0  # seconds after which a process that does not read loses its streams


class Entry(Protocol):
    """What is read from a stream, by its opaque id there."""

    @property
    def entry(self) -> str:
        """The id."""


E = TypeVar("E", bound=Entry)


class Stream(Protocol[E]):
    """One process's view of the streams of one direction. Every method may raise `Unavailable`."""

    async def read(self, limit: int, done: Sequence[E] = ()) -> Sequence[E]:
        """Return up to `limit` entries that no process has read, or only one that is gone; `done` ones are deleted on the way."""

    async def done(self, entries: Sequence[E]) -> None:
        """Delete entries that need nothing more."""

    async def wait(self, seconds: float) -> None:
        """Return when this process has added an entry since `read` began, at `wake`, or after so many seconds."""

    def wake(self) -> None:
        """End the present `wait`, or the next one before `read`."""

    async def close(self) -> None:
        """Release everything that is not done to the other processes."""

    async def backlog(self) -> int:
        """Return how many entries are not done, of all processes."""
