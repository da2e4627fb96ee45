from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from storage.trips import Line


async def test_a_cancellation_that_the_client_loses_still_ends_the_task() -> None:
    asked = asyncio.Event()

    async def loses_it() -> int:
        asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return 1
        return 0

    async with Redis() as client:
        task = asyncio.create_task(Line(client).ask(loses_it))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
