"""The inbox and the outbox: each entry once, in order, and none lost. On every store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from redis.asyncio import Redis

from play.errors import NoSuchMatch, Stale
from play.events.event import subject_of
from play.facts import Asked, Drawn, Planned, Reached, Reminded, Started, Watching
from play.match import Ask
from play.people import Address
from rules.core import Seat
from storage import BoardMessage, RedisStore, keys
from storage.ports import (
    ASIDE_KEPT,
    ASIDE_MOST,
    IDS_KEPT,
    E,
    FullStore,
    Limit,
    Outgoing,
    Received,
    Sent,
    Stream,
    Update,
)
from storage.records import codec
from storage.records.schema import to_micros
from storage.redis.streams import RedisInbox, RedisOutgoing
from tests.storage.test_codec import sealed
from tests.support.matches import ANIA, CELLAR, HALL, OPENED, ids, over, running
from tests.support.memory import MemoryStore
from tests.support.stores import put
from tests.support.waiting import LIMIT, eventually

# The inbox: each update once, those of a chat in order, and none lost. On every store.


def said(*ids: int, chat: str = "hall") -> list[Update]:
    return [Update(str(number), chat, "ann", '{"text": "їжак\x00"}'.encode()) for number in ids]


async def everything(stream: Stream[E]) -> list[E]:
    found: list[E] = []
    while more := await stream.read(7):
        found += more
    return found


def inbox_ids(received: Sequence[Received]) -> list[str]:
    return [each.update.id for each in received]


async def test_an_update_comes_once_however_often_it_is_accepted(store: FullStore) -> None:
    inbox = store.inbox("telegram")
    await inbox.accept(said(1, 2, 2))
    found = await everything(inbox)
    await inbox.done(found)
    await store.inbox("telegram").accept(said(2, 1, 3))
    assert [each.update for each in found] == said(1, 2)
    assert inbox_ids(await everything(inbox)) == ["3"]


async def test_updates_of_a_chat_keep_their_order(store: FullStore) -> None:
    inbox = store.inbox("telegram")
    await inbox.accept([*said(1, 2), *said(3, 4, chat="cellar"), *said(5)])
    found = await everything(inbox)
    assert inbox_ids([each for each in found if each.update.chat == "hall"]) == ["1", "2", "5"]
    assert inbox_ids([each for each in found if each.update.chat == "cellar"]) == ["3", "4"]


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
    assert inbox_ids(await everything(store.inbox("discord"))) == ["1"]
    assert await store.outgoing().backlog() == 0


async def test_the_ids_that_are_kept_are_bounded(redis_client: Redis) -> None:
    for store in (RedisStore(redis_client, patience=LIMIT), MemoryStore()):
        inbox = store.inbox("telegram")
        for start in range(0, IDS_KEPT + 500, 500):
            await inbox.accept(said(*range(start, start + 500)))
        await inbox.done(await inbox.read(2 * IDS_KEPT))
        await inbox.accept(said(IDS_KEPT + 499, 0))
        assert inbox_ids(await everything(inbox)) == ["0"]
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
    assert inbox_ids(await everything(inbox)) == [str(IDS_KEPT), str(IDS_KEPT + 1)]


async def test_a_lease_from_before_the_clock_was_set_back_ends_in_time(redis_client: Redis) -> None:
    store = RedisStore(redis_client, patience=LIMIT)
    killed = RedisInbox(store.connection, "telegram")
    await killed.accept(said(1))
    assert inbox_ids(await killed.read(10)) == ["1"]
    (readers,) = await redis_client.keys("klop:readers:in:telegram")
    seconds, _ = await redis_client.time()
    await store.connection.command("ZADD", readers, (seconds + 86_400) * 1000, killed._name)
    other = RedisInbox(store.connection, "telegram", lease=0.05)
    found: list[Received] = []

    async def taken() -> bool:
        found.extend(await other.read(10))
        return bool(found)

    await eventually(taken)
    assert inbox_ids(found) == ["1"]

    async def alone() -> bool:
        await other.read(0)
        return other._readers == 1

    await eventually(alone)


# The way out: each fact is read until it is done, in the order of its match. On every store.


SECOND = timedelta(seconds=1)


def told(found: Sequence[Sent]) -> list[tuple[str, int]]:
    return [(sent.subject.id, sent.subject.revision) for sent in found]


async def test_facts_come_as_they_were_with_their_match(store: FullStore) -> None:
    facts = [
        await store.matches.commit(Started(running()), 0),
        await store.matches.commit(Asked(running(plies=4), Ask.DRAW, Seat.S1), 1),
        await store.matches.commit(Reminded(running(plies=4), ANIA.account, Seat.S2, 3 * SECOND), 2),
        await store.matches.commit(Watching(running(plies=4), CELLAR, True), 3),
        await store.matches.commit(Drawn(over()), 4),
    ]
    assert [sent.fact for sent in await everything(store.outgoing())] == facts


async def test_what_is_not_announced_does_not_come(store: FullStore) -> None:
    await store.matches.commit(Started(running()), 0)
    await store.matches.commit(Planned(running(), ANIA.account, Seat.S1, None), 1, announce=False)
    assert told(await store.outgoing().read(10)) == [("k7q2ab", 1)]


async def test_a_fact_about_a_match_as_it_is_changes_nothing_else(store: FullStore) -> None:
    older, other = await put(store, running(), 0), await put(store, running("zzzzz9"), 0)
    reached = Reached(older, HALL, more=3)
    await store.matches.announce(reached)
    sent = [one.fact for one in await everything(store.outgoing())]
    assert [fact for fact in sent if subject_of(fact).id == older.id] == [Started(older), reached]
    assert (await store.matches.load(older.id)).match == older
    assert await store.matches.at(HALL) == [other, older]


async def test_a_fact_about_a_match_as_it_is_not_is_refused(store: FullStore) -> None:
    with pytest.raises(NoSuchMatch):
        await store.matches.announce(Reached(replace(running(), revision=1), HALL))
    before = await put(store, running(), 0)
    now = await put(store, running(plies=4), 1)
    with pytest.raises(Stale) as refusal:
        await store.matches.announce(Reached(before, to=ANIA.account))
    assert refusal.value.match == now
    assert told(await everything(store.outgoing())) == [(now.id, 1), (now.id, 2)]


async def test_a_fact_is_read_once_and_stays_until_it_is_done(store: FullStore) -> None:
    await put(store, running(), 0)
    one = store.outgoing()
    found = await one.read(10)
    assert told(found) == [("k7q2ab", 1)]
    assert not await one.read(10)
    assert await one.backlog() == 1
    await one.done(found)
    await one.done(found)
    assert await one.backlog() == 0
    await one.close()
    assert not await store.outgoing().read(10)


async def test_what_a_sender_leaves_another_gets_from_the_oldest_on(store: FullStore) -> None:
    for revision in range(5):
        await put(store, running(), revision)
    one = store.outgoing()
    found = await one.read(3)
    await one.done(found[:1])
    await one.close()
    other = store.outgoing()
    assert told(await everything(other)) == [("k7q2ab", revision) for revision in (2, 3, 4, 5)]


async def test_while_one_sender_has_facts_of_a_match_no_other_gets_later_ones(store: FullStore) -> None:
    await put(store, running(), 0)
    one, other = store.outgoing(), store.outgoing()
    found = await one.read(10)
    await put(store, running(), 1)
    assert not await other.read(10)
    assert not await other.read(10)
    await one.done(found)
    later = [*await one.read(10), *await other.read(10), *await one.read(10), *await other.read(10)]
    assert told(later) == [("k7q2ab", 2)]


async def test_no_more_than_wanted(store: FullStore) -> None:
    for match_id in ids(40):
        await put(store, running(match_id), 0)
    outgoing = store.outgoing()
    found: list[Sent] = []
    for limit in (0, 1, 5, 0, 10):
        more = await outgoing.read(limit)
        assert len(more) == limit
        found += more
    found += await everything(outgoing)
    assert sorted(sent.subject.id for sent in found) == ids(40)


async def test_many_senders_tell_everything_once_in_order(store: FullStore) -> None:
    names = ids(40)
    seen: list[tuple[str, int]] = []

    async def tell(sender: Outgoing, rounds: int) -> None:
        for _ in range(rounds):
            found = await sender.read(5)
            await asyncio.sleep(0)
            seen.extend(told(found))
            await sender.done(found)

    senders = [store.outgoing() for _ in range(3)]
    for revision in range(4):
        for name in names:
            await put(store, running(name), revision)
        await asyncio.gather(*(tell(sender, 4) for sender in senders))
    while await senders[0].backlog():
        await asyncio.gather(*(tell(sender, 4) for sender in senders))
    assert len(seen) == 160
    for name in names:
        assert [revision for match_id, revision in seen if match_id == name] == [1, 2, 3, 4]


async def test_a_commit_wakes_who_waits(store: FullStore) -> None:
    outgoing = store.outgoing()
    assert not await outgoing.read(10)
    waiting = asyncio.create_task(outgoing.wait(60))
    await asyncio.sleep(0)
    await put(store, running(), 0)
    await asyncio.wait_for(waiting, 20)
    assert await outgoing.read(10)
    await put(store, running(), 1)
    await asyncio.wait_for(outgoing.wait(60), 20)  # it came before the wait
    await outgoing.wait(0)


async def test_a_sender_that_says_nothing_any_more_is_taken_for_dead(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    for revision in range(3):
        await put(store, running(), revision)
    one = RedisOutgoing(store.connection, lease=0.05)
    found = await one.read(2)
    assert told(found) == [("k7q2ab", 1), ("k7q2ab", 2)]
    await one.done(found[:1])
    other = RedisOutgoing(store.connection)
    async with asyncio.timeout(20):
        while not (taken := await other.read(10)):
            await other.wait(0.01)
    assert told(taken) == [("k7q2ab", 2), ("k7q2ab", 3)]
    assert not await one.read(10)  # it learns that the stream is another's
    await other.done(taken)
    assert await other.backlog() == 0


async def test_a_sender_whose_lease_lapsed_unseen_goes_on_where_it_was(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    for revision in range(4):
        await put(store, running(), revision)
    one = store.outgoing()
    assert told(await one.read(2)) == [("k7q2ab", 1), ("k7q2ab", 2)]
    await redis_client.delete("klop:readers:out")
    assert told(await everything(one)) == [("k7q2ab", 3), ("k7q2ab", 4)]


async def test_senders_share_the_streams(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    senders = [RedisOutgoing(store.connection, lease=2.0) for _ in range(3)]

    async def shared(*counts: int) -> bool:
        for sender in senders:
            await sender.read(1)
        return sorted(len(sender._streams) for sender in senders) == list(counts)

    await eventually(lambda: shared(21, 21, 22))
    await senders.pop(0).close()
    await eventually(lambda: shared(32, 32))


async def test_reading_in_vain_writes_next_to_nothing(redis_client: Redis) -> None:
    outgoing = RedisStore(redis_client).outgoing()
    await outgoing.read(1)
    before = (await redis_client.info("persistence"))["aof_current_size"]
    for _ in range(50):
        assert not await outgoing.read(1)
    assert (await redis_client.info("persistence"))["aof_current_size"] - before < 2 * 64 * 120


async def test_an_entry_that_cannot_be_read_does_not_stop_the_others(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    match = await put(store, running(), 0)
    stream = (await redis_client.keys("klop:{*}:out"))[0]
    await redis_client.xadd(stream, {"m": match.id, "f": b"\xc1", "r": b"?"})
    await put(store, running(), 1)
    newer = sealed(b"of a later version", codec.VERSION + 1)
    await redis_client.xadd(stream, {"m": match.id, "f": b"\xc1", "r": newer})
    outgoing = store.outgoing()
    found = await everything(outgoing)
    assert told(found) == [("k7q2ab", 1), ("k7q2ab", 2)]
    await outgoing.done(found)
    assert await outgoing.backlog() == 1, "what a newer program wrote is left to it"
    (aside,) = await store.aside.all()
    assert (aside.stream, aside.about) == ("out", "k7q2ab")
    assert await store.aside.replay(aside.id)
    assert not await everything(outgoing)
    assert [each.reason for each in await store.aside.all()] == [aside.reason]


async def test_streams_hold_only_what_is_to_be_told(redis_client: Redis) -> None:
    store = RedisStore(redis_client)
    outgoing = store.outgoing()
    for revision in range(50):
        await put(store, running(), revision)
        await outgoing.done(await outgoing.read(10))
    (stream,) = await redis_client.keys("klop:{*}:out")
    assert await redis_client.xlen(stream) == 0


async def test_which_message_shows_a_match(store: FullStore) -> None:
    one = store.outgoing()
    assert await one.shown("k7q2ab", HALL) is None
    await one.set_shown("k7q2ab", HALL, BoardMessage("1181:їжак", 7))
    await one.set_shown("k7q2ab", CELLAR, BoardMessage("5", 6))
    await one.set_shown("k7q2ab", HALL, BoardMessage("1182", 8))
    other = store.outgoing()
    assert await other.shown("k7q2ab", HALL) == BoardMessage("1182", 8)
    assert await other.shown("k7q2ab", CELLAR) == BoardMessage("5", 6)
    assert await other.shown("zzzzz9", HALL) is None
    await one.set_shown("k7q2ab", HALL, None)
    await one.set_shown("k7q2ab", HALL, None)
    assert await one.shown("k7q2ab", HALL) is None


async def test_what_is_done_goes_with_the_next_reading(store: FullStore) -> None:
    outgoing = store.outgoing()
    await put(store, running(), 0)
    first = await outgoing.read(10)
    await put(store, running(plies=4), 1)
    second = await outgoing.read(10, first)
    assert told(second) == [("k7q2ab", 2)]
    assert await outgoing.backlog() == 1
    assert not await outgoing.read(0, second)
    assert await outgoing.backlog() == 0


async def test_addresses_that_are_given_up(store: FullStore) -> None:
    outgoing = store.outgoing()
    assert await outgoing.dead(HALL) is None
    await outgoing.set_dead(HALL, OPENED)
    assert await outgoing.dead(HALL) == OPENED
    assert await outgoing.dead(CELLAR) is None
    assert await outgoing.dead(Address("discord", HALL.place + "0")) is None
    await outgoing.set_dead(HALL, None)
    assert await outgoing.dead(HALL) is None


async def test_a_bucket_gives_no_more_than_its_rate(store: FullStore) -> None:
    bucket = store.bucket()
    taken = [await bucket.take(Limit("telegram", 2.0, 3), OPENED) for _ in range(4)]
    assert taken == [0, 0, 0, 0.5]
    assert await bucket.take(Limit("telegram", 2.0, 3), OPENED + 0.499 * SECOND) == pytest.approx(0.001)
    assert await bucket.take(Limit("telegram", 2.0, 3), OPENED + 0.5 * SECOND) == 0
    assert await bucket.take(Limit("telegram", 2.0, 3), OPENED + 0.5 * SECOND) == pytest.approx(0.5)
    assert await bucket.take(Limit("telegram: {x}", 2.0, 3), OPENED) == 0  # another one
    late = OPENED + 3600 * SECOND
    assert [await bucket.take(Limit("telegram", 2.0, 3), late) for _ in range(4)] == [0, 0, 0, 0.5]


async def test_tokens_of_several_buckets_are_taken_together_or_not_at_all(store: FullStore) -> None:
    bucket, one, two = store.bucket(), Limit("one", 2.0, 1), Limit("two", 2.0, 3)
    if not await bucket.take_all([one, two], OPENED):  # on a cluster
        assert [await bucket.take(one, OPENED), await bucket.take(two, OPENED)] == [0, 0]
    assert not await bucket.take_all([one, two], OPENED)
    assert [await bucket.take(two, OPENED) for _ in range(3)] == [0, 0, 0.5]


async def test_a_bucket_goes_by_the_time_of_the_store(store: FullStore) -> None:
    bucket, slow = store.bucket(), Limit("slow", 0.001, 1)
    assert await bucket.take(slow) == 0
    wait = await bucket.take(slow, await store.now())
    assert 990 < wait <= 1000
    await bucket.hold(slow, 5000)
    assert 4990 < await bucket.take(slow) <= 5000


async def test_processes_share_a_bucket(store: FullStore) -> None:
    waits = await asyncio.gather(*(store.bucket().take(Limit("x", 30.0, 5), OPENED) for _ in range(20)))
    assert waits.count(0) == 5


async def test_a_bucket_is_shut_when_a_platform_says_so(store: FullStore) -> None:
    bucket = store.bucket()
    await bucket.hold(Limit("x", 2.0, 3), 10, OPENED)
    assert await bucket.take(Limit("x", 2.0, 3), OPENED) == pytest.approx(10)
    await bucket.hold(Limit("x", 2.0, 3), 5, OPENED)  # not sooner than was said
    assert await bucket.take(Limit("x", 2.0, 3), OPENED + 9 * SECOND) == pytest.approx(1)
    assert await bucket.take(Limit("x", 2.0, 3), OPENED + 10 * SECOND) == 0
    assert await bucket.take(Limit("x", 2.0, 3), OPENED + 10 * SECOND) == pytest.approx(0.5)


async def test_a_clock_that_is_set_back_leaves_no_bucket_spent(store: FullStore) -> None:
    bucket, one, day = store.bucket(), Limit("one", 2.0, 3), 86_400 * SECOND
    for _ in range(3):
        await bucket.take(one, OPENED + day)
    assert [await bucket.take(one, OPENED) for _ in range(4)] == [0, 0, 0, 0.5]
    assert await bucket.take(one, OPENED - SECOND) == pytest.approx(1.5), "the clock of another process"
    await bucket.hold(one, 3600, OPENED + day)
    assert await bucket.take(one, OPENED + 80_000 * SECOND) == 0
    await bucket.hold(one, 3600, OPENED + day)
    await bucket.hold(one, 7, OPENED)
    assert await bucket.take(one, OPENED) == pytest.approx(7)
    await bucket.hold(one, 3600, OPENED)
    await bucket.hold(one, 5, OPENED + SECOND)
    assert await bucket.take(one, OPENED + 2 * SECOND) == pytest.approx(3598), "as long as the platform says"


async def test_a_bucket_of_an_earlier_version_is_read(redis_client: Redis) -> None:
    bucket, spent = RedisStore(redis_client).bucket(), to_micros(OPENED + 1.5 * SECOND)
    await redis_client.set(keys.bucket_key("one"), f"{spent:.0f}")
    assert await bucket.take(Limit("one", 2.0, 3), OPENED) == pytest.approx(0.5)
