"""What was chosen, and when the bot ran. On every store."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.asyncio import Redis

from play.errors import ReusedOperation
from play.facts import Joined, LobbyOpened
from play.people import Account
from play.ports import Operation
from play.settings import DailyPuzzle, QuietHours, Settings, Vacation
from play.time.clock import Outage
from rules.core import Seat
from storage import RedisStore, keys
from storage.client.connection import Script
from storage.ports import FullStore
from storage.records.codec import decode_settings, encode_settings
from tests.support.matches import ANIA, BOB, HALL, OPENED, lobby
from tests.support.storing import set_settings
from tests.support.waiting import LIMIT

HOUR = timedelta(hours=1)
CHOSEN = Settings(
    language="uk",
    reminders=(25, 5),
    quiet=QuietHours(time(22, 30), time(7), "Europe/Kyiv"),
    heads_up=True,
    vacation=Vacation(2026, timedelta(days=3, microseconds=1), OPENED, OPENED + 5 * HOUR),
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


async def test_a_change_that_is_refused_changes_nothing(store: FullStore) -> None:
    def refuse(now: Settings) -> Settings:
        raise ReusedOperation

    await set_settings(store, HALL, CHOSEN)
    with pytest.raises(ReusedOperation):
        await store.settings.change(HALL, refuse)
    assert await store.settings.get(HALL) == CHOSEN


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


async def test_outages(store: FullStore) -> None:
    def out(start: int, end: int) -> Outage:
        return Outage(OPENED + start * HOUR, OPENED + end * HOUR)

    assert not list(await store.uptime.outages(OPENED))
    for outage in (out(10, 12), out(1, 2), out(10, 12), out(11, 13), out(13, 14), out(20, 21)):
        await store.uptime.add_outage(outage)
    assert list(await store.uptime.outages(OPENED)) == [out(1, 2), out(10, 14), out(20, 21)]
    assert list(await store.uptime.outages(OPENED + 2 * HOUR)) == [out(10, 14), out(20, 21)]
    assert list(await store.uptime.outages(OPENED + 13 * HOUR)) == [out(10, 14), out(20, 21)]
    assert not list(await store.uptime.outages(OPENED + 21 * HOUR))


async def test_uptime_is_bounded_by_a_clock_that_was_set_back(store: FullStore) -> None:
    def out(start: int, end: int) -> Outage:
        return Outage(OPENED + start * HOUR, OPENED + end * HOUR)

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
    made = {await _stored(store, match_id) for match_id in ("k7q2ab", "b3xn8c", "m5wtr2")}
    assert {found async for found in store.matches.ids()} == made


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


async def _stored(store: FullStore, match_id: str) -> str:
    await store.matches.commit(LobbyOpened(lobby(match_id)), 0)
    return match_id
