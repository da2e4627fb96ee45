"""Streams of entries, which processes share: what the outbox and the inbox have in common.

* An entry stays in its stream until it is `done`. Those of a process that ended are read by the others within `LEASE`
  seconds, from the oldest one on; at once by one that starts with the same data directory, where `storage.embedded.directory` shows
  that it has ended. So an entry may be read twice, never not at all.
* `read` must be called at least every second or two, even while there is nothing to do (with `limit` 0 it only renews
  the lease): a process that does not for `LEASE` seconds loses its streams.
* `read` returns each entry once to one process. The process keeps what it could not finish yet, and tries again.
* An entry that cannot be handled is set aside after `TRIES`, so that the next ones go on; so are timers and jobs. `klop doctor`
  shows what is set aside, until an operator puts it back or drops it. A store or a platform that does not answer is no failure of
  an entry.
* Each stream is one process's at a time, also while processes come and go. So all entries of one match, or of one chat,
  come through one process, in their order.

The inbox: updates of a platform that are to be handled, each once.

A platform that delivers an update until it is confirmed confirms it as soon as it is in the inbox:

    await inbox.accept(updates)                  # one round trip; one that came before is not stored again
    ...
    for received in await inbox.read(50):        # those of one chat in their order
        ...
        await inbox.done([received])             # once it was handled and answered

Updates that a process had read when it ended are read by another (`storage.streams`); so an update may be handled twice,
never not at all.

The outbox: facts that are to be sent, and what senders must remember. Also the rate limits that senders share.

A sender is one process (or one task) with an `Outgoing`:

    outgoing = store.outgoing()
    while running:
        for sent in await outgoing.read(50):     # facts, those of one match in their order
            ...                                  # send it to every address of sent.subject
            await outgoing.done([sent])          # only once it was delivered, or cannot be
        await outgoing.wait(0.2)
    await outgoing.close()

Facts that a sender had read when it ended are read by another (`storage.streams`); so a fact may be sent twice, never not at
all. All facts of one match come through one sender, in the order of their commits.

The match of a fact is as it was right after it. A board that a later one replaces need not be drawn: compare revisions
with those read after it, and with `shown`.

Wake the tasks of this process that wait for a commit; commits of other processes are seen at the next poll.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol, TypeVar
from weakref import WeakSet

from play.errors import Unavailable
from play.events.event import AnyFact, Event, subject_of
from play.match import Match
from play.people import Account, Address
from play.settings import Settings
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


IDS_KEPT: Final = 2000
"""Ids kept of each of 64 streams. A platform delivers anew only what it saw no confirmation of: the last hundred or two."""


@dataclass(frozen=True, slots=True)
class Update:
    """Something that happened on a platform.

    Attributes:
        id: The platform's, at most 100 characters.
        chat: What updates are ordered by: a chat, or the message or person that stands for one.
        person: Who caused it, empty if that is unknown.
        body: What the platform's adapter makes of it.
    """

    id: str
    chat: str
    person: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """An update in the inbox, by its opaque entry."""

    entry: str
    update: Update


class Inbox(Stream[Received], Protocol):
    """One process's view of a platform's inbox. Every method may raise `Unavailable`."""

    async def accept(self, updates: Sequence[Update]) -> None:
        """Store updates, except those that have come before."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A fact to be sent, by its opaque id in the stream."""

    entry: str
    fact: AnyFact

    @property
    def subject(self) -> Match | Event:
        """The match or event as it was right after the fact."""
        return subject_of(self.fact)


@dataclass(frozen=True, slots=True)
class BoardMessage:
    """The message that shows a match at an address, by the platform's opaque reference, and the revision that it shows."""

    message: str
    revision: int


@dataclass(frozen=True, slots=True)
class Known:
    """What has to be known before something is written to an address, from one round trip.

    Attributes:
        dead: See `Outgoing.dead`.
        shown: See `Outgoing.shown`; None where no match was named.
        chosen: What people and places have chosen, of those that were asked for.
    """

    dead: datetime | None
    shown: BoardMessage | None
    chosen: Mapping[Account | Address, Settings]


class Outgoing(Stream[Sent], Protocol):
    """One sender's view of the outbox. Every method may raise `Unavailable`."""

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        """Return the message that shows a match at an address; None if none does."""

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        """Set the message that shows a match at an address; with None, delete it."""

    def set_shown_later(self, match_id: str, address: Address, shown: BoardMessage) -> None:
        """Set it with the next `read` or `done`, which costs no trip of its own. Until then only this view knows of it."""

    async def known(self, address: Address, *whose: Account | Address, match_id: str | None = None) -> Known:
        """Return what is known of an address, and of a match there, and what some have chosen, in one round trip."""

    async def dead(self, address: Address) -> datetime | None:
        """Return since when nothing can be sent there (the bot was removed, the chat is gone); None if it can."""

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        """Mark an address as dead since a time; with None, as alive."""


class Limit(NamedTuple):
    """A token bucket: it holds `burst` tokens, and gets `rate` new ones a second."""

    key: str
    rate: float
    burst: int


class Bucket(Protocol):
    """Token buckets, shared by all processes: rate limits. Every method may raise `Unavailable`.

    Times are the caller's, or where that gives none, the store's.
    """

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        """Take a token; return 0.0, or the seconds to wait before the next try. Nothing is reserved."""

    async def take_all(self, limits: Sequence[Limit], at: datetime | None = None) -> bool:
        """Take a token of each bucket in one round trip, or none; False where one has none, or on a cluster, where that cannot be."""

    async def hold(self, limit: Limit, seconds: float, at: datetime | None = None) -> None:
        """Allow no tokens for so many seconds, as a platform's `retry_after` asks."""


class Waiter(asyncio.Event):
    """One task's view of the wakeups; one that came since `clear` counts."""

    async def wait_for(self, seconds: float) -> None:
        """Return at a wakeup, or after so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait()


class Wakeup:
    """Wakes all waiters at each commit."""

    def __init__(self) -> None:
        self._waiters: WeakSet[Waiter] = WeakSet()

    def waiter(self) -> Waiter:
        """Return a new waiter."""
        waiter = Waiter()
        self._waiters.add(waiter)
        return waiter

    def wake(self) -> None:
        """Wake all waiters."""
        for waiter in tuple(self._waiters):
            waiter.set()
