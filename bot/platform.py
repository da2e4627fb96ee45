"""Services passed to each platform adapter, and the protocol of an adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.config import Config
from bot.desk import Desk
from bot.desk.context import settings_of
from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.pictures import Pictures
from bot.sender.composer import Composer
from bot.sender.ports import Courier
from bot.thinking import Thinker
from bot.thinking.seats import Seats
from play.people import Account, Address
from play.table import Table
from rules.core import Reason
from storage.upkeep import FullStore


@dataclass(frozen=True, slots=True)
class Services:
    """Services that a platform adapter may use.

    Attributes:
        settings: What the operator set.
        table: Where everything is decided.
        store: Where matches sleep.
        desk: Answers what people say and press.
        voice: Words for whoever is told.
        now: The time that deadlines are measured by.
        language: Spoken where nobody has chosen one.
        pictures: Paints boards and matches.
        seats: Plays for the engines at the table, where there are any.
        thinker: What the engines think with, where there are any.
    """

    settings: Config
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
        """The language that somebody is spoken to in: the one they chose, else their client's, else that of the place.

        Args:
            whose: They, by any of their accounts.
            locale: The language of their client, as the platform spells it.
            place: Where they are.
            within: Seconds that what was chosen is waited for; while it is not known, their client's language does.
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
        """The language that is spoken at a place."""
        (there,) = await settings_of(self.store, place)
        return words_for(pick(there.language if there else None, self.language))


class Platform(Protocol):
    """One way of asking and of showing."""

    @property
    def name(self) -> str:
        """`platform` of its addresses and accounts."""
        ...

    @property
    def courier(self) -> Courier:
        """Carries views to it."""
        ...

    async def run(self) -> None:
        """Connect, serve, and close when cancelled.

        Raises:
            CannotConnect: it will not have us, and trying again would not help.
        """
        ...


class Connect(Protocol):
    """Makes a platform; connects to nothing yet."""

    def __call__(self, services: Services, /) -> Platform:
        """Make a platform with these services."""
        ...


class ConnectFailure(Reason):
    """Why a platform cannot be served."""

    REFUSED = "bot.platform.refused"  # name, setting


class CannotConnect(Exception):
    """A platform that will not have us."""

    def __init__(self, reason: ConnectFailure, /, **fields: str) -> None:
        super().__init__(reason, fields)
        self.reason = reason
        self.fields = fields
