"""The poster of the puzzle of the day, beside a bot under test."""

from __future__ import annotations

import asyncio

from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Courier
from bot.features.puzzles.daily import DailyPoster
from bot.platforms.platform import Services


async def edited(services: Services, courier: Courier) -> None:
    """Post the puzzles that are due, and edit the cards whose puzzle a person has finished."""
    store = services.store
    delivery = Delivery(
        store.outgoing(), store.bucket(), services.composer, now=store.now, sleep=asyncio.sleep
    )
    await DailyPoster(store, services.table.games, delivery, [courier], services.language).tick()
