"""The append-only file is rewritten at most hourly, for all who were forgotten before; refusals are known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from redis.asyncio import Redis

from storage.client import by_socket
from storage.maintenance.retention import (
    REWRITE_AFTER,
    REWRITE_EVERY,
    Rewrites,
    last_rewrite,
    request_rewrite,
)
from storage.ports import JournalState
from storage.redis.store import RedisStore
from tests.support.memory import MemoryStore
from tests.support.waiting import LIMIT

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Journal:
    """A journal that counts its rewrites."""

    def __init__(self) -> None:
        self.rewrites = 0
        self.allowed = True
        self.now = JournalState("run")
        self.oldest: datetime | None = None

    async def rewrite(self) -> bool:
        self.rewrites += self.allowed
        return self.allowed

    async def state(self) -> JournalState:
        return self.now

    async def oldest_entry(self) -> datetime | None:
        return self.oldest

    async def fsync(self) -> str | None:
        return None


class Bench:
    """A store with such a journal, and a clock."""

    def __init__(self) -> None:
        self.at = NOON
        self.store = MemoryStore(lambda: self.at)
        self.journal = self.store.journal = Journal()  # type: ignore[assignment]

    async def tick(self, later: timedelta) -> int:
        """Let time pass, and look what is due, by a process that has just started; return the rewrites so far."""
        self.at += later
        await Rewrites(self.store).tick(self.at)
        return self.journal.rewrites


async def test_one_rewrite_an_hour_serves_all_who_asked() -> None:
    bench = Bench()
    assert await request_rewrite(bench.store)
    assert bench.journal.rewrites == 1  # the first request finds out whether the server allows it
    assert await bench.tick(REWRITE_AFTER / 2) == 1
    assert await bench.tick(REWRITE_AFTER) == 2
    assert await last_rewrite(bench.store) == bench.at
    for _ in range(3):
        assert await request_rewrite(bench.store)
        assert await bench.tick(REWRITE_AFTER * 2) == 2
    assert await bench.tick(REWRITE_EVERY) == 3
    assert await bench.tick(REWRITE_EVERY) == 3
    assert await bench.tick(REWRITE_EVERY) == 3


async def test_a_rewrite_that_failed_or_left_something_out_is_repeated() -> None:
    bench = Bench()
    await request_rewrite(bench.store)
    bench.journal.oldest = bench.at  # a fact from before waits to be sent
    assert await bench.tick(REWRITE_AFTER) == 1
    bench.journal.oldest = None
    assert await bench.tick(REWRITE_AFTER) == 2
    bench.journal.now = JournalState("run", failed=True)
    assert await bench.tick(REWRITE_EVERY) == 3
    bench.journal.now = JournalState("next run")  # the server was killed meanwhile
    assert await bench.tick(REWRITE_EVERY) == 4
    assert await bench.tick(REWRITE_EVERY) == 4


async def test_a_server_that_refuses_is_asked_again_each_hour() -> None:
    bench = Bench()
    bench.journal.allowed = False
    assert not await request_rewrite(bench.store)
    assert not await request_rewrite(bench.store)
    assert await bench.tick(REWRITE_AFTER) == 0
    bench.journal.allowed = True
    assert await bench.tick(REWRITE_EVERY) == 1
    assert await request_rewrite(bench.store)


async def test_a_user_without_the_right_is_refused(redis_client: Redis) -> None:
    path = redis_client.connection_pool.connection_kwargs["path"]
    owner = RedisStore(redis_client, patience=LIMIT)
    await owner.connection.command(
        *("ACL", "SETUSER", "guest", "on", ">pass", "~*", "+@all", "-bgrewriteaof", "-config")
    )
    client = by_socket(path)
    client.connection_pool.connection_kwargs.update(username="guest", password="pass")
    try:
        store = RedisStore(client, patience=LIMIT)
        assert not await store.journal.rewrite()
        assert await store.journal.fsync() is None
        assert await owner.journal.fsync() == "no"
    finally:
        await client.aclose()
        await owner.connection.command("ACL", "DELUSER", "guest")
