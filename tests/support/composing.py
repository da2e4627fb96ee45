"""A composer that is told what people and places have chosen, as the sender tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.chat.sending.composer import Chosen, Composer
from bot.chat.sending.ports import Recipient
from bot.chat.sending.routing import Announcement
from bot.chat.view import View
from bot.features.events.announcing import EventComposer
from play.events.event import AnyFact
from play.ports import Store
from play.table import Table


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
