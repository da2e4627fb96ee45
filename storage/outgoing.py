"""The outbox: facts that are to be sent, and what senders must remember. Also the rate limits that senders share.

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
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from play.events.event import Event
from play.events.facts import AnyFact, subject_of
from play.match import Match
from play.people import Account, Address
from play.settings import Settings
from storage.streams import Stream


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
