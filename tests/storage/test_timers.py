"""Timers: none early, each lent to one worker at a time, none lost. On every store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from play.ports import Timer
from storage.ports import DueTimer, FullStore
from tests.support.matches import OPENED, ids, running
from tests.support.storing import put

SECOND = timedelta(seconds=1)
FLAG = Timer("flag", OPENED + 10 * SECOND)
REMIND = Timer("remind", OPENED + 5 * SECOND)


def at(seconds: float) -> object:
    return OPENED + seconds * SECOND


async def due(store: FullStore, seconds: float, lease: float = 100, limit: int = 100) -> Sequence[DueTimer]:
    return await store.timers.due(OPENED + seconds * SECOND, OPENED + lease * SECOND, limit)


def names(found: Sequence[DueTimer]) -> list[tuple[str, str]]:
    return [(each.match_id, each.timer.name) for each in found]


async def test_nothing_is_early(store: FullStore) -> None:
    await put(store, running(), 0, timers=[FLAG, REMIND])
    assert not await due(store, 4.999999)
    assert [each.timer for each in await due(store, 5)] == [REMIND]
    assert not await due(store, 9.999999)
    assert [each.timer for each in await due(store, 10)] == [FLAG]


async def test_the_earliest_come_first_and_not_too_many(store: FullStore) -> None:
    expected = []
    for number, match_id in enumerate(ids(30)):
        timer = Timer("flag", OPENED + (number * 7 % 30) * SECOND)
        expected.append((timer.at, match_id))
        await put(store, running(match_id), 0, timers=[timer])
    expected.sort()
    first = await due(store, 29, limit=12)
    assert [(each.timer.at, each.match_id) for each in first] == expected[:12]
    rest = await due(store, 29)
    assert [(each.timer.at, each.match_id) for each in rest] == expected[12:]


async def test_what_is_lent_comes_again_when_the_lease_is_over(store: FullStore) -> None:
    await put(store, running(), 0, timers=[FLAG])
    (one,) = await due(store, 10, lease=60)
    assert one == DueTimer("k7q2ab", FLAG, OPENED + 60 * SECOND)
    assert not await due(store, 59.999999, lease=200)
    assert await due(store, 60, lease=200) == (DueTimer("k7q2ab", FLAG, OPENED + 200 * SECOND),)
    await store.timers.settle(one)  # too late: another worker has it now
    assert names(await due(store, 200)) == [("k7q2ab", "flag")]


async def test_what_is_settled_is_gone(store: FullStore) -> None:
    await put(store, running(), 0, timers=[FLAG, REMIND])
    found = await due(store, 10)
    await store.timers.settle(found[0])
    assert names(await due(store, 1000, 2000)) == [("k7q2ab", "flag")]
    await store.timers.settle(found[0])
    await store.timers.settle(found[1])
    assert names(await due(store, 3000)) == [("k7q2ab", "flag")]


@pytest.mark.parametrize("again", [FLAG, Timer("flag", OPENED + 50 * SECOND)], ids=["the same", "later"])
async def test_what_was_set_anew_is_not_settled(store: FullStore, again: Timer) -> None:
    await put(store, running(), 0, timers=[FLAG])
    (lent,) = await due(store, 10)
    await put(store, running(), 1, timers=[again])
    await store.timers.settle(lent)
    assert [each.timer for each in await due(store, 50)] == [again]


async def test_a_commit_replaces_all_timers_of_its_match(store: FullStore) -> None:
    await put(store, running("aaaaaa"), 0, timers=[FLAG, REMIND])
    await put(store, running("bbbbbb"), 0, timers=[FLAG])
    await put(store, running("aaaaaa"), 1, timers=[Timer("close", OPENED)])
    assert names(await due(store, 1000)) == [("aaaaaa", "close"), ("bbbbbb", "flag")]
    await put(store, running("bbbbbb"), 1)
    assert names(await due(store, 5000, 9000)) == [("aaaaaa", "close")]


async def test_a_commit_that_is_refused_leaves_them(store: FullStore) -> None:
    await put(store, running(), 0, timers=[FLAG])
    with pytest.raises(Exception, match="stale"):
        await put(store, running(), 0)
    assert names(await due(store, 10)) == [("k7q2ab", "flag")]


async def test_workers_do_not_get_the_same(store: FullStore) -> None:
    for match_id in ids(60):
        await put(store, running(match_id), 0, timers=[FLAG, REMIND])
    found = await asyncio.gather(*(due(store, 10, limit=50) for _ in range(8)))
    everything = [name for each in found for name in names(each)]
    assert len(everything) == len(set(everything))
    everything += names(await due(store, 10, limit=1000))
    assert sorted(everything) == sorted(
        (match_id, name) for match_id in ids(60) for name in ("flag", "remind")
    )


async def test_moments_far_away_are_kept_exactly(store: FullStore) -> None:
    far = Timer("close", OPENED.replace(year=9998, microsecond=1))
    await put(store, running(), 0, timers=[far])
    assert not await due(store, 10)
    found = await store.timers.due(far.at, far.at + SECOND, 5)
    assert [each.timer for each in found] == [far]


@pytest.mark.parametrize(
    "timer", [Timer("a b", OPENED), Timer("", OPENED), Timer("flag", OPENED.replace(tzinfo=None))]
)
async def test_what_is_no_timer(store: FullStore, timer: Timer) -> None:
    with pytest.raises(ValueError, match=r"no timer's name|without a zone"):
        await put(store, running(), 0, timers=[timer])
    assert not await due(store, 10**9)


async def test_the_store_s_own_time_goes_on(store: FullStore) -> None:
    first = await store.now()
    assert first.utcoffset() == timedelta()
    assert first <= await store.now() <= first + timedelta(minutes=1)


async def test_timers_of_a_name_are_hastened_by_turns(store: FullStore) -> None:
    second, third, fourth = ids(3)
    await put(store, running(), 0, timers=[FLAG, REMIND])
    for match_id, seconds in ((third, 40), (second, 30), (fourth, 3)):
        await put(store, running(match_id), 0, timers=[Timer("flag", OPENED + seconds * SECOND)])
    await store.timers.hasten("flag", OPENED + SECOND, SECOND)
    assert not await due(store, 0.999999)
    assert names(await due(store, 2)) == [(fourth, "flag"), ("k7q2ab", "flag")]
    assert names(await due(store, 3)) == [(second, "flag")]
    (last,) = await due(store, 4, lease=60)
    assert last == DueTimer(third, Timer("flag", OPENED + 40 * SECOND), OPENED + 60 * SECOND)
    assert [each.timer for each in await due(store, 50)] == [REMIND]


async def test_no_timer_gets_later_by_being_hastened(store: FullStore) -> None:
    await put(store, running(), 0, timers=[FLAG])
    await store.timers.hasten("flag", OPENED + 20 * SECOND, SECOND)
    assert names(await due(store, 10)) == [("k7q2ab", "flag")]


async def test_a_lease_ends_in_time_though_the_clock_was_set_back(store: FullStore) -> None:
    await put(store, running(), 0, timers=[FLAG, REMIND])
    leased = await due(store, 90_000, lease=90_030)
    assert len(leased) == 2
    await store.timers.settle(leased[0])
    await store.timers.bound(OPENED + 60 * SECOND)
    assert not await due(store, 59.999999, lease=200)
    assert names(await due(store, 60, lease=200)) == [("k7q2ab", leased[1].timer.name)]
    await store.timers.bound(OPENED + 300 * SECOND)
    assert await due(store, 200, lease=230), "none gets later"


async def test_a_timer_that_is_set_aside_is_due_again_when_it_is_put_back(store: FullStore) -> None:
    await put(store, running(), 0, timers=[FLAG])
    (one,) = await due(store, 10)
    for _ in range(2):
        await store.timers.set_aside(one, "ValueError: no board")
    assert not await due(store, 1000, lease=2000)
    aside = (await store.aside.all())[-1]
    assert (aside.stream, aside.about, aside.reason) == ("timers", "k7q2ab flag", "ValueError: no board")
    assert await store.aside.replay(aside.id)
    (again,) = await due(store, 10)
    assert again == one
    await store.timers.settle(again)
    assert not await due(store, 1000, lease=2000)
