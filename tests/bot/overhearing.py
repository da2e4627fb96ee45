"""A desk that also answers with what everybody is told because of a request, as the sender tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.chat.callback_data import CallbackData
from bot.chat.context import Resources
from bot.chat.desk import Desk
from bot.chat.sending import Sender
from bot.chat.sending.composer import Composer
from bot.chat.thinking import Thinker
from bot.chat.view import Message
from bot.chat.visitor import Visitor
from bot.features.commands import REGISTRY
from bot.features.events.announcing import EventComposer
from bot.features.events.following import Adjudicator, EventMatches
from bot.features.ratings.commands import Counts
from bot.features.seeking.pairing import Pairing, Seeks
from bot.platforms.console.rendering import RoomCourier
from play.people import Address
from play.table import Table
from tests.support.memory import MemoryStore


async def _at_once(_seconds: float) -> None:
    """Return at once: the sender waits for no engine."""


class Overhearing(Desk):
    """A desk and a sender that is done before the answer is given."""

    def __init__(
        self,
        table: Table,
        store: MemoryStore,
        now: Callable[[], datetime],
        language: str,
        room: Address,
        *,
        thinker: Thinker | None = None,
    ) -> None:
        super().__init__(REGISTRY, Resources(table, store, language, thinker=thinker), now)
        self._told: list[Message] = []
        composer = Composer(
            table, language, now, events=EventComposer(table, language, now), beside=Seeks(store).beside
        )
        courier = RoomCourier(room, self._overheard)
        self._adjudicator = Adjudicator(table, store, thinker)
        self._sender = Sender(
            store.outgoing(),
            store.bucket(),
            composer,
            [courier],
            now=store.now,
            sleep=_at_once,
            also=[
                Counts(table, store),
                EventMatches(table, store),
                self._adjudicator,
                Pairing(table, store),
            ],
        )

    async def answer(self, visitor: Visitor, line: str) -> Sequence[Message]:
        await self.drained()
        return [*await super().answer(visitor, line), *await self.drained()]

    async def press(
        self, visitor: Visitor, button: CallbackData, *, brief: bool = False
    ) -> Sequence[Message]:
        await self.drained()
        return [*await super().press(visitor, button, brief=brief), *await self.drained()]

    async def drained(self) -> Sequence[Message]:
        """What everybody has been told since this was last asked."""
        await self._sender.drain()
        await self._adjudicator.sweep()
        await self._sender.drain()
        told, self._told = self._told, []
        return told

    async def _overheard(self, messages: Sequence[Message]) -> None:
        self._told += messages
