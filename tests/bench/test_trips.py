from __future__ import annotations

from redis.asyncio import Redis

from bench.trips import Command, Overheard, say


def test_keys_are_elsewhere_and_as_long() -> None:
    command = Command(("EVALSHA", "abc", 1, "klop:{5}:match:k7q2ab", b"klop:a record", "klopodavka"), {})
    assert command.elsewhere.words == (
        *("EVALSHA", "abc", 1, "bare:{5}:match:k7q2ab"),
        *(b"klop:a record", "klopodavka"),
    )


async def test_what_was_overheard_does_the_same_elsewhere(redis_client: Redis) -> None:
    overheard = Overheard.through(redis_client)
    await overheard.set("klop:one", b"1")
    pipe = overheard.pipeline(transaction=False)
    pipe.zadd("klop:list", {"one": 1})
    pipe.zadd("klop:list", {"two": 2})
    await pipe.execute()
    trips = overheard.take()
    assert [len(trip) for trip in trips] == [1, 2]
    assert overheard.take() == ()
    await say(redis_client, trips)
    assert await redis_client.get("bare:one") == b"1"
    assert await redis_client.zrange("bare:list", 0, -1) == [b"one", b"two"]
