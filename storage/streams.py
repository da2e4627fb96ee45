"""Streams of entries, which processes share: what the outbox and the inbox have in common.

* An entry stays in its stream until it is `done`. Those of a process that ended are read by the others within `LEASE`
  seconds, from the oldest one on; at once by one that starts with the same data directory, where `storage.processes` shows
  that it has ended. So an entry may be read twice, never not at all.
* `read` must be called at least every second or two, even while there is nothing to do (with `limit` 0 it only renews
  the lease): a process that does not for `LEASE` seconds loses its streams.
* `read` returns each entry once to one process. The process keeps what it could not finish yet, and tries again.
* An entry that cannot be handled is set aside after `TRIES`, so that the next ones go on; so are timers and jobs. `klop doctor`
  shows what is set aside, until an operator puts it back or drops it. A store or a platform that does not answer is no failure of
  an entry.
* Each stream is one process's at a time, also while processes come and go. So all entries of one match, or of one chat,
  come through one process, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeVar

from play.errors import Unavailable
from storage.errors import Damage, Damaged

LEASE: Final = 5.0  # seconds after which a process that does not read loses its streams

TRIES: Final = 3  # of what fails, before it is set aside
ASIDE_MOST: Final = 200  # entries that are kept aside; of more, the oldest are dropped
ASIDE_KEPT: Final = timedelta(days=30)
_LONGEST: Final = 200  # characters of a reason


def is_failure(error: Exception) -> bool:
    """Whether an exception is a failure of what was handled: not of the store, and not of this program's being the older one."""
    newer = isinstance(error, Damaged) and error.reason is Damage.NEWER
    return not newer and not isinstance(error, Unavailable)


def reason_of(error: Exception) -> str:
    """Return an exception as one short line for an operator."""
    said = f"{type(error).__name__}: {error}"
    return "".join(each if each.isprintable() else " " for each in said)[:_LONGEST]


@dataclass(frozen=True, slots=True)
class SetAside:
    """An entry that could not be handled.

    Attributes:
        id: Names it for an operator.
        stream: Where it comes from: `out`, `in:telegram`, `timers`, `jobs`.
        about: The match, the event or the chat that it is about.
        reason: See `reason_of`.
        at: When it was set aside.
    """

    id: str
    stream: str
    about: str
    reason: str
    at: datetime


class Aside(Protocol):
    """What is set aside, of all streams and of the timers. Every method may raise `Unavailable`."""

    async def all(self) -> Sequence[SetAside]:
        """Return what is set aside, the oldest first."""

    async def replay(self, aside_id: str) -> bool:
        """Put an entry back, to be handled again; return whether it was there."""

    async def drop(self, aside_id: str) -> bool:
        """Delete an entry; return whether it was there."""


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

    async def set_aside(self, entry: E, reason: str) -> None:
        """Delete an entry that cannot be handled, and keep it aside."""

    async def wait(self, seconds: float) -> None:
        """Return when this process has added an entry since `read` began, at `wake`, or after so many seconds."""

    def wake(self) -> None:
        """End the present `wait`, or the next one before `read`."""

    async def close(self) -> None:
        """Release everything that is not done to the other processes."""

    async def backlog(self) -> int:
        """Return how many entries are not done, of all processes."""
