"""What wakes a process: what another one adds reaches it without a look, and a process with nothing to do asks the store for little."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Any, cast

from redis.asyncio import Redis

from bot.chat.clockwork import BEAT, Clockwork
from bot.chat.sending.attention import CALLS_EVERY
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.sender import IDLE
from bot.chat.thinking.seats import SWEEP
from bot.features.commands import REGISTRY
from bot.platforms.telegram.replies import LOOK, ShortReplies
from play.match import accounts
from play.ports import Timer
from play.table import Table
from rules import GAMES
from storage.redis.store import RedisStore
from storage.redis.streams import RedisInbox, RedisOutgoing
from tests.bot.world import NOON, Counted
from tests.support.matches import running
from tests.support.services import services
from tests.support.stores import put
from tests.support.waiting import LIMIT, eventually

MINUTE = 60.0
MOST = 10.0
"""Commands a second that an idle bot may ask of one server."""


@asynccontextmanager
async def listening(client: Any, count: int = 1) -> AsyncIterator[list[RedisStore]]:
    """Yield the stores of so many processes that hear each other."""
    async with AsyncExitStack() as stack:
        stores = [RedisStore(client, patience=LIMIT) for _ in range(count)]
        for store in stores:
            await stack.enter_async_context(store.connection.wakeups.heard())

        async def all_listen() -> bool:
            return all(store.connection.wakeups.listening for store in stores)

        await eventually(all_listen)
        yield stores


async def asked(client: Redis) -> int:
    """Return how many commands the server has carried out, those of scripts too."""
    return sum(each["calls"] for each in (await client.info("commandstats")).values())


async def test_a_commit_of_another_process_wakes_who_waits(redis_client: Redis) -> None:
    async with listening(redis_client, 2) as (one, other):
        outgoing, commits = one.outgoing(), one.commits()
        assert not await outgoing.read(10)
        commits.clear()
        waiting = asyncio.create_task(outgoing.wait(LIMIT * 10))
        await asyncio.sleep(0)
        await put(other, running(), 0)
        await asyncio.wait_for(waiting, LIMIT)
        await asyncio.wait_for(commits.wait(), LIMIT)
        assert await outgoing.read(10)


async def test_a_timer_of_another_process_is_known(redis_client: Redis) -> None:
    async with listening(redis_client, 2) as (one, other):
        at = await one.now()
        assert not await one.timers.due(at, at + timedelta(seconds=30), 10)
        waiting = asyncio.create_task(one.timers.until_due(at, LIMIT * 10))
        await asyncio.sleep(0)
        await put(other, running(), 0, timers=[Timer("flag", at)])
        await asyncio.wait_for(waiting, LIMIT)
        (due,) = await one.timers.due(at, at + timedelta(seconds=30), 10)
        assert due.timer.name == "flag"


async def test_a_text_that_another_process_adds_to_an_empty_timeline_is_read(redis_client: Redis) -> None:
    async with listening(redis_client, 2) as (one, other):
        at, commits = await one.now(), one.commits()
        assert not await one.timelines.read("calls", until=at)
        before = await asked(redis_client)
        assert not await one.timelines.read("calls", until=at)
        assert await asked(redis_client) == before + 1, "only the count itself"
        await other.timelines.add("calls", "soon", at)
        commits.clear()
        await put(other, running(), 0)  # messages come in their order
        await asyncio.wait_for(commits.wait(), LIMIT)
        assert await one.timelines.read("calls", until=at) == ["soon"]


async def test_what_is_added_while_a_process_does_not_listen_is_looked_for(redis_client: Redis) -> None:
    async with listening(redis_client) as (one,):
        at = await one.now()
        assert not await one.timelines.read("calls")
        await redis_client.client_kill_filter(_type="pubsub", skipme=True)

        async def deaf() -> bool:
            return not one.connection.wakeups.listening

        await eventually(deaf)
        await RedisStore(redis_client).timelines.add("calls", "soon", at)
        assert await one.timelines.read("calls") == ["soon"]


async def test_an_idle_bot_asks_little(redis_client: Redis) -> None:
    """What the parts of a bot on Telegram do in a minute, a round after the other."""
    async with listening(redis_client) as (store,):
        await put(store, running(), 0, timers=[Timer("flag", await store.now() + timedelta(days=1))])
        given = services(Table(store, GAMES, Counted()), store, lambda: NOON)
        outgoing = RedisOutgoing(store.connection, lease=0.001)  # so short that each read renews it
        await outgoing.done(await outgoing.read(10))
        delivery = Delivery(outgoing, store.bucket(), given.composer, now=store.now, sleep=asyncio.sleep)
        couriers: Any = {"telegram": None}
        replies = ShortReplies(store.timelines, cast(Any, None), lambda: NOON)
        rounds: list[tuple[float, Callable[[], Awaitable[object]]]] = [
            (IDLE, partial(outgoing.read, 10)),
            (IDLE, partial(RedisInbox(store.connection, "telegram", lease=0.001).read, 10)),
            (BEAT.total_seconds(), Clockwork(given.table, store).beat),
            (BEAT.total_seconds(), Clockwork(given.table, store).tick),
            (CALLS_EVERY, given.attention.call),
            (LOOK, replies.sweep),
            (SWEEP, partial(store.matches.live_of, accounts())),
            *((pause, partial(step, given, delivery, couriers)) for _, pause, step in REGISTRY.periodic),
        ]
        before = await asked(redis_client)
        for pause, step in rounds:
            for _ in range(math.ceil(MINUTE / pause)):
                await step()
        assert await asked(redis_client) - before <= MOST * MINUTE
