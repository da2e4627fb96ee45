"""An update is confirmed when it has been handled, not before; and one slow chat holds up no other."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Sequence

import pytest
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter

from bot.on_telegram.chat_queues import ChatQueues, Raw, queue_of
from bot.on_telegram.polling import Polling


def said(number: int, chat: int = 1) -> Raw:
    return {"update_id": number, "message": {"chat": {"id": chat}, "text": str(number)}}


class Source:
    """Telegram, as far as updates go."""

    def __init__(self, updates: Sequence[Raw]) -> None:
        self.updates = list(updates)
        self.offsets: list[int | None] = []
        self.trouble: list[Exception] = []
        self.asked = asyncio.Event()

    async def __call__(self, offset: int | None, wait: int) -> list[Raw]:
        self.offsets.append(offset)
        self.asked.set()
        if self.trouble:
            raise self.trouble.pop(0)
        if offset is not None:
            self.updates = [each for each in self.updates if each["update_id"] >= offset]
        if not self.updates:
            await asyncio.sleep(0.01 if wait else 0)
        return self.updates[:100]


class Handler:
    """Remembers what it handled; some updates wait until they are let go."""

    def __init__(self, *slow: int) -> None:
        self.done: list[int] = []
        self.begun: list[int] = []
        self.gates = {number: asyncio.Event() for number in slow}

    async def __call__(self, raw: Raw) -> None:
        number = raw["update_id"]
        self.begun.append(number)
        if number in self.gates:
            await self.gates[number].wait()
        self.done.append(number)


@contextlib.asynccontextmanager
async def polling(source: Source, handle: Callable[[Raw], Awaitable[None]]):  # type: ignore[no-untyped-def]
    queues = ChatQueues(handle)
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0)

    made = Polling(source, queues, sleep=sleep)
    task = asyncio.create_task(made.run())
    try:
        yield task, waits
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, InvalidToken):
            await task
        await queues.close()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def test_the_offset_stays_at_what_is_under_way() -> None:
    source, handle = Source([said(n, chat=n) for n in (10, 11, 12, 15)]), Handler(11)
    async with polling(source, handle):
        await until(lambda: handle.done == [10, 12, 15])
        await until(lambda: source.offsets[-1] == 11)
        source.updates.append(said(16, chat=5))
        await until(lambda: 16 in handle.done)  # others are not held up
        assert max(offset for offset in source.offsets if offset) == 11
        handle.gates[11].set()
        await until(lambda: source.offsets[-1] == 17)
    assert sorted(handle.begun) == [10, 11, 12, 15, 16]  # each once, however often it was delivered


async def test_a_chat_keeps_its_order() -> None:
    luck = random.Random(3)
    updates = [said(n, chat=n % 3) for n in range(60)]
    order: dict[int, list[int]] = {0: [], 1: [], 2: []}

    async def handle(raw: Raw) -> None:
        await asyncio.sleep(luck.random() * 0.003)
        order[raw["update_id"] % 3].append(raw["update_id"])

    source = Source(updates)
    async with polling(source, handle):
        await until(lambda: sum(map(len, order.values())) == 60)
    assert all(held == sorted(held) for held in order.values())


async def test_the_next_process_gets_the_unhandled_updates() -> None:
    source, handle = Source([said(n, chat=n) for n in range(1, 8)]), Handler(3, 5)
    async with polling(source, handle):
        await until(lambda: len(handle.done) == 5)
    assert source.updates[0]["update_id"] == 3
    again = Handler()
    async with polling(source, again):
        await until(lambda: {3, 5} <= set(again.done))
        await until(lambda: not source.updates)


async def test_what_was_handled_is_confirmed_when_the_bot_ends() -> None:
    source, handle = Source([said(1), said(2)]), Handler()
    async with polling(source, handle):
        await until(lambda: handle.done == [1, 2])
    assert source.offsets[-1] == 3


async def test_an_update_that_cannot_be_handled_stops_no_other() -> None:
    async def handle(raw: Raw) -> None:
        if raw["update_id"] == 1:
            raise ValueError("a bug")
        done.append(raw["update_id"])

    done: list[int] = []
    source = Source([said(1), said(2)])
    async with polling(source, handle):
        await until(lambda: done == [2])
        await until(lambda: source.offsets[-1] == 3)


async def test_trouble_is_waited_out() -> None:
    source, handle = Source([said(1)]), Handler()
    source.trouble = [NetworkError("no"), RetryAfter(17), Conflict("another"), NetworkError("no")]
    async with polling(source, handle) as (_, waits):
        await until(lambda: handle.done == [1])
        assert 17.0 in waits
        assert len(waits) == 4


async def test_a_token_that_is_not_known_any_more_ends_it() -> None:
    source = Source([])
    source.trouble = [InvalidToken("no")]
    async with polling(source, Handler()) as (task, _):
        with pytest.raises(InvalidToken):
            await task


def test_queues_are_chats_cards_and_people() -> None:
    assert queue_of(said(1, chat=-5)) == "-5"
    press = {"id": "q", "from": {"id": 3}, "message": {"chat": {"id": -5}}}
    assert queue_of({"update_id": 1, "callback_query": press}) == "-5"
    card = {"id": "q", "from": {"id": 3}, "inline_message_id": "abc"}
    assert queue_of({"update_id": 1, "callback_query": card}) == "inline:abc"
    assert queue_of({"update_id": 1, "inline_query": {"from": {"id": 3}}}) == "3"
    assert queue_of({"update_id": 1, "my_chat_member": {"chat": {"id": -7}, "from": {"id": 3}}}) == "-7"
    assert queue_of({"update_id": 1}) == ""
