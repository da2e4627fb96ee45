"""Seats that were left, and tables that are full: what is said of them, and who can take them."""

from __future__ import annotations

import pytest

from bot.callback_data import Verb
from bot.i18n import LANGUAGES, words
from bot.view import Person
from play.actions.invitations import Withdraw
from play.actions.seating import Join, SeatEngine
from play.engine_players import engine
from play.opening import Lobby
from play.people import Player
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, ROOM, World


async def said(world: World, who: Player, line: str) -> str:
    """Everything that somebody alone is answered."""
    views = [message.view for message in await world.say(who, line) if isinstance(message.to, Person)]
    return "\n".join(line for view in views for line in (*view.lines, *view.after))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("leaves", ["/leave", "/resign"])
async def test_a_seat_that_was_left_can_be_taken_by_a_button_and_a_word(language: str, leaves: str) -> None:
    world, spoken = World(language), words(language, strict=True)
    match = await world.begin("klopodavka", {"players": "3"})
    (message,) = [one for one in await world.say(CEM, leaves) if one.to == ROOM]
    assert spoken("bot.flagged.free") in message.view.lines
    taken = next(button for button in message.view.buttons if button.data.verb is Verb.SUBSTITUTE)
    await world.desk.press(world.visitor(DAN), taken.data)
    assert next((await world.table.get(match.id)).seats_of(DAN.account)) == 2


async def test_where_the_game_is_over_nobody_is_offered_a_seat() -> None:
    world = World()
    await world.begin("breakthrough", {"board": "4x5"})
    (message,) = [one for one in await world.say(BOB, "/resign") if one.to == ROOM]
    assert Verb.SUBSTITUTE not in [button.data.verb for button in message.view.buttons]
    assert words("en")("bot.flagged.free") not in message.view.lines


@pytest.mark.parametrize("language", LANGUAGES)
async def test_who_cannot_take_a_seat_is_told_why(language: str) -> None:
    world, spoken = World(language), words(language, strict=True)
    await world.begin("klopodavka", {"players": "3"})
    for asked in ("/substitute", "/substitute engine:5"):
        assert await said(world, DAN, asked) == spoken("bot.command.no-free-seat")
    await world.say(CEM, "/leave")
    assert await said(world, CEM, "/substitute") == spoken("match.refused.seat-own")
    assert await said(world, ANN, "/substitute") == spoken("match.refused.seat-yours")
    assert await said(world, DAN, "/substitute engine:5") == spoken("match.refused.engine-by-players")
    assert await said(world, CEM, "/substitute engine:5") == spoken("match.refused.you-are-out")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_full_table_waits_to_be_started(language: str) -> None:
    world, spoken = World(language), words(language, strict=True)
    full = (
        await world.table.open(Lobby(ROOM, "klopodavka", {"players": "2"}), Request(ANN, world.now))
    ).match
    assert spoken("bot.games.open") in await said(world, ANN, "/games")
    await world.table.act(full.id, SeatEngine(engine(4)), Request(ANN, world.now))
    assert spoken("bot.games.ready", command="/start") in await said(world, ANN, "/games")
    elsewhere = await world.desk.hear(world.visitor(ANN, HALL), "/games")
    assert spoken("bot.games.ready", command=f"/start #{full.id}") in " ".join(elsewhere[0].view.lines)


async def test_an_engine_is_not_asked_to_a_table_without_room() -> None:
    world = World()
    full = (
        await world.table.open(Lobby(ROOM, "klopodavka", {"players": "2"}), Request(ANN, world.now))
    ).match
    await world.table.act(full.id, Join(), Request(BOB, world.now))
    room = (
        await world.table.open(Lobby(ROOM, "klopodavka", {"players": "3"}), Request(ANN, world.now))
    ).match
    await world.say(ANN, "/seat engine:3")
    assert (await world.table.get(room.id)).chairs[1].player == engine(3)
    await world.say(ANN, "/seat engine:3")
    await world.table.act(room.id, Withdraw(), Request(ANN, world.now))
    assert await said(world, ANN, "/seat engine:3") == words("en")("match.refused.full")
