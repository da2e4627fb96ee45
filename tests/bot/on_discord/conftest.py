"""The bot at home in a server of our own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.platforms.discord.indoors import Indoors


@pytest_asyncio.fixture
async def home() -> AsyncIterator[Indoors]:
    async with Indoors() as home:
        yield home
