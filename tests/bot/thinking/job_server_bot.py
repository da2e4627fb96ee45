"""A bot's server for lent computers on loopback, and what is sent to it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.config import ListenAddress
from bot.thinking.job_server import JobServer
from bot.thinking.jobs import Job, JobClass, job_for
from bot.thinking.lenders import Lenders, new_key
from rules import GAMES
from storage import RedisStore
from storage.outgoing import Bucket, Limit
from storage.redis import jobs as redis_jobs
from tests.bot.thinking.helpers import Inline
from tests.bot.world import NOON
from tests.support.servers import free_port
from tests.support.waiting import eventually

GAME = GAMES["breakthrough"]
OPTIONS = GAME.choose({"board": "5x5"})


def job(seed: int = 0, job_class: JobClass = JobClass.ANALYSIS) -> Job:
    return replace(job_for(GAME, OPTIONS, GAME.start(OPTIONS), seconds=0.02, seed=seed), job_class=job_class)


class Clocked:
    """The store's buckets on a clock that stands still until it is moved, or on the store's; or broken ones."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self.now: datetime | None = NOON
        self.raises: Exception | None = None

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        if self.raises is not None:
            raise self.raises
        return await self._bucket.take(limit, at or self.now)

    async def take_all(self, limits: Sequence[Limit], at: datetime | None = None) -> bool:
        return await self._bucket.take_all(limits, at or self.now)

    async def hold(self, limit: Limit, seconds: float, at: datetime | None = None) -> None:
        await self._bucket.hold(limit, seconds, at or self.now)


class Bot:
    """A bot's server for lent computers, on loopback."""

    def __init__(self, store: RedisStore, file: Path) -> None:
        self.store = store
        self.file = file
        self.jobs = store.jobs()
        self.bucket = Clocked(store.bucket())
        self.own = Inline()
        self.server = JobServer(store, Lenders(file), self.own, self.bucket)
        self.url = ""
        self.keys: dict[str, str] = {}
        self.session: ClientSession

    def lend(self, name: str, classes: str = "advice,analysis", at_once: int = 4) -> str:
        """Make a key with some bounds, as an operator does who edits the file."""
        key = self.keys[name] = new_key(self.file, name)
        text = self.file.read_text()
        self.file.write_text(re.sub(rf"({name} \w+) .*", rf"\1 {classes} {at_once}", text))
        return key

    async def ask(
        self, path: str, body: object = None, *, key: str | None = "ann", method: str = "POST"
    ) -> tuple[int, Any, Mapping[str, str]]:
        headers = {"Authorization": f"Bearer {self.keys.get(key, key)}"} if key else {}
        how: dict[str, Any] = (
            {"data": body} if isinstance(body, bytes) or hasattr(body, "__aiter__") else {"json": body}
        )
        async with self.session.request(method, f"{self.url}{path}", headers=headers, **how) as answer:
            text = await answer.text()
            said = json.loads(text) if answer.content_type == "application/json" else text
            return answer.status, said, dict(answer.headers)

    async def acquire(self, key: str = "ann") -> tuple[int, Any, Mapping[str, str]]:
        return await self.ask("/jobs/acquire", {"protocol": 1}, key=key)

    async def given(self, key: str = "ann") -> dict[str, Any]:
        status, said, _ = await self.acquire(key)
        assert status == 200
        return dict(said)

    async def put(self, job_id: str, what: Job | None = None) -> None:
        what = what or job()
        await self.jobs.put(what.job_class, job_id, what.pack(), 600.0)


@asynccontextmanager
async def serving(bot: Bot) -> AsyncIterator[Bot]:
    """Serve on a free port."""
    port = free_port()
    bot.url = f"http://127.0.0.1:{port}"
    serving = asyncio.create_task(bot.server.run(ListenAddress("127.0.0.1", port, "")))

    async def listens() -> bool:
        with suppress(OSError):
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
            return True
        return False

    await eventually(listens)
    async with ClientSession() as bot.session:
        yield bot
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)


def lapse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time of all leases be over."""
    monkeypatch.setattr(redis_jobs, "LEASE", 0.0)


def wrong(text: str) -> bytes:
    """A result whose turn is illegal."""
    held = json.loads(text)
    held["lines"][0] |= {"turn": ["a1-a5"], "line": ["a1-a5"]}
    return json.dumps(held).encode()
