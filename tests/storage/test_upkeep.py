"""What was chosen, when the bot ran, and timers. On every store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.asyncio import Redis

from play.facts import Joined
from play.people import Account
from play.ports import Operation, Timer
from play.settings import DailyPuzzle, PlannedVacation, QuietHours, Settings, Vacation
from play.time.clock import Outage
from rules.core import Seat
from storage import RedisStore, keys
from storage.client.connection import Script
from storage.ports import DueTimer, FullStore
from storage.records.codec import decode_settings, encode_settings
from tests.support.matches import ANIA, BOB, HALL, OPENED, ids, lobby, running
from tests.support.stores import put, set_settings
from tests.support.waiting import LIMIT

# What was chosen, and when the bot ran. On every store.


HOUR = timedelta(hours=1)
CHOSEN = Settings(
    language="uk",
    reminders=(25, 5),
    quiet=QuietHours(time(22, 30), time(7), "Europe/Kyiv"),
    heads_up=True,
    vacation=Vacation(
        2026,
        timedelta(days=3, microseconds=1),
        OPENED,
        OPENED + 5 * HOUR,
        plan=PlannedVacation(OPENED + 90 * HOUR, OPENED + 99 * HOUR, 2027, "Europe/Kyiv"),
    ),
    active=OPENED,
    puzzle=DailyPuzzle(time(9), "Europe/Kyiv"),
)


async def test_settings(store: FullStore) -> None:
    assert await store.settings.get(HALL) == Settings()
    await set_settings(store, HALL, CHOSEN)
    await set_settings(store, ANIA.account, Settings(language="ru"))
    await set_settings(store, ANIA.account, Settings(reminders=()))
    assert await store.settings.get(HALL) == CHOSEN
    assert await store.settings.get(ANIA.account) == Settings(reminders=())
    assert await store.settings.get(BOB.account) == Settings()
    assert await store.settings.get(Account(HALL.platform, HALL.place)) == Settings()


async def test_changes_at_the_same_time_are_all_kept(store: FullStore) -> None:
    """Ten people change ten things of one place at once, again and again."""
    shares = range(1, 41)

    async def add(share: int) -> None:
        await store.settings.change(HALL, lambda now: replace(now, reminders=(*now.reminders, share)))

    await set_settings(store, HALL, Settings(reminders=()))
    await asyncio.gather(*map(add, shares))
    kept = await store.settings.change(HALL, lambda now: replace(now, heads_up=True))
    assert sorted(kept.reminders) == list(shares)
    assert await store.settings.get(HALL) == kept


async def test_a_change_outlives_a_lost_answer(redis_client: Redis) -> None:
    """The same step taken twice is taken once: the second finds its own value."""
    line = RedisStore(redis_client, patience=LIMIT).connection
    assert await line.run(Script("swap"), ["klop:x"], [b"", b"new"]) == 1
    assert await line.run(Script("swap"), ["klop:x"], [b"", b"new"]) == 1
    assert await line.run(Script("swap"), ["klop:x"], [b"", b"newer"]) == 0


@given(st.builds(Settings, active=st.none() | st.datetimes(timezones=st.just(UTC))))
def test_settings_of_every_sort_come_back(settings: Settings) -> None:
    assert decode_settings(encode_settings(settings)) == settings


@pytest.mark.parametrize("stored", [b"", b"\x01", b"\x02\x80", b"\x01\xc1", b"\x01\x81\xa8language\x05"])
async def test_settings_that_cannot_be_read_are_as_if_nothing_was_chosen(
    redis_client: Redis, stored: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    await redis_client.set(keys.settings_key(HALL), stored)
    assert await RedisStore(redis_client, patience=LIMIT).settings.get(HALL) == Settings()
    assert "cannot be read" in caplog.text


def test_settings_of_a_version_with_more_fields_are_read() -> None:
    assert decode_settings(b"\x01\x82\xa8language\xa2uk\xa6colour\xa3red") == Settings(language="uk")


async def test_the_last_beat(store: FullStore) -> None:
    assert await store.uptime.last_beat() is None
    await store.uptime.beat(OPENED)
    await store.uptime.beat(OPENED - HOUR)
    assert await store.uptime.last_beat() == OPENED
    await store.uptime.beat(OPENED + timedelta(microseconds=1))
    assert await store.uptime.last_beat() == OPENED + timedelta(microseconds=1)


def out(start: int, end: int) -> Outage:
    return Outage(OPENED + start * HOUR, OPENED + end * HOUR)


async def test_outages(store: FullStore) -> None:
    assert not list(await store.uptime.outages(OPENED))
    for outage in (out(10, 12), out(1, 2), out(10, 12), out(11, 13), out(13, 14), out(20, 21)):
        await store.uptime.add_outage(outage)
    assert list(await store.uptime.outages(OPENED)) == [out(1, 2), out(10, 14), out(20, 21)]
    assert list(await store.uptime.outages(OPENED + 2 * HOUR)) == [out(10, 14), out(20, 21)]
    assert list(await store.uptime.outages(OPENED + 13 * HOUR)) == [out(10, 14), out(20, 21)]
    assert not list(await store.uptime.outages(OPENED + 21 * HOUR))


async def test_uptime_is_bounded_by_a_clock_that_was_set_back(store: FullStore) -> None:
    await store.uptime.bound(OPENED)
    assert await store.uptime.last_beat() is None
    await store.uptime.beat(OPENED + 40 * HOUR)
    for outage in (out(1, 2), out(3, 40), out(41, 42)):
        await store.uptime.add_outage(outage)
    for _ in range(2):
        await store.uptime.bound(OPENED + 4 * HOUR)
        assert await store.uptime.last_beat() == OPENED + 4 * HOUR
        assert list(await store.uptime.outages(OPENED)) == [out(1, 2), out(3, 4)]
    await store.uptime.bound(OPENED + 9 * HOUR)
    assert await store.uptime.last_beat() == OPENED + 4 * HOUR


async def test_notes(store: FullStore) -> None:
    assert list(await store.notes.read()) == []
    await store.notes.write("shop:key", "під килимком")
    await store.notes.write("shop:{17}:key*", "")
    assert list(await store.notes.read("shop:key", "no", "shop:{17}:key*")) == ["під килимком", None, ""]
    await store.notes.write("shop:key", "in the pot", keep=HOUR)
    assert not await store.notes.write_once("shop:key", "lost")
    assert await store.notes.write_once("bell", "rung")
    assert not await store.notes.write_once("bell", "rung")
    await store.notes.write("bell", None)
    assert await store.notes.write_once("bell", "rung", keep=HOUR)
    assert list(await store.notes.read("shop:key", "bell")) == ["in the pot", "rung"]


async def test_changes_of_a_note_at_the_same_time_are_all_kept(store: FullStore) -> None:
    shares = sorted(map(str, range(40)))

    async def add(share: str) -> None:
        await store.notes.change("cups", lambda now: f"{now or ''} {share}")

    await asyncio.gather(*map(add, shares))
    (kept,) = await store.notes.read("cups")
    assert sorted((kept or "").split()) == shares
    assert await store.notes.change("cups", lambda now: str(now == kept)) == "True"


async def test_a_lease_is_one_holders_until_it_is_released_or_runs_out(store: FullStore) -> None:
    held = await store.notes.hold("turn", keep=HOUR)
    assert held is not None
    assert await store.notes.hold("turn", keep=HOUR) is None
    await store.notes.write("turn", held, keep=HOUR)
    assert await store.notes.hold("turn", keep=HOUR) is None
    await store.notes.write("turn", None)
    again = await store.notes.hold("turn", keep=HOUR)
    assert again not in (None, held)


async def test_a_lease_from_before_the_clock_was_set_back_is_no_longer_than_it_can_be(
    redis_client: Redis,
) -> None:
    notes = RedisStore(redis_client, patience=LIMIT).notes
    assert await notes.hold("turn", keep=HOUR)
    assert await notes.write_once("swept", "", keep=HOUR)
    for name in ("turn", "swept"):
        await redis_client.expire(keys.note_key(name), 86_400)
    assert await notes.hold("turn", keep=HOUR) is None
    assert not await notes.write_once("swept", "", keep=HOUR)
    for name in ("turn", "swept"):
        assert 3500 < await redis_client.ttl(keys.note_key(name)) <= 3600


async def test_a_note_is_taken_once(store: FullStore) -> None:
    await store.notes.write("ticket", "row 7")
    taken = await asyncio.gather(*[store.notes.take("ticket") for _ in range(5)])
    assert sorted(taken, key=str) == [None] * 4 + ["row 7"]
    assert await store.notes.take("ticket") is None


async def test_notes_are_kept_as_long_as_was_said(redis_client: Redis) -> None:
    redis_store = RedisStore(redis_client, patience=LIMIT)
    await redis_store.notes.write("a", "b", keep=HOUR)
    await redis_store.notes.write_once("c", "d")
    assert 0 < int(await redis_store.connection.command("TTL", keys.note_key("a"))) <= 3600
    assert int(await redis_store.connection.command("TTL", keys.note_key("c"))) > 364 * 24 * 3600


async def test_a_shelf_keeps_texts_in_the_order_of_their_moments(store: FullStore) -> None:
    assert list(await store.timelines.read("cups")) == []
    for text, hours in (("b", 2), ("a", 1), ("ё|{17}", 2), ("c", 3), ("a", 4)):
        await store.timelines.add("cups", text, OPENED + hours * HOUR)
    await store.timelines.add("plates", "x", OPENED)
    assert list(await store.timelines.read("cups")) == ["b", "ё|{17}", "c", "a"]  # a text stands there once
    assert list(await store.timelines.read("cups", until=OPENED + 3 * HOUR)) == ["b", "ё|{17}", "c"]
    assert list(await store.timelines.read("cups", until=OPENED + HOUR)) == []
    await store.timelines.remove("cups", "c")
    await store.timelines.remove("cups", "c")
    await store.timelines.remove("saucers", "c")
    assert list(await store.timelines.read("cups")) == ["b", "ё|{17}", "a"]
    assert list(await store.timelines.read("plates")) == ["x"]
    await store.timelines.add("cups", "b", OPENED + 9 * HOUR)
    await store.timelines.cut("cups", until=OPENED + 4 * HOUR)
    assert list(await store.timelines.read("cups")) == ["b"]  # it had moved


async def test_a_shelf_holds_the_latest_and_no_more(store: FullStore) -> None:
    await asyncio.gather(
        *(store.timelines.add("cups", f"{number:02}", OPENED + number * HOUR, most=5) for number in range(20))
    )
    assert list(await store.timelines.read("cups")) == ["15", "16", "17", "18", "19"]
    await store.timelines.add("cups", "early", OPENED, most=5)
    await store.timelines.add("cups", "20", OPENED + 20 * HOUR, most=5)
    assert list(await store.timelines.read("cups")) == ["16", "17", "18", "19", "20"]


async def test_every_match_is_found(store: FullStore) -> None:
    assert [found async for found in store.matches.ids()] == []
    for match_id in ids(3):
        await put(store, running(match_id), 0)
    assert {found async for found in store.matches.ids()} == {*ids(3)}


async def test_what_is_stored_of_a_person_beside_matches_is_deleted(store: FullStore) -> None:
    await set_settings(store, ANIA.account, CHOSEN)
    await set_settings(store, BOB.account, CHOSEN)
    match = lobby("k7q2ab")
    by_ania, by_bob = Operation("by-ania", "x"), Operation("by-bob", "y")
    fact = await store.matches.commit(Joined(match, ANIA, Seat.S1), 0, operation=by_ania)
    await store.matches.commit(Joined(fact.match, BOB, Seat.S2), 1, operation=by_bob)
    await store.forget(ANIA.account)
    assert await store.settings.get(ANIA.account) == Settings()
    assert await store.settings.get(BOB.account) == CHOSEN
    assert (await store.matches.load(match.id, by_ania)).done is None
    assert (await store.matches.load(match.id, by_bob)).done is not None


async def test_what_is_set_aside_of_a_person_is_deleted_with_the_rest(redis_client: Redis) -> None:
    store = RedisStore(redis_client, patience=LIMIT)
    await store.matches.commit(Joined(lobby("k7q2ab"), ANIA, Seat.S1), 0)
    outgoing = store.outgoing()
    (sent,) = await outgoing.read(10)
    await outgoing.set_aside(sent, "ValueError: no board")
    assert not await store.traces(Account("telegram", "99887766"))
    assert "" in {trace.text for trace in await store.traces(ANIA.account) if trace.name == keys.ASIDE}
    await store.forget(ANIA.account)
    assert not await store.aside.all()


# Timers: none early, each lent to one worker at a time, none lost. On every store.


SECOND = timedelta(seconds=1)
FLAG = Timer("flag", OPENED + 10 * SECOND)
REMIND = Timer("remind", OPENED + 5 * SECOND)


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
