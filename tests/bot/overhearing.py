"""A desk that also answers with what everybody is told because of a request, as the sender tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.callback_data import CallbackData
from bot.commands import REGISTRY
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.desk.visitor import Visitor
from bot.events.adjudication import Adjudicator
from bot.events.following import EventMatches
from bot.on_console.courier import RoomCourier
from bot.ratings.counting import Counts
from bot.seeking.pairing import Pairing
from bot.seeking.seeks import Seeks
from bot.sender import Sender
from bot.sender.composer import Composer
from bot.thinking import Thinker
from bot.view import Message
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
        composer = Composer(table, language, now, beside=Seeks(store).beside)
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

    async def hear(self, visitor: Visitor, line: str) -> Sequence[Message]:
        await self.drained()
        return [*await super().hear(visitor, line), *await self.drained()]

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
