"""The inbox: each update once, those of a chat in order, and none lost. On every store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from redis.asyncio import Redis

from storage import RedisStore, keys
from storage.ports import ASIDE_KEPT, ASIDE_MOST, IDS_KEPT, FullStore, Inbox, Received, Update
from storage.records.schema import to_micros
from storage.redis.streams import RedisInbox
from tests.support.memory import MemoryStore
from tests.support.waiting import LIMIT, eventually

HELLO = Update("1", "-100", "7", '{"text": "їжак\x00"}'.encode())


def said(*ids: int, chat: str = "hall") -> list[Update]:
    return [Update(str(number), chat, "ann", b"{}") for number in ids]


async def everything(inbox: Inbox) -> list[Received]:
    found: list[Received] = []
    while more := await inbox.read(7):
        found += more
    return found


def ids(received: Sequence[Received]) -> list[str]:
    return [each.update.id for each in received]


async def test_an_update_comes_as_it_was(store: FullStore) -> None:
    inbox = store.inbox("telegram")
    await inbox.accept([HELLO])
    assert [each.update for each in await everything(inbox)] == [HELLO]


async def test_an_update_comes_once_however_often_it_is_accepted(store: FullStore) -> None:
    inbox = store.inbox("telegram")
    await inbox.accept(said(1, 2, 2))
    found = await everything(inbox)
    await inbox.done(found)
    await store.inbox("telegram").accept(said(2, 1, 3))
    assert ids(found) == ["1", "2"]
    assert ids(await everything(inbox)) == ["3"]


async def test_updates_of_a_chat_keep_their_order(store: FullStore) -> None:
    inbox = store.inbox("telegram")
    await inbox.accept([*said(1, 2), *said(3, 4, chat="cellar"), *said(5)])
    found = await everything(inbox)
    assert ids([each for each in found if each.update.chat == "hall"]) == ["1", "2", "5"]
    assert ids([each for each in found if each.update.chat == "cellar"]) == ["3", "4"]


async def test_an_update_stays_until_it_is_done(store: FullStore) -> None:
    one = store.inbox("telegram")
    await one.accept(said(1, 2, 3))
    found = await everything(one)
    assert await one.backlog() == 3
    await one.done(found[:1])
    await one.close()
    other = store.inbox("telegram")
    assert ids(await everything(other)) == ["2", "3"]
    assert await other.backlog() == 2


async def test_an_update_that_is_set_aside_is_handled_again_when_it_is_put_back(store: FullStore) -> None:
    inbox = store.inbox("telegram")
    await inbox.accept(said(1, 2))
    first, second = await everything(inbox)
    for _ in range(2):
        await inbox.set_aside(first, "KeyError: 'chat'")
    assert await inbox.backlog() == 1
    (aside,) = await store.aside.all()
    assert (aside.stream, aside.about, aside.reason) == ("in:telegram", "hall", "KeyError: 'chat'")
    assert not await store.aside.replay("x")
    assert await store.aside.replay(aside.id)
    assert not await store.aside.replay(aside.id)
    (again,) = await everything(inbox)
    assert again.update == first.update
    await inbox.set_aside(again, "KeyError: 'chat'")
    await inbox.done([second])
    (aside,) = await store.aside.all()
    assert await store.aside.drop(aside.id)
    assert not await store.aside.drop(aside.id)
    assert not await store.aside.all()
    assert await inbox.backlog() == 0
    await inbox.accept([])


async def test_what_is_set_aside_is_bounded(redis_client: Redis) -> None:
    store = RedisStore(redis_client, patience=LIMIT)
    inbox = store.inbox("telegram")
    at = to_micros(await store.now())
    await redis_client.zadd(keys.ASIDE, {b"old": at - (ASIDE_KEPT // timedelta(microseconds=1)) - 1})
    await inbox.accept(said(*range(ASIDE_MOST + 5)))
    for received in await inbox.read(ASIDE_MOST + 5):
        await inbox.set_aside(received, received.update.id)
    reasons = [each.reason for each in await store.aside.all()]
    assert reasons == [str(number) for number in range(5, ASIDE_MOST + 5)]


async def test_platforms_have_inboxes_of_their_own(store: FullStore) -> None:
    await store.inbox("telegram").accept(said(1))
    await store.inbox("discord").accept(said(1))
    assert ids(await everything(store.inbox("discord"))) == ["1"]
    assert await store.outgoing().backlog() == 0


async def test_the_ids_that_are_kept_are_bounded(redis_client: Redis) -> None:
    for store in (RedisStore(redis_client, patience=LIMIT), MemoryStore()):
        inbox = store.inbox("telegram")
        for start in range(0, IDS_KEPT + 500, 500):
            await inbox.accept(said(*range(start, start + 500)))
        await inbox.done(await inbox.read(2 * IDS_KEPT))
        await inbox.accept(said(IDS_KEPT + 499, 0))
        assert ids(await everything(inbox)) == ["0"]
    (key,) = await redis_client.keys("klop:*:ids")
    assert await redis_client.zcard(key) == IDS_KEPT


async def test_ids_of_before_the_clock_was_set_back_make_room_for_new_ones(redis_client: Redis) -> None:
    inbox = RedisStore(redis_client, patience=LIMIT).inbox("telegram")
    await inbox.accept(said(*range(IDS_KEPT)))
    (key,) = await redis_client.keys("klop:*:ids")
    await redis_client.zadd(key, {str(number): 4e15 + number for number in range(IDS_KEPT)})
    await inbox.done(await inbox.read(2 * IDS_KEPT))
    await inbox.accept(said(IDS_KEPT))
    await inbox.accept(said(IDS_KEPT, IDS_KEPT + 1))
    assert ids(await everything(inbox)) == [str(IDS_KEPT), str(IDS_KEPT + 1)]


async def test_a_lease_from_before_the_clock_was_set_back_ends_in_time(redis_client: Redis) -> None:
    store = RedisStore(redis_client, patience=LIMIT)
    killed = RedisInbox(store.connection, store._wakeup, "telegram")
    await killed.accept(said(1))
    assert ids(await killed.read(10)) == ["1"]
    for key in await redis_client.keys("klop:*:reader:in:telegram"):
        await redis_client.pexpire(key, 86_400_000)
    (readers,) = await redis_client.keys("klop:readers:in:telegram")
    seconds, _ = await redis_client.time()
    await store.connection.command("ZADD", readers, (seconds + 86_400) * 1000, killed._name)
    other = RedisInbox(store.connection, store._wakeup, "telegram", lease=0.05)
    found: list[Received] = []

    async def taken() -> bool:
        found.extend(await other.read(10))
        return bool(found)

    await eventually(taken)
    assert ids(found) == ["1"]

    async def alone() -> bool:
        await other.read(0)
        return other._readers == 1

    await eventually(alone)


async def test_what_a_process_read_that_ended_another_reads(redis_client: Redis) -> None:
    store = RedisStore(redis_client, patience=LIMIT)
    one = RedisInbox(store.connection, store._wakeup, "telegram", lease=0.05)
    await one.accept(said(1, 2))
    assert ids(await one.read(10)) == ["1", "2"]
    other = store.inbox("telegram")
    found: list[Received] = []

    async def taken() -> bool:
        found.extend(await other.read(10))
        return bool(found)

    await eventually(taken)
    assert ids(found) == ["1", "2"]
