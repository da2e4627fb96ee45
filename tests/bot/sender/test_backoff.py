"""The sender when a chat, a platform or the store is slow, silent or gone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from bot.chat.periodic import delay
from bot.chat.sending import Sender
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Blocked, Pace, Rate, Recipient, RetryAfter
from bot.chat.sending.unreached import Unreachable
from bot.chat.view import View
from play import facts
from play.errors import Unavailable
from play.match import Chair, Phase
from play.people import Account, Address
from play.table import Table
from storage.ports import Limit, Sent
from tests.bot.sender.delivering import delivered, one_by_one, sender
from tests.bot.sender.fakes import (
    ANN,
    BOB,
    HALL,
    PLATFORM,
    YARD,
    Chats,
    Numbers,
    Reader,
    Stream,
    match,
    moved,
)
from tests.bot.virtual import START, moment, play
from tests.bot.world import Counted
from tests.support.memory import MemoryStore
from tests.support.memory.outgoing import MemoryBucket


def test_what_waits_while_a_try_fails_goes_out_in_its_place() -> None:
    stream = Stream()
    attempts = []

    class Moody(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            attempts.append(nonce[:9])
            if len(attempts) == 1:
                stream.add(moved(match(revision=2)))
                raise RetryAfter(5)
            return await super().post(to, view, ping=ping, nonce=nonce)

    chats = Moody()

    async def evening() -> None:
        running = asyncio.create_task(sender(stream, chats).run())
        stream.add(moved(match(revision=1)))
        await asyncio.sleep(60)
        running.cancel()

    play(evening())
    assert attempts == ["aaaaaa:v1", "aaaaaa:v2"]
    assert [shelf.revisions for shelf in chats.at(HALL)] == [[1, 2]]
    assert chats.events[0][0] >= 5


def test_a_slow_chat_holds_up_no_other() -> None:
    stream, chats = Stream(), Chats(slow={HALL: 1000.0})
    stream.add(*(moved(match(code, at=[HALL, YARD])) for code in ("aaaaaa", "bbbbbb", "cccccc")))
    delivered(stream, chats)
    assert max(at for at, _, to, _ in chats.events if to == YARD) < 1
    assert min(at for at, _, to, _ in chats.events if to == HALL) >= 1000
    assert not stream.entries


def test_a_chat_that_is_gone_is_marked_and_written_to_no_more() -> None:
    stream, chats = Stream(), Chats(banned=[HALL])
    one_by_one(stream, chats, *(moved(match(revision=n, at=[HALL, YARD])) for n in (1, 2, 3)))
    assert set(stream.mail.dead) == {HALL}
    assert chats.calls[HALL] == 1
    assert [shelf.revisions for shelf in chats.at(YARD)] == [[1], [2], [3]]


def test_silence_asked_of_a_whole_platform_is_kept_in_every_chat() -> None:
    stream = Stream()

    class Strict(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            now = asyncio.get_running_loop().time()
            if now < 1:
                self.silent_until[None] = now + 20
                raise RetryAfter(20, everywhere=True)
            return await super().post(to, view, ping=ping, nonce=nonce)

    chats = Strict()

    async def evening() -> None:
        one = sender(stream, chats)
        stream.add(moved(match(at=[HALL])))
        draining = asyncio.create_task(one.drain())
        await asyncio.sleep(2)
        stream.add(moved(match("bbbbbb", at=[YARD])))
        await draining
        await one.drain()

    play(evening())
    assert len(chats.messages) == 2
    assert min(event[0] for event in chats.events) >= 20


class Watched(MemoryBucket):
    """A bucket that remembers its keys."""

    def __init__(self) -> None:
        super().__init__({})
        self.keys: set[str] = set()
        self.held: set[str] = set()

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        self.keys.add(limit.key)
        return await super().take(limit, at)

    async def take_all(self, limits: Sequence[Limit], at: datetime | None = None) -> bool:
        self.keys.update(limit.key for limit in limits)
        return await super().take_all(limits, at)

    async def hold(self, limit: Limit, seconds: float, at: datetime | None = None) -> None:
        self.held.add(limit.key)
        await super().hold(limit, seconds, at)


def test_turns_to_send_come_from_the_shared_bucket() -> None:
    stream, bucket = Stream(), Watched()
    chats = Chats(pace=Pace(overall=Rate(2, 1), chat=Rate(1, 1)))
    stream.add(*(moved(match(code, at=[HALL])) for code in ("aaaaaa", "bbbbbb", "cccccc")))
    stream.add(moved(match("dddddd", at=[YARD])))
    play(Sender(stream.reader(), bucket, Numbers(), [chats], now=moment, paced=moment).drain())
    times = [event[0] for event in chats.events if event[2] == HALL]
    assert times[-1] - times[0] > 1.4
    assert max(event[0] for event in chats.events) > 1.4
    assert bucket.keys == {PLATFORM, f"{PLATFORM}:hall", f"{PLATFORM}:yard"}


def test_who_cannot_be_written_to_is_named_to_the_host_and_the_entry_is_done() -> None:
    stream = Stream()
    kept = (Chair(ANN), Chair(reserved=BOB))

    class Shy(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            if to == HALL:
                raise Blocked(BOB.account.uid)
            return await super().post(to, view, ping=ping, nonce=nonce)

    def told(stream: Stream, chats: Chats, fact: facts.Fact) -> None:
        stream.add(fact)
        store = MemoryStore()
        unreachable = Unreachable(Table(store, {}, Counted()), store, lambda: START)
        bucket = MemoryBucket({})
        one = Sender(
            stream.reader(), bucket, Numbers(), [chats], now=moment, paced=moment, unreachable=unreachable
        )
        play(one.drain())
        assert not stream.entries

    chats = Shy()
    told(stream, chats, facts.Challenged(replace(match(), phase=Phase.OPEN, chairs=kept)))
    assert [shelf.to for shelf in chats.messages.values()] == [ANN.account]
    assert set(stream.mail.dead) == {HALL}
    stream, chats = Stream(), Shy()
    told(stream, chats, moved(replace(match(), chairs=kept)))
    assert not chats.messages, "that is told of invitations only"


@pytest.mark.parametrize(("everywhere", "key"), [(True, PLATFORM), (False, f"{PLATFORM}:hall")])
def test_silence_that_is_asked_for_holds_the_bucket_of_all_senders(everywhere: bool, key: str) -> None:
    stream, bucket = Stream(), Watched()

    class Strict(Chats):
        async def post(self, to: Recipient, view: View, *, ping: Sequence[Account], nonce: str) -> str:
            if not bucket.held:
                raise RetryAfter(20, everywhere=everywhere)
            return await super().post(to, view, ping=ping, nonce=nonce)

    chats = Strict(pace=Pace(overall=Rate(2, 1), chat=Rate(1, 1)))
    stream.add(moved(match()))
    play(Sender(stream.reader(), bucket, Numbers(), [chats], now=moment, paced=moment).drain())
    assert bucket.held == {key}
    assert chats.events[0][0] >= 20


def test_tries_are_further_apart_each_time_up_to_a_minute() -> None:
    assert [delay(tries) for tries in (1, 2, 3, 7, 8, 99)] == [0.5, 1, 2, 32, 60, 60]


async def test_what_has_to_be_written_down_is_tried_until_it_is() -> None:
    stream, waits, tries = Stream(), list[float](), 0

    class Away(Reader):
        async def set_dead(self, address: Address, at: datetime | None) -> None:
            nonlocal tries
            tries += 1
            if tries < 5:
                raise Unavailable
            await super().set_dead(address, at)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def now() -> datetime:
        return START

    delivery = Delivery(Away(stream), MemoryBucket({}), Numbers(), now=now, sleep=sleep)
    await delivery.give_up(HALL)
    assert waits == [0.5, 1, 2, 4]
    assert await delivery.is_dead(HALL)
    assert not await delivery.is_dead(YARD)


def test_a_store_that_is_away_is_asked_again_within_a_second() -> None:
    stream, chats, waits = Stream(), Chats(), list[float]()

    class Away(Reader):
        async def read(self, limit: int, done: Sequence[Sent] = ()) -> Sequence[Sent]:
            if len(waits) < 3:
                raise Unavailable
            return await super().read(limit, done)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(seconds)

    async def evening() -> None:
        bucket = MemoryBucket({})
        one = Sender(Away(stream), bucket, Numbers(), [chats], now=moment, paced=moment, sleep=sleep)
        running = asyncio.create_task(one.run())
        stream.add(moved(match()))
        await asyncio.sleep(60)
        running.cancel()

    play(evening())
    assert waits == [0.5, 1, 1]
    assert not stream.entries
