"""The bot's services wired as `bot.app.roles` wires them, with a test's own store, time and pictures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from bot.app.settings import Settings
from bot.chat.pictures import Pictures
from bot.chat.sending.composer import Chosen, Composer
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier, Recipient
from bot.chat.sending.routing import Announcement
from bot.chat.thinking import Thinker
from bot.chat.view import View
from bot.features.events.announcing import EventComposer
from bot.features.puzzles.daily import DailyPoster
from bot.platforms.platform import PlatformServices
from play.events.event import AnyFact
from play.ports import Store
from play.table import Table
from storage.ports import FullStore


def services(
    table: Table,
    store: FullStore,
    clock: Callable[[], datetime],
    *,
    pictures: Pictures | None = None,
    thinker: Thinker | None = None,
    **settings: Any,
) -> PlatformServices:
    """Return services configured by these settings alone, by field or by the name in the environment."""
    config = Settings(**{"_env_file": None, **settings})
    return PlatformServices(config, table, store, clock, pictures or Pictures(), thinker)


# A composer that is told what people and places have chosen, as the sender tells it.


class Composing:
    """The methods of a `Composer` without their settings."""

    def __init__(self, table: Table, store: Store, *now: Callable[[], datetime]) -> None:
        self._composer = Composer(table, "en", *now, events=EventComposer(table, "en", *now))
        self._store = store

    async def wants(self, told: Sequence[AnyFact], to: Recipient) -> bool:
        return self._composer.wants(told, to, await self._chosen(told, to))

    async def compose(self, told: Sequence[AnyFact], to: Recipient) -> Announcement:
        return await self._composer.compose(told, to, await self._chosen(told, to))

    async def closed(self, told: Sequence[AnyFact], to: Recipient, shows: int) -> View | None:
        return self._composer.closed(told, to, await self._chosen(told, to), shows)

    async def _chosen(self, told: Sequence[AnyFact], to: Recipient) -> Chosen:
        whose = self._composer.concerns(told, to)
        return dict(zip(whose, await self._store.settings.get_many(*whose), strict=True))


# The poster of the puzzle of the day, beside a bot under test.


async def edited(services: PlatformServices, courier: Courier) -> None:
    """Post the puzzles that are due, and edit the cards whose puzzle a person has finished."""
    store = services.store
    delivery = Delivery(
        store.outgoing(), store.bucket(), services.composer, now=store.now, sleep=asyncio.sleep
    )
    await DailyPoster(
        store, services.table.games, delivery, {courier.platform: courier}, services.language
    ).tick()
