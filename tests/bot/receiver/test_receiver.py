"""The receiver: each accepted update is handled once, also when processes end and the store is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

import pytest

from bot.chat.receiving import Entrance, Gate, Receiver, Rest
from bot.chat.receiving.receiver import PATIENCE
from bot.chat.sending.ports import Transient
from play.errors import Unavailable
from storage.ports import Received, Update
from tests.support.memory import MemoryStore
from tests.support.memory.inbox import MemoryInbox, ReceivedUpdates


def said(*ids: int, chat: str = "hall", person: str = "ann") -> list[Update]:
    return [Update(str(number), chat, person, b"") for number in ids]


class Handler:
    """Remembers what it handled; while `away`, the store does not answer."""

    def __init__(self, away: int = 0) -> None:
        self.done: list[str] = []
        self.refused: list[str] = []
        self.away = away
        self.begun = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, update: Update, last: bool) -> Rest:
        self.begun.set()
        await self.gate.wait()
        if self.away:
            self.away -= 1
            if last:
                self.refused.append(update.id)
                return None
            raise Unavailable
        self.done.append(update.id)
        return None


async def _at_once(_seconds: float) -> None:
    await asyncio.sleep(0)


@asynccontextmanager
async def receiving(inbox: MemoryInbox, handler: Handler) -> AsyncIterator[Receiver]:
    receiver = Receiver(inbox, handler, sleep=_at_once)
    task = asyncio.create_task(receiver.run())
    try:
        yield receiver
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_an_update_is_handled_once_however_often_it_is_delivered() -> None:
    handler = Handler()
    async with receiving(MemoryStore().inbox("toy"), handler) as receiver:
        await receiver.accept(said(1, 2))
        await receiver.settled()
        await receiver.accept(said(2, 3, 3))
        await receiver.settled()
    assert handler.done == ["1", "2", "3"]


async def test_what_was_not_handled_is_handled_by_the_next_process() -> None:
    store, first, second = MemoryStore(), Handler(), Handler()
    first.gate.clear()
    async with receiving(store.inbox("toy"), first) as receiver:
        await receiver.accept(said(1, 2, 3))
        await asyncio.sleep(0)
    async with receiving(store.inbox("toy"), second) as receiver:
        await receiver.settled()
    assert (first.done, second.done) == ([], ["1", "2", "3"])


async def test_what_was_begun_is_finished_and_the_rest_left_to_others() -> None:
    store, first, second = MemoryStore(), Handler(), Handler()
    first.gate.clear()
    async with receiving(store.inbox("toy"), first) as receiver:
        await receiver.accept(said(1, 2, 3))
        await first.begun.wait()
        finishing = asyncio.create_task(receiver.finish())
        await asyncio.sleep(0)  # it begins
        await receiver.accept(said(4))
        assert not finishing.done()
        first.gate.set()
        await finishing
    async with receiving(store.inbox("toy"), second) as receiver:
        await receiver.settled()
    assert (first.done, second.done) == (["1"], ["2", "3", "4"])


@pytest.mark.parametrize("away", [1, PATIENCE - 1, PATIENCE])
async def test_an_update_waits_for_the_store(away: int) -> None:
    handler = Handler(away)
    async with receiving(MemoryStore().inbox("toy"), handler) as receiver:
        await receiver.accept(said(1, 2))
        await receiver.settled()
    assert (handler.done, handler.refused) == ((["1", "2"], []) if away < PATIENCE else (["2"], ["1"]))


class Failing(Handler):
    """Fails with update 1, as it is handled or as its answer is shown."""

    def __init__(self, error: Exception, *, shown: bool) -> None:
        super().__init__()
        self.error = error
        self.shown = shown
        self.tried = 0

    async def __call__(self, update: Update, last: bool) -> Rest:
        if update.id != "1":
            return await super().__call__(update, last)
        if self.shown:
            return self.fail()
        await self.fail()
        return None

    async def fail(self) -> None:
        self.tried += 1
        raise self.error


@pytest.mark.parametrize("shown", [False, True])
async def test_what_cannot_be_handled_is_set_aside_and_the_next_goes_on(shown: bool) -> None:
    store, handler = MemoryStore(), Failing(KeyError("chat"), shown=shown)
    async with receiving(store.inbox("toy"), handler) as receiver:
        await receiver.accept(said(1, 2))
        await receiver.settled()
        assert (handler.tried, handler.done) == (3, ["2"])
        (aside,) = await store.aside.all()
        assert (aside.stream, aside.about, aside.reason) == ("in:toy", "hall", "KeyError: 'chat'")
        handler.tried = 2
        await store.aside.replay(aside.id)
        handler.error = OSError()
        await receiver.settled()
    assert not await store.aside.all()


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize("error", [OSError("no network"), Transient()])
async def test_a_platform_that_fails_is_no_failure_of_an_update(error: Exception, shown: bool) -> None:
    store, handler = MemoryStore(), Failing(error, shown=shown)
    async with receiving(store.inbox("toy"), handler) as receiver:
        await receiver.accept(said(1, 2))
        await receiver.settled()
    assert (handler.tried, handler.done) == (1, ["2"])
    assert not await store.aside.all()


async def test_an_update_whose_cost_cannot_be_read_does_not_stop_the_others() -> None:
    def cost(update: Update) -> None:
        raise KeyError(update.id)

    async def refuse(_update: Update) -> Rest:
        return None

    store, handler = MemoryStore(), Handler()
    entrance = Entrance(Gate("toy", store.bucket(), lambda: datetime.now(UTC)), cost, refuse)
    receiver = Receiver(store.inbox("toy"), handler, entrance, sleep=_at_once)
    task = asyncio.create_task(receiver.run())
    await receiver.accept(said(1, 2))
    await receiver.settled()
    task.cancel()
    await asyncio.wait((task,))
    assert handler.done == ["1", "2"]


class Shaky(MemoryInbox):
    """An inbox whose store is away for some calls."""

    def __init__(self) -> None:
        super().__init__(ReceivedUpdates())
        self.away = 0

    def _stumble(self) -> None:
        if self.away:
            self.away -= 1
            raise Unavailable

    async def read(self, limit: int, done: Sequence[Received] = ()) -> Sequence[Received]:
        self._stumble()
        return await super().read(limit, done)

    async def done(self, received: Sequence[Received]) -> None:
        self._stumble()
        await super().done(received)


@pytest.mark.parametrize("away", [1, 2, 3, 7])
async def test_a_store_that_is_away_loses_nothing(away: int) -> None:
    handler, inbox = Handler(), Shaky()
    async with receiving(inbox, handler) as receiver:
        await receiver.accept(said(1))
        inbox.away = away
        await receiver.accept(said(2, 3))
        await receiver.settled()
    assert handler.done == ["1", "2", "3"]


async def test_many_updates_of_one_person_delay_another_by_a_few() -> None:
    handler, store = Handler(), MemoryStore()
    await store.inbox("toy").accept([*said(*range(200)), *said(1000, person="bob")])
    async with receiving(store.inbox("toy"), handler) as receiver:
        await receiver.settled()
    assert len(handler.done) == 201
    assert handler.done.index("1000") <= 6
