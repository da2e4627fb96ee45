"""The gate: beyond a quota all is dropped with one notice; what has no quota never is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.chat.quotas import COMMANDS, COMPLETIONS, Quota
from bot.chat.receiving import Admission, Entrance, Gate, Receiver, Rest
from bot.chat.receiving.lanes import SPARE
from play.errors import Unavailable
from storage.ports import Limit, Update
from tests.support.memory import MemoryStore
from tests.support.memory.inbox import MemoryInbox, ReceivedUpdates
from tests.support.memory.outgoing import MemoryBucket

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


async def test_what_is_too_much_is_not_even_stored() -> None:
    """Of a flood that is handled slowly no more is stored than may wait."""
    gone = asyncio.Event()
    accepted: list[object] = []

    async def handle(update: Update, _last: bool) -> Rest:
        await gone.wait()
        return None

    async def refuse(update: Update) -> Rest:
        accepted.append("refused")
        return None

    class Inbox(MemoryInbox):
        async def accept(self, updates: Sequence[Update]) -> None:
            accepted.extend(updates)
            await super().accept(updates)

    entrance = Entrance(Gate("toy", MemoryBucket({}), Clock()), lambda update: FEW, refuse)
    receiver = Receiver(Inbox(ReceivedUpdates()), handle, entrance)
    running = asyncio.create_task(receiver.run())
    for number in range(100):
        await receiver.accept([Update(str(number), "chat", "ann", b"")])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert len(accepted) <= FEW.limit + SPARE + 3  # some are read later than they are stored
    gone.set()
    await receiver.settled()
    assert accepted.count("refused") == 1
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_processes_share_the_quota_and_the_notice() -> None:
    bucket, clock = Asked(), Clock()
    gates = [Gate("toy", bucket, clock) for _ in range(3)]
    entries = [await gate.enter("ann", FEW) for _ in range(4) for gate in gates]
    assert entries.count(Admission.ADMITTED) == 3
    assert entries.count(Admission.REFUSED) == 1


async def test_completions_are_dropped_without_a_word() -> None:
    gate = Gate("toy", Asked(), Clock())
    entries = {await gate.enter("ann", COMPLETIONS) for _ in range(COMPLETIONS.limit + 5)}
    assert entries == {Admission.ADMITTED, Admission.DROPPED}


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
