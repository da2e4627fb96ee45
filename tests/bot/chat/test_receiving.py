"""Receiving requests: the receiver, its lanes and its gate."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.quotas import COMMANDS, Quota
from bot.chat.receiving import Admission, Entrance, Gate, Handling, Lanes, Receiver, Rest, receiver
from bot.chat.receiving.lanes import BALLOT_LANES, IN_ORDER, MANY_AT_ONCE, SHOWN_AT_ONCE, SPARE, lane
from bot.chat.receiving.receiver import PATIENCE
from bot.chat.sending.ports import Transient
from play.errors import Unavailable
from storage.ports import Limit, Received, Update
from tests.support.memory import MemoryStore
from tests.support.memory.streams import MemoryBucket, MemoryInbox, ReceivedUpdates

# The receiver: each accepted update is handled once, also when processes end and the store is away.


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
        assert [receiver.waiting(whose) for whose in ("ann", "hall")] == [2, 0]
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


async def test_an_update_that_waits_is_said_to_wait_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    handler, told, waits = Handler(), list[str](), asyncio.Event()
    monkeypatch.setattr(receiver, "WAITS", 0)

    async def tell(update: Update) -> None:
        told.append(update.id)
        waits.set()

    receives = Receiver(
        MemoryStore().inbox("toy"), handler, waits=lambda each: tell(each) if each.id != "2" else None
    )
    running = asyncio.create_task(receives.run())
    handler.gate.clear()
    await receives.accept(said(1, 2))
    await asyncio.wait_for(waits.wait(), 10)
    handler.gate.set()
    await receives.settled()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert (told, handler.done) == (["1"], ["1", "2"])


def test_the_votes_of_a_chat_have_a_few_lanes_and_those_of_a_person_one() -> None:
    vote = CallbackData(Verb.BALLOT, "aaaaaa", 3, "B").pack()
    lanes = {person: lane("hall", person, vote) for person in map(str, range(100))}
    assert len({*lanes.values()}) == BALLOT_LANES
    assert "hall" not in lanes.values()
    assert lane("hall", "7", CallbackData(Verb.BALLOT, "aaaaaa", 3, "A").pack()) == lanes["7"]
    others = CallbackData(Verb.MOVE, "aaaaaa", 3).pack(), None, 7
    assert {lane("hall", "7", other) for other in others} == {"hall"}


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


# Lanes: each chat in order, no one delayed by the many requests of another, and no wait for answers.


class LaneHandler:
    """Remembers the order in which requests were begun; those named wait until they are let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.going: dict[str, int] = defaultdict(int)
        self.most = 0

    def put(self, lanes: Lanes, person: str, chat: str, name: str, *, waits: bool = False) -> Handling:
        if waits:
            self.gates[name] = asyncio.Event()

        async def handle() -> None:
            self.begun.append(name)
            self.going[chat] += 1
            self.most = max(self.most, self.going[chat])
            await asyncio.sleep(0)
            if name in self.gates:
                await self.gates[name].wait()
            self.going[chat] -= 1

        request = Handling(person, chat, handle)
        lanes.put(request)
        return request


async def test_many_requests_of_one_person_delay_those_of_others_by_a_few() -> None:
    lanes, handler = Lanes(), LaneHandler()
    for number in range(100):
        handler.put(lanes, "ann", "hall", f"a{number}")
    for number in range(3):
        handler.put(lanes, "bob", "hall", f"b{number}")
    await lanes.settled()
    assert handler.begun[:9] == ["a0", "a1", "a2", "a3", "a4", "a5", "b0", "b1", "b2"]  # a0 had begun
    assert len(handler.begun) == 103


async def test_one_chat_does_not_wait_for_another() -> None:
    lanes, handler = Lanes(), LaneHandler()
    handler.put(lanes, "ann", "hall", "slow", waits=True)
    handler.put(lanes, "bob", "hall", "b0")
    last = handler.put(lanes, "ann", "cellar", "a1")
    await last.done
    assert handler.begun == ["slow", "a1"]
    handler.gates["slow"].set()
    await lanes.settled()
    assert handler.begun[2:] == ["b0"]


async def test_all_people_with_many_requests_take_few_lanes() -> None:
    lanes, handler = Lanes(), LaneHandler()
    for person in range(3 * MANY_AT_ONCE):
        for number in range(3 * IN_ORDER):
            handler.put(lanes, f"p{person}", f"chat {person}", f"{person}:{number}", waits=True)
    for each in range(3 * MANY_AT_ONCE):  # which began before there were many
        handler.gates[f"{each}:0"].set()
    for _ in range(5):
        await asyncio.sleep(0)
    under_way = sum(handler.going.values())
    assert under_way == MANY_AT_ONCE
    handler.put(lanes, "bob", "cellar", "bob", waits=True)
    for name in [name for name in handler.begun if name.endswith(":1")]:
        handler.gates[name].set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert "bob" in handler.begun
    assert sum(handler.going.values()) == 2  # bob's, and one of theirs
    for gate in handler.gates.values():
        gate.set()
    await lanes.settled()
    assert len(handler.begun) == 9 * MANY_AT_ONCE * IN_ORDER + 1


async def test_an_answer_that_takes_long_holds_nothing_up() -> None:
    lanes, shown, gate = Lanes(), [], asyncio.Event()

    async def show() -> None:
        await gate.wait()
        shown.append("first")

    async def handle() -> Rest:
        return show()

    first = Handling("ann", "hall", handle)
    lanes.put(first)
    second = LaneHandler().put(lanes, "ann", "hall", "second")
    await second.done
    assert not first.done.done()
    gate.set()
    await first.done
    assert shown == ["first"]


async def test_a_person_with_many_answers_to_be_shown_waits_and_no_one_else_does() -> None:
    lanes, gate, handler = Lanes(), asyncio.Event(), LaneHandler()

    async def show() -> None:
        await gate.wait()

    async def handle() -> Rest:
        handler.begun.append("ann")
        return show()

    for _ in range(SHOWN_AT_ONCE + 10):
        lanes.put(Handling("ann", "hall", handle))
    bobs = [handler.put(lanes, "bob", "hall", "bob") for _ in range(30)]
    await bobs[-1].done
    assert handler.begun.count("ann") == SHOWN_AT_ONCE
    gate.set()
    await lanes.settled()
    assert handler.begun.count("ann") == SHOWN_AT_ONCE + 10


async def test_a_request_that_fails_stops_no_other() -> None:
    async def broken() -> None:
        raise ValueError("a bug")

    async def hangs() -> None:
        await asyncio.Event().wait()

    lanes, handler = Lanes(longest=0.01), LaneHandler()
    for handle in (broken, hangs):
        lanes.put(Handling("ann", "hall", handle))
    await handler.put(lanes, "ann", "hall", "next").done
    assert handler.begun == ["next"]


async def test_what_is_not_done_when_lanes_close_stays_undone() -> None:
    lanes, handler = Lanes(), LaneHandler()
    going = handler.put(lanes, "ann", "hall", "going", waits=True)
    waiting = handler.put(lanes, "bob", "hall", "waiting")
    await asyncio.sleep(0)
    await lanes.close()
    assert not going.done.done()
    assert waiting.done.cancelled()


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), max_size=60), st.integers(1, 4))
async def test_requests_keep_their_order(asked: list[tuple[str, str]], most: int) -> None:
    """Those of a person in a chat always; those of a chat among people who do not ask much."""
    lanes, handler = Lanes(most=most), LaneHandler()
    for number, (person, chat) in enumerate(asked):
        handler.put(lanes, person, chat, f"{person}{chat}{number:02}")
    await lanes.settled()
    assert len(handler.begun) == len(asked)
    assert handler.most <= 1
    for chat in "xyz":
        there = [name for name in handler.begun if name[1] == chat]
        for person in "abcd":
            mine = [name for name in there if name[0] == person]
            assert mine == sorted(mine)
        if max(Counter(name[0] for name in there).values(), default=0) <= IN_ORDER:
            assert there == sorted(there, key=lambda name: name[2:])


# The gate: beyond a quota all is dropped with one notice; what has no quota never is.


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
FEW = Quota("few", 3, timedelta(minutes=1), COMMANDS.reason)


class Asked(MemoryBucket):
    """A bucket that counts how often it is asked."""

    def __init__(self, *, away: bool = False) -> None:
        super().__init__({})
        self.asked = 0
        self.away = away

    async def take(self, limit: Limit, at: datetime | None = None) -> float:
        self.asked += 1
        if self.away:
            raise Unavailable
        return await super().take(limit, at)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


async def test_one_notice_then_nothing_until_the_window_allows_again() -> None:
    bucket, clock = Asked(), Clock()
    gate = Gate("toy", bucket, clock)
    entries = [await gate.enter("ann", FEW) for _ in range(100)]
    assert entries == [Admission.ADMITTED] * 3 + [Admission.REFUSED] + [Admission.DROPPED] * 96
    assert bucket.asked == 5  # four tries and one notice
    assert gate.closed("ann", FEW)
    assert not gate.closed("bob", FEW)
    assert await gate.enter("bob", FEW) is Admission.ADMITTED
    clock.now += Gate.wait(FEW)
    assert await gate.enter("ann", FEW) is Admission.ADMITTED


async def test_a_clock_that_is_set_back_opens_the_gate() -> None:
    bucket, clock = Asked(), Clock()
    gate = Gate("toy", bucket, clock)
    clock.now += timedelta(days=1)
    assert [await gate.enter("ann", FEW) for _ in range(5)][3:] == [Admission.REFUSED, Admission.DROPPED]
    clock.now = NOON
    assert [await gate.enter("ann", FEW) for _ in range(5)][2:] == [
        Admission.ADMITTED,
        Admission.REFUSED,
        Admission.DROPPED,
    ]


async def test_while_too_many_wait_nothing_more_is_taken_in() -> None:
    clock = Clock()
    gate, most = Gate("toy", Asked(), clock), FEW.limit + SPARE
    assert gate.takes("ann", FEW, most - 1)
    assert not gate.takes("ann", FEW, most)
    assert not gate.takes("ann", FEW, 0)
    assert gate.takes("ann", None, most)
    assert gate.takes("bob", FEW, 0)
    assert (
        await gate.enter("ann", FEW) is Admission.ADMITTED
    )  # what waits is answered as far as the quota goes
    clock.now += Gate.wait(FEW)
    assert gate.takes("ann", FEW, 0)


async def test_without_a_store_all_passes() -> None:
    gate = Gate("toy", Asked(away=True), Clock())
    assert {await gate.enter("ann", FEW) for _ in range(20)} == {Admission.ADMITTED}


@given(st.lists(st.tuples(st.sampled_from(["ann", "bob"]), st.booleans()), max_size=80))
async def test_a_flood_never_drops_a_move(sent: list[tuple[str, bool]]) -> None:
    """Moves are all handled, in their order; of the rest a person's first few, and one notice."""
    handled: list[Update] = []
    told: list[str] = []

    async def handle(update: Update, _last: bool) -> Rest:
        handled.append(update)
        return None

    async def refuse(update: Update) -> Rest:
        told.append(update.person)
        return None

    gate = Gate("toy", MemoryBucket({}), Clock())
    entrance = Entrance(gate, lambda update: None if update.body == b"move" else FEW, refuse)
    receiver = Receiver(MemoryStore().inbox("toy"), handle, entrance)
    running = asyncio.create_task(receiver.run())
    for number, (person, moves) in enumerate(sent):
        body = b"move" if moves else b"ask"
        await receiver.accept([Update(str(number), f"chat of {person}", person, body)])
    await receiver.settled()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    for who in ("ann", "bob"):
        mine = [update for update in handled if update.person == who]
        moved = [int(update.id) for update in mine if update.body == b"move"]
        assert moved == [number for number, each in enumerate(sent) if each == (who, True)]
        asked = sent.count((who, False))
        assert len(mine) - len(moved) == min(asked, FEW.limit)
        assert told.count(who) == (asked > FEW.limit)
