"""Protocols of a bot's store beyond those of `play.ports`.

Streams of entries, which processes share: the inbox, of updates, and the outbox, of facts.

* An entry stays in its stream until it is `done`. Those of a process that ended are read by the others within `LEASE`
  seconds and a pause between reads, from the oldest one on; at once by one that starts with the same data directory, where `storage.embedded.directory` shows
  that it has ended. So an entry may be read twice, never not at all.
* `read` must be called at least every second or two, even while there is nothing to do (with `limit` 0 it only renews
  the lease): a process that does not for `LEASE` seconds loses its streams to the next one that reads.
* `read` returns each entry once to one process. The process keeps what it could not finish yet, and tries again.
* An entry that cannot be handled is set aside after `TRIES`, so that the next ones go on; so are timers and jobs. `klop doctor`
  shows what is set aside, until an operator puts it back or drops it. A store or a platform that does not answer is no failure of
  an entry.
* Each stream is one process's at a time, also while processes come and go. So all entries of one match, or of one chat,
  come through one process, in their order.

A platform that delivers an update until it is confirmed confirms it as soon as it is in the inbox. The match of a fact is as it
was right after it. A board that a later one replaces need not be drawn: compare revisions with those read after it, and with
`shown`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol, TypeVar

import msgspec

from play.errors import Unavailable
from play.events.event import AnyFact, Event, subject_of
from play.events.events import EventStore
from play.match import Match
from play.people import Account, Address
from play.ports import Store, Timer
from play.settings import Settings
from play.time.clock import Outage
from storage.client.wakeups import Waiter
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
    """An entry that could not be handled."""

    id: str  # names it for an operator
    stream: str  # `out`, `in:telegram`, `timers`, `jobs`
    about: str  # a match, an event or a chat
    reason: str  # see `reason_of`
    at: datetime  # when it was set aside


class Aside(Protocol):
    """What is set aside, of all streams and of the timers. Every method may raise `Unavailable`."""

    async def all(self) -> Sequence[SetAside]:
        """Return what is set aside, the oldest first."""

    async def replay(self, aside_id: str) -> bool:
        """Put an entry back, to be handled again; return whether it was there."""

    async def drop(self, aside_id: str) -> bool:
        """Delete an entry; return whether it was there."""


E = TypeVar("E", bound="Received | Sent")


class Stream(Protocol[E]):
    """One process's view of the streams of one direction. Every method may raise `Unavailable`."""

    async def read(self, limit: int, done: Sequence[E] = ()) -> Sequence[E]:
        """Return up to `limit` entries that no process has read, or only one that is gone; `done` ones are deleted on the way."""

    async def done(self, entries: Sequence[E]) -> None:
        """Delete entries that need nothing more."""

    async def set_aside(self, entry: E, reason: str) -> None:
        """Delete an entry that cannot be handled, and keep it aside."""

    async def wait(self, seconds: float) -> None:
        """Return when an entry was added since `read` began, at `wake`, after so many seconds, or sooner where that is not known."""

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
    """Something that happened on a platform."""

    id: str  # the platform's, at most 100 characters
    chat: str  # what updates are ordered by: a chat, or the message or person that stands for one
    person: str  # who caused it, empty if that is unknown
    body: bytes  # what the platform's adapter makes of it


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
class AddressState:
    """What has to be known before something is written to an address, from one round trip."""

    dead: datetime | None  # see `Outgoing.dead`
    shown: BoardMessage | None  # see `Outgoing.shown`; None where no match was named
    chosen: Mapping[Account | Address, Settings]  # what those have chosen that were asked for


class Outgoing(Stream[Sent], Protocol):
    """One sender's view of the outbox. Every method may raise `Unavailable`."""

    async def shown(self, match_id: str, address: Address) -> BoardMessage | None:
        """Return the message that shows a match at an address; None if none does."""

    async def set_shown(self, match_id: str, address: Address, shown: BoardMessage | None) -> None:
        """Set the message that shows a match at an address; with None, delete it."""

    def set_shown_later(self, match_id: str, address: Address, shown: BoardMessage) -> None:
        """Set it with the next `read` or `done`, which costs no trip of its own. Until then only this view knows of it."""

    async def known(
        self, address: Address, *whose: Account | Address, match_id: str | None = None
    ) -> AddressState:
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


@dataclass(frozen=True, slots=True)
class JournalState:
    """The state of the journal."""

    run: str = ""  # of the server; a rewrite does not survive it
    rewriting: bool = False
    failed: bool = False  # the last rewrite of this run


class Journal(Protocol):
    """The journal. Every method may raise `Unavailable`."""

    async def rewrite(self) -> bool:
        """Begin to rewrite it; return whether the server lets the bot do that."""

    async def state(self) -> JournalState:
        """Return its state."""

    async def oldest_entry(self) -> datetime | None:
        """Return when the oldest fact or update came that is not done yet; None if there is none."""

    async def fsync(self) -> str | None:
        """Return when the server writes it to the disk: `always`, `everysec` or `no`; None if it does not say."""


_TELLING: Final = 5  # digits from which on a number alone tells an account
_encode: Final = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Trace:
    """A stored text that names a person, by the name it is stored under; empty where only that name does."""

    name: str
    text: str = ""


def names_in_text(account: Account) -> Callable[[str], bool]:
    """Return a test whether a text names an account: by a long number alone, else by the platform and the id after it."""
    forms = "|".join(re.escape(form) for form in {account.uid, json.dumps(account.uid)[1:-1]})
    if account.uid.isdigit() and len(account.uid) >= _TELLING:
        pattern = re.compile(rf"(?<!\w)(?:{forms})(?!\w)")
    else:
        pattern = re.compile(rf"(?<!\w){re.escape(account.platform)}\W{{1,6}}(?:account/)?(?:{forms})(?!\w)")
    return lambda text: pattern.search(text) is not None


def names_in_fact(account: Account) -> Callable[[bytes], bool]:
    """Return a test whether a packed fact names an account."""
    parts = (_encode(account.platform), _encode(account.uid))
    return lambda packed: all(part in packed for part in parts)


@dataclass(frozen=True, slots=True)
class DueTimer:
    """A timer that is due, leased to one worker until `lease` ends; it is due again then, unless it is settled."""

    match_id: str
    timer: Timer
    lease: datetime


class TimerStore(Protocol):
    """The timers of all matches, which `MatchStore.commit` sets. Every method may raise `Unavailable`."""

    async def due(self, at: datetime, lease: datetime, limit: int) -> Sequence[DueTimer]:
        """Return timers that are due, earliest first, each leased to the caller alone until `lease`."""

    async def until_due(self, at: datetime, seconds: float) -> None:
        """Return when a timer may be due, now being `at`; after so many seconds at the latest, at once where that is not known."""

    async def settle(self, due: DueTimer) -> None:
        """Delete a timer that was fired, unless it has been set anew meanwhile."""

    async def hasten(self, name: str, at: datetime, every: timedelta) -> None:
        """Make all timers of a name due from `at` on, the earliest first and so much apart; none gets later than it was."""

    async def set_aside(self, due: DueTimer, reason: str) -> None:
        """Settle a timer that cannot be fired, and keep it aside; see `storage.ports`."""

    async def bound(self, lease: datetime) -> None:
        """Have all leases end by a time, as the clock was set back: later ones would outlast their processes."""


class TimelineStore(Protocol):
    """Timelines: small texts under a name, ordered by times. Every method may raise `Unavailable`."""

    async def add(self, name: str, text: str, at: datetime, *, most: int | None = None) -> None:
        """Add a text to a timeline, once; one that is there is moved to that time. Of more than `most` the earliest are deleted."""

    async def read(
        self, name: str, *, until: datetime | None = None, since: datetime | None = None
    ) -> Sequence[str]:
        """Return the texts of a timeline, earliest first; with `until`, those of later times left out, with `since` those of earlier ones."""

    async def remove(self, name: str, text: str) -> None:
        """Delete a text of a timeline, if it is there."""

    async def cut(self, name: str, *, until: datetime) -> None:
        """Delete the texts of a timeline up to a time; not those that have moved to a later one since they were read."""


class UptimeStore(Protocol):
    """When the bot ran. Every method may raise `Unavailable`."""

    async def beat(self, at: datetime) -> None:
        """Note that the bot runs. A time before the last one changes nothing."""

    async def last_beat(self) -> datetime | None:
        """Return when the bot last ran; None if never."""

    async def add_outage(self, outage: Outage) -> None:
        """Note that the bot was down. The same once more changes nothing."""

    async def bound(self, at: datetime) -> None:
        """Have the last heartbeat and all outages end by a time, as the clock was set back to it."""

    async def outages(self, since: datetime) -> Sequence[Outage]:
        """Return the outages that ended after `since`: in order, none touching another."""


class FullStore(Store, Protocol):
    """All parts of a bot's store."""

    @property
    def timers(self) -> TimerStore:
        """The timers of all matches."""

    @property
    def events(self) -> EventStore:
        """Cups, ladders and leagues."""

    @property
    def timelines(self) -> TimelineStore:
        """Small texts, ordered by times."""

    @property
    def uptime(self) -> UptimeStore:
        """When the bot ran."""

    @property
    def aside(self) -> Aside:
        """What could not be handled."""

    @property
    def journal(self) -> Journal:
        """The server's append-only file."""

    def outgoing(self) -> Outgoing:
        """Return a new sender's view of the facts to be announced."""

    def inbox(self, platform: str) -> Inbox:
        """Return a process's view of the updates of a platform."""

    async def visited(
        self, place: Address, *whose: Account | Address, most: int, alias: Account | None = None
    ) -> tuple[AddressState, Sequence[Match] | None, bool]:
        """Return together what a request at a place needs first: `Outgoing.known`, and the last live matches there.

        None for those that could not be loaded. Last, whether there is a live match of the visitor's `alias`.

        Raises:
            Unavailable: the store does not answer.
        """

    def commits(self) -> Waiter:
        """Return a waiter that each commit wakes."""

    def bucket(self) -> Bucket:
        """Return the rate limits that all processes share."""

    async def now(self) -> datetime:
        """Return the time that deadlines are measured by: the server's, in UTC."""

    async def traces(self, account: Account) -> Sequence[Trace]:
        """Return what names an account beside matches and ratings: settings, notes, lists, results of operations."""

    async def forget(self, account: Account) -> None:
        """Delete an account's ratings and traces. Facts and updates that are not done yet stay until they are."""
