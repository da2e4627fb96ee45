"""Protocols of a bot's store beyond those of `play.ports`.

The journal: the server's append-only file, which holds deleted data until it is rewritten.

Traces of a person: what names their account in the store beside matches, settings and ratings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

import msgspec

from play.events.events import EventStore
from play.match import Match
from play.people import Account, Address
from play.ports import Store, Timer
from play.time.clock import Outage
from storage.streams import Aside, Bucket, Inbox, Known, Outgoing, Waiter


@dataclass(frozen=True, slots=True)
class JournalState:
    """The state of the journal.

    Attributes:
        run: Which run of the server it is; a rewrite does not survive it.
        rewriting: Whether it is being rewritten.
        failed: Whether the last rewrite of this run failed.
    """

    run: str = ""
    rewriting: bool = False
    failed: bool = False


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

    async def settle(self, due: DueTimer) -> None:
        """Delete a timer that was fired, unless it has been set anew meanwhile."""

    async def hasten(self, name: str, at: datetime, every: timedelta) -> None:
        """Make all timers of a name due from `at` on, the earliest first and so much apart; none gets later than it was."""

    async def set_aside(self, due: DueTimer, reason: str) -> None:
        """Settle a timer that cannot be fired, and keep it aside; see `storage.streams`."""

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
        """Return a new sender's view of the facts to be told."""

    def inbox(self, platform: str) -> Inbox:
        """Return a process's view of the updates of a platform."""

    async def visited(
        self, place: Address, *whose: Account | Address, most: int
    ) -> tuple[Known, Sequence[Match] | None]:
        """Return together what a request at a place needs first: `Outgoing.known`, and the last live matches there.

        None for those that could not be loaded.

        Raises:
            Unavailable: the store does not answer.
        """

    def commits(self) -> Waiter:
        """Return a waiter that each commit of this process wakes; those of other processes do not."""

    def bucket(self) -> Bucket:
        """Return the rate limits that all processes share."""

    async def now(self) -> datetime:
        """Return the time that deadlines are measured by: the server's, in UTC."""

    async def traces(self, account: Account) -> Sequence[Trace]:
        """Return what names an account beside matches and ratings: settings, notes, lists, results of operations."""

    async def forget(self, account: Account) -> None:
        """Delete an account's ratings and traces. Facts and updates that are not done yet stay until they are."""
