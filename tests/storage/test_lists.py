"""Lists are hints: what is shown is true even where they are wrong, and they are mended on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from redis.asyncio import Redis

from play.errors import Stale, Unavailable
from play.match import Chair
from storage import keys
from storage.errors import Damage, Damaged
from storage.records import codec
from storage.redis.store import RedisStore
from tests.storage.test_codec import sealed
from tests.support.matches import ANIA, BOB, CELLAR, HALL, called_off, ids, lobby, over, running
from tests.support.stores import got, put
from tests.support.waiting import LIMIT, eventually

LIVE, OVER = keys.list_keys(HALL)


@pytest.fixture
def store(redis_client: Redis) -> RedisStore:
    return RedisStore(redis_client, patience=LIMIT)


async def on(redis: Redis, key: str) -> list[str]:
    return [str(name, "utf-8", "replace") for name in await redis.zrange(key, 0, -1)]  # type: ignore[arg-type]


async def test_a_match_that_is_gone(redis_client: Redis, store: RedisStore) -> None:
    match = await put(store, running(), 0)
    await redis_client.zadd(LIVE, {"zzzzzz": 1, "no id": 2})
    await redis_client.zadd(LIVE, {b"\xff\xfe": 3})  # not written by a bot: passed over, and left
    await redis_client.zadd(OVER, {"yyyyyy": 4})
    assert await store.matches.at(HALL) == [match]
    assert await on(redis_client, LIVE) == ["\ufffd\ufffd", match.id]
    assert not await redis_client.exists(OVER)


async def test_a_match_that_is_elsewhere(redis_client: Redis, store: RedisStore) -> None:
    match = await put(store, running(), 0)
    await put(store, replace(match, addresses=(CELLAR,), chairs=(Chair(ANIA), Chair())), 1)
    bobs = keys.list_keys(BOB.account)[0]
    assert await on(redis_client, LIVE) == await on(redis_client, bobs) == [match.id]
    assert not await store.matches.at(HALL)
    assert not await store.matches.of(BOB.account)
    assert not await redis_client.exists(LIVE, bobs)


@pytest.mark.parametrize(("match", "wrong", "right"), [(over(), LIVE, OVER), (running(), OVER, LIVE)])
async def test_a_match_on_the_wrong_list(
    redis_client: Redis, store: RedisStore, match: Any, wrong: str, right: str
) -> None:
    committed = await put(store, match, 0)
    await redis_client.rename(right, wrong)
    for _ in range(2):
        assert await store.matches.at(HALL) == [committed]
        assert await on(redis_client, right) == [match.id]
        assert not await redis_client.exists(wrong)


async def test_a_match_that_ends_changes_lists_in_the_commit_itself(
    redis_client: Redis, store: RedisStore
) -> None:
    await put(store, running(), 0)
    await put(store, over(), 1)
    assert await on(redis_client, OVER) == ["k7q2ab"]
    assert not await redis_client.exists(LIVE)


async def test_a_match_on_both_lists(redis_client: Redis, store: RedisStore) -> None:
    match = await put(store, over(), 0)
    await redis_client.zadd(LIVE, {match.id: 2**52})
    assert await store.matches.at(HALL) == [match]
    assert not await redis_client.exists(LIVE)


async def test_what_is_over_is_neither_looked_up_nor_shown_where_it_is_not_wanted(
    redis_client: Redis, store: RedisStore
) -> None:
    match = await put(store, over(), 0)
    await redis_client.zadd(LIVE, {match.id: 2**52})
    assert not await store.matches.at(HALL, over=False)
    assert not await redis_client.exists(LIVE)  # mended on the way
    await redis_client.zadd(OVER, {"zzzzzz": 1})
    assert not await store.matches.at(HALL, over=False)
    assert await on(redis_client, OVER) == ["zzzzzz", match.id]  # which was not read


async def test_a_hint_renewed_in_the_meantime_is_left_alone(redis_client: Redis, store: RedisStore) -> None:
    """Between the look at a list and its mending the match came back: the mending must not take it off again."""
    match = await put(store, lobby(), 0)
    away = await put(store, replace(match, addresses=(CELLAR,)), 1)
    honest = store.matches.lists._mend

    async def late(wrong: Any, missing: Any) -> None:
        await put(store, replace(away, addresses=(HALL,)), 2)
        await honest(wrong, missing)

    store.matches.lists._mend = late  # type: ignore[method-assign]
    assert not await store.matches.at(HALL)
    store.matches.lists._mend = honest  # type: ignore[method-assign]
    assert [match.revision for match in await store.matches.at(HALL)] == [3]


async def test_lists_that_cannot_be_mended_are_still_right(redis_client: Redis) -> None:
    store = RedisStore(redis_client, patience=0.2)  # for which it tries to mend them
    match = await put(store, running(), 0)
    await redis_client.zadd(LIVE, {"zzzzzz": 1})
    await redis_client.config_set("maxmemory", 1)
    await redis_client.replicaof("127.0.0.1", 1)
    try:
        assert await store.matches.at(HALL) == [match]
    finally:
        await redis_client.replicaof("NO", "ONE")
        await redis_client.config_set("maxmemory", 0)

    async def read_again() -> bool:
        try:
            return await store.matches.at(HALL) == [match]
        except Unavailable:
            return False

    await eventually(read_again)
    assert await on(redis_client, LIVE) == [match.id]


async def test_the_list_of_what_is_over_is_bounded_inside_redis(
    redis_client: Redis, store: RedisStore
) -> None:
    for match_id in ids(30):
        await put(store, called_off(match_id), 0)
    assert await on(redis_client, OVER) == ids(30)[10:]
    lists = await redis_client.keys("klop:at:*") + await redis_client.keys("klop:of:*")
    assert len(lists) == 3  # of the hall, of Ania and of Bob


async def test_a_stale_commit_writes_nothing_at_all(redis_client: Redis, store: RedisStore) -> None:
    await put(store, running(), 0)

    async def everything() -> dict[bytes, Any]:
        return {bytes(key): await redis_client.dump(key) for key in await redis_client.keys("*")}  # type: ignore[arg-type]

    before = await everything()
    with pytest.raises(Stale):
        await put(store, replace(over(), addresses=(HALL, CELLAR)), 0)
    assert await everything() == before


def flipped(record: bytes) -> bytes:
    return record[:-1] + bytes([record[-1] ^ 1])


def of_a_later_version(_record: bytes) -> bytes:
    return sealed(b"a body of times to come", codec.VERSION + 1)


@pytest.mark.parametrize(
    ("spoil", "damage"), [(flipped, Damage.CHECKSUM), (of_a_later_version, Damage.NEWER)]
)
async def test_a_damaged_match_is_named_and_does_not_hide_the_others(
    redis_client: Redis, store: RedisStore, spoil: Callable[[bytes], bytes], damage: Damage
) -> None:
    bad, good = ids(2)
    await put(store, running(bad), 0)
    healthy = await put(store, running(good), 0)
    key = keys.match_key(bad)
    record = await redis_client.get(key)
    assert isinstance(record, bytes)
    await redis_client.set(key, spoil(record))
    for attempt in (got(store, bad), put(store, running(bad), 7)):
        with pytest.raises(Damaged) as error:
            await attempt
        assert (error.value.match_id, error.value.reason) == (bad, damage)
    assert await store.matches.at(HALL) == [healthy]
    assert bad in await on(redis_client, LIVE)  # not forgotten: it may yet be mended
    await redis_client.set(key, record)
    assert {match.id for match in await store.matches.at(HALL)} == {bad, good}


def test_keys_of_one_match_share_a_slot_and_matches_spread() -> None:
    tags = set()
    for match_id in ids(1000):
        match_tag = keys.match_key(match_id).split(":")[1]
        assert keys.operation_key(match_id, "x").split(":")[1] == match_tag
        tags.add(match_tag)
    assert len(tags) == keys.TAGS
    assert (
        keys.match_key("k7q2ab") == "klop:{57}:match:k7q2ab"
    )  # a record must be found again by every later program
