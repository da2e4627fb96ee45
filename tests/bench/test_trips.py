from __future__ import annotations

from redis.asyncio import Redis

from bench.trips import Echo, Overheard, elsewhere
from play.facts import Moved
from rules.core import Seat
from storage import RedisStore
from tests.support.matches import running


def test_keys_are_elsewhere_and_as_long() -> None:
    assert elsewhere(("EVALSHA", "abc", 1, "klop:{5}:match:k7q2ab", b"klop:a record", "klopodavka")) == (
        *("EVALSHA", "abc", 1, "bare:{5}:match:k7q2ab"),
        *(b"klop:a record", "klopodavka"),
    )


async def test_what_was_overheard_does_the_same_elsewhere(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    overheard = Overheard.of(store)
    await store.connection.command("SET", "klop:one", b"1")
    await store.connection.batch([("ZADD", "klop:list", 1, "one"), ("ZADD", "klop:list", 2, "two")])
    trips = overheard.take()
    assert [len(trip) for trip in trips] == [1, 2]
    assert overheard.take() == ()
    await Echo(redis_client).say(trips)
    assert await redis_client.get("bare:one") == b"1"
    assert await redis_client.zrange("bare:list", 0, -1) == [b"one", b"two"]


async def test_what_was_told_is_told_elsewhere(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    overheard = Overheard.of(store)
    outgoing = store.outgoing()
    match = running()
    echo = Echo(redis_client)
    await store.matches.commit(Moved(match, Seat.S1, (), True, ()), 0)
    first = await outgoing.read(10)
    await echo.say(overheard.take())
    (stream,) = await redis_client.keys("bare:{*}:out")
    assert await redis_client.xlen(stream) == 1
    await outgoing.done(first)
    await store.matches.commit(Moved(match, Seat.S1, (), True, ()), 1)
    second = await outgoing.read(10)
    assert [len(first), len(second)] == [1, 1]
    await outgoing.done(second)
    await echo.say(overheard.take())
    assert await redis_client.xlen(stream) == 0
