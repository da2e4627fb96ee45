"""Services passed to each platform adapter, and the protocol of an adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.chat.context import settings_of
from bot.chat.desk import Desk
from bot.chat.i18n import Words, pick
from bot.chat.i18n import words as words_for
from bot.chat.pictures import Pictures
from bot.chat.presenting.naming import Presentation
from bot.chat.sending.composer import Composer
from bot.chat.sending.ports import Courier
from bot.chat.sending.unreached import reopen
from bot.chat.thinking import Thinker
from bot.chat.thinking.seats import Seats
from bot.config import CannotRun, Config
from play.errors import PlayError
from play.match import Match
from play.people import Account, Address
from play.table import Table
from rules.core import Reason
from storage.ports import FullStore


@dataclass(frozen=True, slots=True)
class Services:
    """Services that a platform adapter may use; `now` is the time that deadlines are measured by."""

    config: Config
    table: Table
    store: FullStore
    desk: Desk
    composer: Composer
    now: Callable[[], datetime]
    language: str
    pictures: Pictures
    seats: Seats | None = None
    thinker: Thinker | None = None

    async def words(
        self,
        whose: Account,
        locale: str | None,
        place: Address | None = None,
        *,
        within: float | None = None,
    ) -> Words:
        """Return the words for a person: in the language they chose, else their client's, else the place's.

        What they chose counts as nothing if it is not known `within` so many seconds.
        """
        mine = there = None
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                mine, there = await settings_of(self.store, whose, place or whose)
                if mine and mine.person:
                    (mine,) = await settings_of(self.store, mine.person)
        chosen = there.language if there and place else None
        return words_for(pick(mine.language if mine else None, locale, chosen, self.language))

    async def words_at(self, place: Address) -> Words:
        """Return the words in the language of a place."""
        (there,) = await settings_of(self.store, place)
        return words_for(pick(there.language if there else None, self.language))

    def present(self, match: Match, words: Words) -> Presentation:
        """Return a match as it is, in some words; raises `PlayError`."""
        table = self.table
        return Presentation(table.games[match.game], match, table.course(match), words, table.as_of(match))

    async def reopen(self, whose: Account) -> None:
        """Let the sender write to a person again who had become unreachable; the desk does the same for places."""
        with suppress(PlayError):
            await reopen(self.store.matches, self.store.outgoing(), whose)


class Platform(Protocol):
    """A platform adapter."""

    @property
    def name(self) -> str:
        """`platform` of its addresses and accounts."""

    @property
    def courier(self) -> Courier:
        """Delivers the sender's messages."""

    def silence(self) -> Mapping[str, float]:
        """Return by connection the seconds since the platform was last heard; infinite before.

        Where the platform calls the bot, or nothing is taken from it, 0 once it can call, or once the bot is logged in.
        """

    async def run(self) -> None:
        """Connect, serve, and close when cancelled.

        Raises:
            CannotRun: the platform rejects the token, or where it is to call the bot cannot be listened on; perhaps in a group.
        """

    async def finish(self) -> None:
        """Take nothing more, and return once what was taken is handled and answered; the courier still delivers."""


class WebServer(Protocol):
    """Serves browsers; `listening` is set once it can be opened."""

    listening: asyncio.Event

    async def run(self) -> None:
        """Serve until cancelled; raises `CannotListen`."""


class ConnectFailure(Reason):
    """Why a platform cannot be served."""

    REFUSED = "bot.platform.refused"  # name, setting
    NOT_PUBLISHED = "bot.publish.refused"  # name, text


class CannotConnect(CannotRun):
    """A platform that rejects its token."""

    reason: Reason = ConnectFailure.REFUSED

    def __init__(self, name: str, setting: str) -> None:
        super().__init__(name=name, setting=setting)


class CannotPublish(Exception):
    """A platform that does not take what it is to show of the bot."""

    reason = ConnectFailure.NOT_PUBLISHED

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, text)
        self.fields = {"name": name, "text": text}
