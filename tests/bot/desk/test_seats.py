"""Seats that were left, and tables that are full: what is said of them, and who can take them."""

from __future__ import annotations

import pytest

from bot.chat.callback_data import Verb
from bot.chat.i18n import words
from play.actions.seating import Join, SeatEngine, Withdraw
from play.match import Match, Phase, engine
from play.opening import Lobby
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, ROOM, World


@pytest.mark.parametrize("leaves", ["/leave", "/resign"])
async def test_a_seat_that_was_left_can_be_taken_by_a_button(leaves: str) -> None:
    world, spoken = World(), words("en", strict=True)
    match = await world.begin("klopodavka", {"players": "3"})
    (asked,) = await world.say(CEM, leaves)
    assert (await world.table.get(match.id)).revision == match.revision, "it is asked first"
    (message,) = [
        one
        for one in await world.desk.press(world.visitor(CEM), asked.view.buttons[0].data)
        if one.to == ROOM
    ]
    assert spoken("bot.flagged.free") in message.view.lines
    taken = next(button for button in message.view.buttons if button.data.verb is Verb.SUBSTITUTE)
    await world.desk.press(world.visitor(DAN), taken.data)
    assert next((await world.table.get(match.id)).seats_of(DAN.account)) == 2


async def test_who_cannot_take_a_seat_is_told_why() -> None:
    world, spoken = World(), words("en", strict=True)
    await world.begin("klopodavka", {"players": "3"})
    for asked in ("/substitute", "/substitute engine:5"):
        assert await world.told(DAN, asked) == spoken("bot.command.no-free-seat")
    await world.say(CEM, "/resign yes")
    assert await world.told(CEM, "/substitute") == spoken("match.refused.seat-own")
    assert await world.told(ANN, "/substitute") == spoken("match.refused.seat-yours")
    assert await world.told(DAN, "/substitute engine:5") == spoken("match.refused.engine-by-players")
    assert await world.told(CEM, "/substitute engine:5") == spoken("match.refused.you-are-out")


async def lobby(world: World, players: int) -> Match:
    """A lobby of ann's."""
    opened = Lobby(ROOM, "klopodavka", {"players": str(players)})
    return (await world.table.open(opened, Request(ANN, world.now))).match


async def test_a_full_table_waits_to_be_started() -> None:
    world, spoken = World(), words("en", strict=True)
    full = await lobby(world, 2)
    assert spoken("bot.games.open") in await world.told(ANN, "/games")
    await world.table.act(full.id, SeatEngine(engine(4)), Request(ANN, world.now))
    assert spoken("bot.games.ready", command="/start") in await world.told(ANN, "/games")
    elsewhere = await world.told(ANN, "/games", HALL)
    assert spoken("bot.games.ready", command=f"/start #{full.id}") in elsewhere


async def test_an_engine_is_not_asked_to_a_table_without_room() -> None:
    world = World()
    full = await lobby(world, 2)
    await world.table.act(full.id, Join(), Request(BOB, world.now))
    room = await lobby(world, 3)
    await world.say(ANN, "/seat engine:3")
    assert (await world.table.get(room.id)).chairs[1].player == engine(3)
    await world.say(ANN, "/seat engine:3")
    await world.table.act(room.id, Withdraw(), Request(ANN, world.now))
    assert await world.told(ANN, "/seat engine:3") == words("en")("match.refused.full")


async def test_a_table_of_open_size_grows_until_no_more_can_play() -> None:
    world = World()
    await world.say(ANN, "/new klopodavka players:2-10 board:5x5")
    await world.say(BOB, "/join")
    [match] = world.snapshot().matches.values()
    assert len(match.chairs) == 3
    await world.say(CEM, "/join")
    [match] = world.snapshot().matches.values()
    assert len(match.chairs) == 3
    assert dict(match.options) == {"players": "3", "board": "5x5"}  # no one else can come
    assert "All seats" in await world.told(DAN, f"/join #{match.id}")
    await world.say(ANN, "/start")
    [match] = world.snapshot().matches.values()
    assert match.phase is Phase.PLAYING


async def test_engines_sit_at_a_table_of_open_size() -> None:
    world = World()
    await world.say(ANN, "/new klopodavka players:any engines:2")
    await world.say(ANN, "/start")
    [match] = world.snapshot().matches.values()
    assert match.phase is Phase.PLAYING
    assert dict(match.options) == {"players": "3"}
