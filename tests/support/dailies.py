"""The poster of the puzzle of the day, beside a bot under test."""

from __future__ import annotations

import asyncio

from bot.platform import Services
from bot.puzzles.daily import DailyPoster
from bot.sender.delivery import Delivery
from bot.sender.ports import Courier


async def edited(services: Services, courier: Courier) -> None:
    """Post the puzzles that are due, and edit the cards whose puzzle a person has finished."""
    store = services.store
    delivery = Delivery(
        store.outgoing(), store.bucket(), services.composer, now=store.now, sleep=asyncio.sleep
    )
    await DailyPoster(store, services.table.games, delivery, [courier], services.language).tick()
