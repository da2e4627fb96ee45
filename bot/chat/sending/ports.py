"""What the sender needs of a platform: a courier. The stream of what happened is `storage.ports`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bot.chat.view import View
from play.people import Account, Address

Recipient: TypeAlias = Address | Account
"""Who receives a message: everybody at a place, or one person privately."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most so many messages a second, after a rest `burst` at once."""

    each_second: float
    burst: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a platform accepts messages: in all, and in each chat."""

    overall: Rate | None = None
    chat: Rate | None = None


class Courier(Protocol):
    """Carries views to one platform. Every method may raise a `CourierError`."""

    @property
    def platform(self) -> str:
        """The `platform` of the addresses and accounts that it serves."""

    @property
    def pace(self) -> Pace:
        """How fast it may be called."""

    @property
    def closes(self) -> bool:
        """Whether a message that a newer one replaces is closed; else messages stay as they were posted, as printed lines do."""

    async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
        """Show a new message, to a person privately; return its name, for `edit` and `close`: at most 200 characters.

        Args:
            to: Where.
            view: The message.
            ping: Whom it calls; no other, even if the words name them.
            nonce: At most 25 characters. The same one within minutes is the same message: it is not shown twice where
                the platform can tell.
        """

    async def edit(self, ref: str, view: View) -> None:
        """Change a message in place; it calls no one."""

    def buried(self, to: Recipient, ref: str) -> bool:
        """Whether an edit of a message might be overlooked.

        That is so if a message came below it since it was sent or pressed, or if this process does not know.
        """

    async def reads(self, where: Address, who: Account) -> bool:
        """Whether a person reads a place, as far as the platform says; True where it does not."""

    async def close(self, ref: str, view: View | None) -> None:
        """Take a message's controls away.

        The view is what it is to say from now on, where that is not what it said when it was posted or edited last, or where
        people may have changed it since. It offers nothing. None: the rest is left as it is.
        """


class CourierError(Exception):
    """A message did not get through."""


class RetryAfter(CourierError):
    """Too fast: the platform asks for some seconds of silence, everywhere or in that chat alone."""

    def __init__(self, seconds: float, *, everywhere: bool = False) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.everywhere = everywhere


class Transient(CourierError):
    """No answer, or one that promises better luck later. The message may have got through all the same."""


class Gone(CourierError):
    """The chat is no longer there, or not for us (403, 404)."""

    known = False  # whether that was known before, so that nothing was sent


class StillGone(Gone):
    """Nothing was sent, since the chat is known to be gone."""

    known = True


class Blocked(Gone):
    """The conversation with a person, if known, who does not want to be written to, or has to write first."""

    def __init__(self, uid: str | None = None) -> None:
        super().__init__(uid)
        self.uid = uid


class NoMessage(CourierError):
    """The chat is there, but not the message that was to be changed."""
