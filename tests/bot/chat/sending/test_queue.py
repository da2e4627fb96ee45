"""Queues of messages: turns of a rate limit, backoff, and the newest edit of each message."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import pytest

from bot.chat.periodic import delay
from bot.chat.sending import Sender, posted
from bot.chat.sending.delivery import Delivery
from bot.chat.sending.ports import Pace, Rate, Recipient, RetryAfter, Transient
from bot.chat.sending.posted import LatestEdits
from bot.chat.sending.queue import Turns, Urgency
from bot.chat.view import View
from play.errors import Unavailable
from play.people import Account, Address
from storage.ports import Limit, Sent
from tests.bot.chat.sending.fakes import (
    HALL,
    PLATFORM,
    YARD,
    Chats,
    Numbers,
    Reader,
    Stream,
    delivered,
    match,
    moved,
    one_by_one,
    sender,
)
from tests.support.memory.streams import MemoryBucket
from tests.support.waiting import START, eventually, moment, play

# Turns of a rate limit: the more urgent first, and no one for ever behind them.


ONE: Rate = Rate(each_second=1, burst=1)


def test_many_requests_of_twenty_chats_hold_up_another_one_by_a_turn() -> None:
    """Each takes a turn a second of its own, and all of them all twenty of the platform."""
    chat, overall = Rate(each_second=1, burst=2), Rate(each_second=20, burst=5)

    async def evening() -> list[float]:
        turns, loop = Turns(MemoryBucket({}), moment), asyncio.get_running_loop()

        async def take(whose: str) -> None:
            await turns.take({f"chat of {whose}": chat, "all": overall}, Urgency.ANSWER, whose)

        await asyncio.gather(*(take(f"other{number}") for number in range(4)))
        waited, flood = [], []
        for number in range(12):
            await asyncio.sleep(4)  # in which the queue becomes empty
            flood = [asyncio.create_task(take(f"mob{number}")) for number in range(20) for _ in range(3)]
            await asyncio.sleep(number / 20)
            began = loop.time()
            await take(f"other{number % 4}")
            waited.append(loop.time() - began)
        await asyncio.gather(*flood)
        return waited

    assert max(play(evening())) < 3 / 20


def test_one_who_waits_no_more_takes_no_turn_and_holds_up_no_one() -> None:
    async def evening() -> float:
        turns = Turns(MemoryBucket({}), moment)
        await turns.take({"hall": ONE}, Urgency.PRESS)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await turns.take({"hall": ONE}, Urgency.PRESS)
        await turns.take({"hall": ONE}, Urgency.FILM)
        return asyncio.get_running_loop().time()

    assert play(evening()) == pytest.approx(1)


def test_a_turn_that_is_cancelled_as_it_comes_is_the_next_ones() -> None:
    async def evening() -> float:
        going: list[asyncio.Task[None]] = []

        class Cancelling(MemoryBucket):
            async def take(self, limit: Limit, at: datetime | None = None) -> float:
                wait = await super().take(limit, at)
                if not wait and going:
                    going.pop().cancel()
                return wait

        turns = Turns(Cancelling({}), moment)
        await turns.take({"hall": ONE}, Urgency.PRESS)
        first, second = (asyncio.create_task(turns.take({"hall": ONE}, Urgency.PRESS)) for _ in range(2))
        going.append(first)
        await asyncio.wait((first, second))
        assert first.cancelled()
        return asyncio.get_running_loop().time()

    assert play(evening()) == pytest.approx(1)


def test_a_store_that_does_not_answer_is_said_to_all_who_wait() -> None:
    class Broken(MemoryBucket):
        async def take(self, *_: object) -> float:
            await asyncio.sleep(1)
            raise Unavailable

    async def evening() -> list[BaseException | None]:
        turns = Turns(Broken({}), moment)
        both = (turns.take({"hall": ONE}, urgency) for urgency in (Urgency.PRESS, Urgency.FILM))
        return await asyncio.gather(*both, return_exceptions=True)

    assert [type(each) for each in play(evening())] == [Unavailable, Unavailable]


# The sender when a chat, a platform or the store is slow, silent or gone.


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


# The newest edit of each message: what becomes of it while the platform takes none.


async def _never(_seconds: float) -> None:
    await asyncio.Event().wait()


def _failing(*errors: Exception, made: list[str], name: str = "") -> Callable[[], Awaitable[None]]:
    left = list(errors)

    async def edit() -> None:
        if left:
            raise left.pop(0)
        made.append(name)

    return edit


async def test_an_edit_is_made_again_after_the_time_that_the_platform_demands() -> None:
    made: list[str] = []
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    edits = LatestEdits(sleep)
    await edits.show("a", _failing(Transient(), Transient(), RetryAfter(7), made=made))
    assert made == [""]
    assert pauses == [0.5, 1.0, 7]
    with pytest.raises(ValueError, match="wrong"):
        await edits.show("a", _failing(ValueError("wrong"), made=made))


async def test_an_edit_is_replaced_by_a_newer_one_and_goes_on_without_the_one_who_waits() -> None:
    made: list[str] = []
    go = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await go.wait()

    edits = LatestEdits(sleep)
    older = asyncio.create_task(edits.show("a", _failing(RetryAfter(2), made=made, name="older")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    newer = asyncio.create_task(edits.show("a", _failing(made=made, name="newer")))
    await older
    newer.cancel()
    go.set()
    await eventually(lambda: made == ["newer"])


async def test_edits_that_wait_are_bounded_in_number_and_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posted, "MOST", 2)
    made: list[str] = []
    edits = LatestEdits(_never)
    waiting = [
        asyncio.create_task(edits.show(ref, _failing(RetryAfter(9), made=made))) for ref in ("a", "b", "c")
    ]
    await waiting[0]  # given up for the third
    edits.close()
    await asyncio.gather(*waiting)
    await LatestEdits(_never, lasts=0).show("a", _failing(RetryAfter(9), made=made))
    assert made == []
