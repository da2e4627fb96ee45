"""A bot that lends jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.thinking import job_server, remote
from storage import RedisStore
from storage.redis import jobs as redis_jobs
from tests.bot.thinking.job_server_bot import Bot, serving
from tests.support.waiting import LIMIT


@pytest.fixture
async def bot(redis_client: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bot]:
    monkeypatch.setattr(job_server, "WAIT", 0.0)
    monkeypatch.setattr(job_server, "LOOK", 0.01)
    monkeypatch.setattr(remote, "ALIVE", timedelta(hours=1))  # nor does a loaded machine end it
    monkeypatch.setattr(redis_jobs, "LEASE", 3600.0)  # it ends where a test says so
    bot = Bot(RedisStore(redis_client, patience=LIMIT), tmp_path / "lenders")
    bot.lend("ann")
    bot.lend("bob")
    async with serving(bot):
        yield bot
