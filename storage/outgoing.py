"""The way out: facts that wait to be told, and what senders must remember.

`storage.redis.outgoing` has it on Redis, `storage.memory.outgoing` in memory.

A sender is one process (or one task) with an `Outgoing` of its own:

    outgoing = store.outgoing()
    while running:
        for sent in await outgoing.read(50):     # facts, those of one match in their order
            ...                                  # tell it at every address of sent.match
            await outgoing.done([sent])          # only once it was delivered, or cannot be
        await outgoing.wait(0.2)
    await outgoing.close()

* A fact stays in the stream until it is `done`. A sender that dies leaves its facts to the others: within `LEASE`
  seconds they read them, from the oldest one on. So a fact may be told twice, never not at all.
* `read` must be called at least every second or two, even while there is nothing to send (with `limit` 0 it only says
  that the sender is there): one that is silent for `LEASE` seconds is taken for dead.
* `read` returns each fact once to one sender. What could not be told yet is the sender's to keep and try again.
* The streams are shared out among the senders that are there, each stream one sender's at a time. So all facts of one
  match come through one sender, in the order of their commits, also while senders come and go.
* The match of a fact is as it was right after it, whatever has happened since: words speak of that moment. A board that
  a later one replaces need not be drawn: compare revisions with those read after it, and with `shown`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from play.facts import Fact
    from play.match import Match
    from play.people import Address

LEASE: Final = 5.0
"""Seconds after which a sender that says nothing is taken for dead."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A fact on its way out.

    Attributes:
        entry: Its name in the stream; opaque.
        fact: What happened, with the match as it was then.
    """

    entry: str
    fact: Fact

    @property
    def match(self) -> Match:
        """The match as it was right after the fact."""
        return self.fact.match


@dataclass(frozen=True, slots=True)
class Shown:
    """The message that shows a match at an address.

    Attributes:
        message: What the platform calls it; opaque.
        revision: The match's, as it is shown there.
    """

    message: str
    revision: int


class Outgoing(Protocol):
    """One sender's view of what is to be told. Every method may raise `Unavailable`."""

    async def read(self, limit: int) -> Sequence[Sent]:
        """Up to so many facts that nobody has read, or that somebody read who is gone."""
        ...

    async def done(self, entries: Sequence[Sent]) -> None:
        """They were told, or cannot be: they leave the stream."""
        ...

    async def wait(self, seconds: float) -> None:
        """Return when something was committed in this process, or else after so many seconds."""
        ...

    async def close(self) -> None:
        """Leave everything that is not done to the other senders, now."""
        ...

    async def backlog(self) -> int:
        """How many facts are not done, whoever has them."""
        ...

    async def shown(self, match_id: str, address: Address) -> Shown | None:
        """The message that shows a match at an address, so that it can be folded; None if none does."""
        ...

    async def set_shown(self, match_id: str, address: Address, shown: Shown | None) -> None:
        """Remember it; or, with None, forget it."""
        ...

    async def known(self, match_id: str, address: Address) -> tuple[datetime | None, Shown | None]:
        """`dead` and `shown` of an address, asked together."""
        ...

    async def dead(self, address: Address) -> datetime | None:
        """Since when nothing can be sent there (the bot was thrown out, the chat is gone); None if it can."""
        ...

    async def set_dead(self, address: Address, at: datetime | None) -> None:
        """Give an address up, as of a moment; or, with None, take it up again."""
        ...


class Bucket(Protocol):
    """Buckets of tokens, shared by all processes: how fast something may be done."""

    async def take(self, key: str, rate: float, burst: int, at: datetime) -> float:
        """Take a token.

        Args:
            key: Whose bucket: a platform, a chat.
            rate: New tokens a second.
            burst: How many it holds.
            at: Now.

        Returns:
            0.0 if it was taken; else how many seconds to wait before asking again. Nothing is reserved.
        """
        ...

    async def hold(self, key: str, rate: float, burst: int, at: datetime, until: datetime) -> None:
        """No tokens before `until`: what a platform's `retry_after` asks for."""
        ...
