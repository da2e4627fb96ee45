"""The clockwork: every timer once and none early, with processes killed; no clock counts an outage."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.chat.clockwork import APART, DOWN, Clockwork
from bot.chat.periodic import StoreClock
from play import facts
from play.actions.seating import Join
from play.errors import Unavailable
from play.facts import Fact
from play.opening import Challenge
from play.people import Account, Address, Player
from play.request import Request
from play.table import Table
from play.time.clock import Outage
from storage.ports import DueTimer
from tests.bot.world import Counted
from tests.support.memory import MemoryStore
from tests.support.memory.store import MemoryMatches, MemoryTimers
from tests.support.waiting import START, moment, now, play
from tests.toy import notches

ANN = Player(Account("toy", "ann"), "Ann")
BOB = Player(Account("toy", "bob"), "Bob")
HALL = Address("toy", "hall")
HOUR = timedelta(hours=1)


class Store(MemoryStore):
    """A store in memory on virtual time, which can be out of reach, and which remembers what was told when."""

    def __init__(self, luck: random.Random | None = None, trouble: float = 0.0) -> None:
        super().__init__(now)
        self.luck = luck or random.Random(0)
        self.trouble = trouble
        self.reachable = True
        self.told: list[tuple[Any, Fact]] = []
        self.timers = timers = Timers()
        self.matches = matches = Matches(now, timers, self.outbox)
        timers.store = matches.store = self

    async def stumble(self) -> None:
        await asyncio.sleep(self.luck.random() * 0.01)
        if not self.reachable or self.luck.random() < self.trouble:
            raise Unavailable

    async def now(self) -> Any:
        await self.stumble()
        return await super().now()


class Matches(MemoryMatches):
    """Matches of such a store."""

    store: Store

    async def commit(self, fact: Fact, expected: int, **more: Any) -> Fact:
        await self.store.stumble()
        committed = await super().commit(fact, expected, **more)
        told = self.store.told
        if committed.match.revision == expected + 1 and committed not in [fact for _, fact in told]:
            told.append((now(), committed))
        await self.store.stumble()
        return committed


class Timers(MemoryTimers):
    """Timers of such a store."""

    store: Store

    async def due(self, *args: Any) -> Any:
        await self.store.stumble()
        found = await super().due(*args)
        await self.store.stumble()
        return found

    async def settle(self, due: DueTimer) -> None:
        await self.store.stumble()
        await super().settle(due)


def table_of(store: Store, chance: Counted | None = None) -> Table:
    return Table(store, {notches.GAME.key: notches.GAME}, chance or Counted())


async def begun(table: Table, clock: str | None = "3h") -> str:
    """A match under way, the first seat on turn."""
    challenge = await table.open(
        Challenge(HALL, notches.GAME.key, {"players": "2"}, clock=clock), Request(ANN, await moment())
    )
    await table.act(challenge.match.id, Join(), Request(BOB, await moment()))
    return challenge.match.id


def happened(store: Store, kind: type[Fact]) -> list[Any]:
    return [at for at, fact in store.told if isinstance(fact, kind)]


async def working(store: Store, table: Table, hours: float) -> None:
    running = asyncio.create_task(Clockwork(table, store, look=30).run())
    await asyncio.sleep(hours * 3600)
    running.cancel()
    await asyncio.wait((running,))


@pytest.mark.parametrize("runs", [False, True])
def test_no_clock_counts_the_hours_in_which_nothing_ran_or_the_store_was_out_of_reach(runs: bool) -> None:
    async def day() -> None:
        store = Store()
        await begun(table_of(store))
        workers = [asyncio.create_task(working(store, table_of(store), 16 if runs else 1)) for _ in "ab"]
        await asyncio.sleep(3600)
        store.reachable = not runs
        await asyncio.sleep(10 * 3600)
        store.reachable = True
        await working(store, table_of(store), 5)
        (fell,) = happened(store, facts.Flagged)
        assert 13 * HOUR - timedelta(seconds=70) <= fell - START < 13 * HOUR + timedelta(seconds=70)
        await asyncio.gather(*workers)

    play(day())


def test_a_short_rest_is_no_outage_and_a_long_one_is_written_down_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def day() -> None:
        store = Store()
        first = Clockwork(table_of(store), store)
        assert await first.beat() is None
        await asyncio.sleep(DOWN.total_seconds() - 1)
        table = table_of(store)
        assert await Clockwork(table, store).beat() is None
        assert not table.outages
        await asyncio.sleep(7200)
        found = await asyncio.gather(*(Clockwork(table_of(store), store).beat() for _ in range(3)))
        assert any(found)
        await Clockwork(table, store).beat()
        (only,) = table.outages
        assert isinstance(only, Outage)
        assert only.end - only.start >= 2 * HOUR

    play(day())
    assert (
        not caplog.records
    )  # the terminal of the local room, whose log shows warnings, begins with no log line


def test_after_an_outage_boards_show_their_deadlines_at_once_and_by_turns() -> None:
    async def days() -> None:
        store, codes = Store(), Counted()
        table = table_of(store, codes)
        matches = [await begun(table, f"{hours}h") for hours in range(101, 150)]
        await begun(table, None)
        for _ in range(2):  # the second one also moves a deadline that has been moved
            await working(store, table, 1)
            await asyncio.sleep(5 * 3600)
            back = now()
            await Clockwork(table, store).tick()
            told = len(store.told)
            running = asyncio.create_task(Clockwork(table, store).run())
            await asyncio.sleep(6)
            running.cancel()
            late = [(at, fact.match.id) for at, fact in store.told if isinstance(fact, facts.Postponed)]
            shown = {match_id: at - back for at, match_id in late if at >= back}
            assert len(store.told) - told == len(matches) - 1, "the first tick shows the first one"
            assert shown.keys() == set(matches)
            at_a_look = timedelta(seconds=1) / APART
            assert all(abs(matches.index(one) - place) <= at_a_look for place, one in enumerate(shown))
        await working(store, table, 150)
        fell = {fact.match.id: at - START for at, fact in store.told if isinstance(fact, facts.Flagged)}
        for match_id, hours in zip(matches, range(111, 160), strict=True):
            assert timedelta(0) <= fell[match_id] - hours * HOUR < timedelta(minutes=5)

    play(days())


def test_a_clock_that_is_set_back_leaves_nothing_behind(caplog: pytest.LogCaptureFixture) -> None:
    """+40 days for a while and right again: no outage covers today, real ones are seen, turns that began meanwhile run from now."""

    async def days() -> None:
        ahead = timedelta()
        store, codes = Store(), Counted()
        store.clock = lambda: now() + ahead
        table = table_of(store, codes)
        before = await begun(table)
        clock = StoreClock(now)
        clockwork = Clockwork(table, store, clock=clock)
        await clockwork.tick()
        ahead = timedelta(days=40)
        await clockwork.tick()
        assert table.outages, "no player loses on time by a step forward"
        await clockwork.tick()
        challenge = await table.open(
            Challenge(HALL, notches.GAME.key, {"players": "2"}, clock="3h"), Request(ANN, clock())
        )
        await table.act(challenge.match.id, Join(), Request(BOB, clock()))
        await asyncio.sleep(10)
        ahead = timedelta()
        await clockwork.tick()
        assert abs(clock() - now()) < timedelta(seconds=1)
        beat = await store.uptime.last_beat()
        assert beat is not None
        assert beat <= now()
        assert all(outage.end <= now() for outage in table.outages)
        assert [record.message for record in caplog.records if "set back" in record.message], (
            "an operator is told"
        )
        await working(store, table, 1)
        await asyncio.sleep(7200)  # a real outage
        await working(store, table, 3)
        fell = {fact.match.id: at - START for at, fact in store.told if isinstance(fact, facts.Flagged)}
        assert fell.keys() == {before, challenge.match.id}
        assert all(5 * HOUR <= at < 5 * HOUR + timedelta(minutes=5) for at in fell.values())

    play(days())


def test_one_broken_match_does_not_stop_the_clocks_of_others() -> None:
    async def day() -> None:
        store = Store()
        table = table_of(store)
        broken, whole = await begun(table), await begun(table)
        act = table.act

        tried = []

        async def acting(match_id: str, *rest: Any, **more: Any) -> Fact:
            if match_id == broken:
                tried.append(rest)
                raise RuntimeError
            return await act(match_id, *rest, **more)

        table.act = acting  # type: ignore[method-assign, assignment]
        await working(store, table, 4)
        (fact,) = [fact for _, fact in store.told if isinstance(fact, facts.Flagged)]
        assert fact.match.id == whole
        aside = await store.timers.aside.all()
        assert {(each.stream, each.about.split()[0]) for each in aside} == {("timers", broken)}
        assert len(tried) == 3 * len(aside), "three tries of each, then no more"
        table.act = act  # type: ignore[method-assign]
        for each in aside:
            assert await store.timers.aside.replay(each.id)
        await working(store, table, 1)
        assert {fact.match.id for _, fact in store.told if isinstance(fact, facts.Flagged)} == {broken, whole}

    play(day())


@given(seed=st.integers(0, 2**32))
@settings(max_examples=5, deadline=None)
def test_workers_that_die_and_stores_that_fail_fire_each_timer_once_and_none_early(seed: int) -> None:
    luck = random.Random(seed)

    async def day() -> None:
        store = Store(luck)
        codes = Counted()
        hours = {await begun(table_of(store, codes), f"{n}h"): n for n in luck.choices(range(1, 5), k=12)}
        store.trouble = 0.05

        async def lives() -> None:
            while True:
                running = asyncio.create_task(Clockwork(table_of(store), store, look=30).run())
                await asyncio.sleep(luck.uniform(0.1, 120))
                running.cancel()
                await asyncio.wait((running,))

        workers = [asyncio.create_task(lives()) for _ in range(3)]
        await asyncio.sleep(5 * 3600)
        for worker in workers:
            worker.cancel()
        fell = {fact.match.id: at - START for at, fact in store.told if isinstance(fact, facts.Flagged)}
        assert len(happened(store, facts.Flagged)) == len(fell) == len(hours), "one fell twice, or never"
        for code, bound in hours.items():
            assert bound * HOUR <= fell[code] < bound * HOUR + timedelta(minutes=5)

    play(day())
