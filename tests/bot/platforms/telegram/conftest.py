from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.platforms.telegram.harness import TelegramHarness, telegram_bot


@pytest_asyncio.fixture
async def f() -> AsyncIterator[TelegramHarness]:
    async with telegram_bot() as f:
        yield f
