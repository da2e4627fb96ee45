"""What the parts of a process share, and the words for a reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from bot.chat.i18n import Words, words_of
from bot.chat.pictures import Pictures
from bot.chat.presenting.naming import Presentation
from bot.chat.seen import Seen
from bot.chat.sending.attention import Attention
from bot.chat.sending.unreached import reopen
from bot.chat.thinking import Thinker
from bot.chat.thinking.seats import Seats
from bot.config import Config
from play.errors import PlayError, Unavailable
from play.match import Match, Phase
from play.people import Account, Address
from play.ports import Store
from play.settings import Settings
from play.table import Table
from play.time.calendar import seat_weeks
from play.time.week import Week
from storage.ports import FullStore


@dataclass(frozen=True)
class Services:
    """What all requests and messages of a process share.

    Attributes:
        thinker: Gives hints and analyses; None where there are no engines.
        seats: Plays for the engines at the table, where this process does.
    """

    config: Config
    table: Table
    store: FullStore
    now: Callable[[], datetime]
    pictures: Pictures
    thinker: Thinker | None = None
    seats: Seats | None = None

    @cached_property
    def attention(self) -> Attention:
        """Who looks at a place, for the desk and the sender of this process."""
        return Attention(self.table, self.store, self.now)

    @cached_property
    def seen(self) -> Seen:
        """The people whom this process has noted as seen in their chats."""
        return Seen(self.store)

    @property
    def language(self) -> str:
        """The bot's, where neither a person nor a place has chosen one."""
        return self.config.language

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
        return words_of(mine, locale, there if place else None, self.language)

    async def words_at(self, place: Address) -> Words:
        """Return the words in the language of a place."""
        return words_of(*await settings_of(self.store, place), self.language)

    async def first_met(self, who: Account) -> bool:
        """Whether a person is greeted in private for the first time."""
        with suppress(Unavailable):
            return await self.store.notes.write_once(f"greeted:{who}", "")
        return False

    def present(self, match: Match, words: Words) -> Presentation:
        """Return a match as it is, in some words; raises `PlayError`."""
        table = self.table
        return Presentation(table.games[match.game], match, table.course(match), words, table.as_of(match))

    async def reopen(self, whose: Account | Address) -> None:
        """Let the sender write to a person or a place again that had become unreachable."""
        with suppress(PlayError):
            await reopen(self.store.matches, self.store.outgoing(), whose)


async def settings_of(store: Store, *whose: Account | Address) -> Sequence[Settings | None]:
    """Return what each has chosen; None for each while the store is out of reach, so that this can be reported."""
    try:
        return await store.settings.get_many(*whose)
    except Unavailable:
        return [None] * len(whose)


async def weeks_of(store: Store, match: Match) -> Sequence[Week | None]:
    """Return the week of each chair's clock in an invitation, which tells what it means; none of another match."""
    if match.phase is not Phase.OPEN or match.clock is None:
        return ()
    who = tuple(match.people())
    chosen = await settings_of(store, *who)
    return seat_weeks(match, {each: own for each, own in zip(who, chosen, strict=True) if own})
