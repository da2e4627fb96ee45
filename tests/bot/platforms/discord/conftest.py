"""The bot at home in a server of our own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.platforms.discord.harness import DiscordHarness


@pytest_asyncio.fixture
async def home() -> AsyncIterator[DiscordHarness]:
    async with DiscordHarness() as home:
        yield home
