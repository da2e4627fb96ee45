"""Who was seen in a chat, and since when."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat import seen
from bot.chat.seen import Seen, count_seen, first_seen
from play.people import Account, Address
from storage.ports import FullStore
from tests.bot.world import ANN, BOB, EVE, HALL, NOON, ROOM, World

DAY = timedelta(days=1)
ACCOUNTS = (ANN.account, BOB.account, EVE.account)


async def test_the_first_time_is_kept_for_a_year_after_the_last_one(store: FullStore) -> None:
    people, later = Seen(store), Seen(store)
    await people.note(ROOM, ANN.account, NOON)
    await people.note(ROOM, BOB.account, NOON)
    await later.note(ROOM, ANN.account, NOON + 200 * DAY)
    assert await first_seen(store, ROOM, ACCOUNTS) == [NOON, NOON, None]
    assert await count_seen(store, ROOM) == 2
    assert await count_seen(store, HALL) == 0
    await later.note(ROOM, EVE.account, NOON + 366 * DAY)
    assert await first_seen(store, ROOM, ACCOUNTS) == [NOON, None, NOON + 366 * DAY]
    await later.note(HALL, EVE.account, NOON + 800 * DAY)
    assert await count_seen(store, ROOM) == 0, "nor is it kept where none is seen any more"


async def test_who_is_forgotten_was_never_there(store: FullStore) -> None:
    await Seen(store).note(ROOM, ANN.account, NOON)
    await Seen(store).note(ROOM, BOB.account, NOON)
    assert any("seen" in each.name for each in await store.traces(ANN.account))
    await store.forget(ANN.account)
    assert await first_seen(store, ROOM, ACCOUNTS) == [None, NOON, None]
    await Seen(store).note(ROOM, ANN.account, NOON + DAY)
    assert await first_seen(store, ROOM, ACCOUNTS[:1]) == [NOON + DAY]


async def test_those_who_were_not_seen_for_longest_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "MOST", 3)
    store, crowd = World().store, [Account("discord", str(10**10 + number)) for number in range(5)]
    chat = Address("discord", "7")
    for number, who in enumerate(crowd):
        await Seen(store).note(chat, who, NOON + number * DAY)
        await Seen(store).note(chat, crowd[0], NOON + number * DAY)
    assert [bool(each) for each in await first_seen(store, chat, crowd)] == [True, False, False, True, True]
    assert await count_seen(store, chat) == 3


async def test_of_two_that_note_a_person_at_once_the_earlier_counts() -> None:
    store, line = World().store, f"seen:{ROOM}"
    for moment in (NOON + DAY, NOON):
        await store.timelines.add(line, f"{int(moment.timestamp())} {ANN.account}", moment)
    assert await first_seen(store, ROOM, ACCOUNTS[:1]) == [NOON]
    assert await count_seen(store, ROOM) == 1


async def test_a_request_shows_its_person_where_others_are() -> None:
    world = World()
    here = replace(world.visitor(ANN), place_name="room")
    await world.desk.answer(here, "/games")
    await world.desk.answer(replace(world.visitor(BOB, HALL)), "/games")  # who is alone, or on the page
    world.now += DAY / 2
    topic = replace(world.visitor(EVE), place=Address("console", "room/7"), place_name="room")
    await world.desk.answer(topic, "/games")
    await world.desk.answer(here, "/games")
    assert await first_seen(world.store, ROOM, ACCOUNTS) == [NOON, None, NOON + DAY / 2]
    assert await count_seen(world.store, HALL) == 0
