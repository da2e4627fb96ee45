"""/seek: whom it joins, what it refuses, what a press does, and what comes twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.view import Person
from bot.features.seeking.pairing import Pairing
from play.match import Phase
from play.people import Player
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, World, person

LINE = "/seek lgame clock:1d"


async def test_who_suits_joins_and_both_places_show_the_match() -> None:
    world = World()
    await world.say(ANN, LINE)
    told = await world.say(BOB, "/seek lgame clock:24h", HALL)
    (match,) = world.playing()
    assert set(match.addresses) == {ROOM, HALL}
    assert not [message for message in told if message.refused]
    assert (await world.say(CEM, "/seek", HALL))[0].view.lines[0].startswith("Nobody is looking")


async def test_of_many_who_find_the_same_seek_one_joins_and_the_others_wait() -> None:
    world = World()
    await world.say(ANN, LINE)
    people = [person(f"p{number}") for number in range(6)]
    await asyncio.gather(*(world.say(who, LINE, HALL) for who in people))
    matches = world.snapshot().matches.values()
    for who in (ANN, *people):
        mine = [
            match for match in matches if match.live and next(match.seats_of(who.account), None) is not None
        ]
        assert len(mine) == 1, who.name


async def test_a_request_that_comes_twice_seeks_once() -> None:
    world = World()
    for who, expected in ((ANN, 1), (BOB, 1)):
        visitor = replace(world.visitor(who), request=f"r{who.name}")
        for _ in range(3):
            await world.desk.answer(visitor, LINE)
        assert len(world.snapshot().matches) == expected
    assert len(world.playing()) == 1


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_makes_no_sense_is_refused_and_nobody_is_sought(language: str) -> None:
    world = World(language)
    for line in (
        "/seek klopodavka players:4",
        "/seek lgame bob",
        "/seek chess",
        "/seek lgame clock:soon",
        "/seek lgame standing:0",
        "/seek lgame standing:many",
        "/seek lgame engine:3",
        "/seek off",
        "/seek off now",
        "/seek off chess",
        "/seek off lgame",
    ):
        (message,) = await world.say(ANN, line)
        assert message.to == Person(ANN.account, ROOM)
        assert message.refused or message.view.buttons, line
    assert not world.snapshot().matches


async def test_five_are_enough() -> None:
    world = World()
    boards = ("5x5", "6x6", "7x7", "8x9", "9x8")
    for board in boards:
        await world.say(ANN, f"/seek breakthrough {board}")
    (message,) = await world.say(ANN, LINE)
    assert message.view.lines == (words("en")("bot.quota.seeks", limit=5),)
    assert "1. ann: " in (await world.told(ANN, "/seek"))
    await world.say(ANN, "/seek off")
    assert not [match for match in world.snapshot().matches.values() if match.phase is Phase.OPEN]


async def pressed(world: World, who: Player, number: int) -> None:
    (message,) = await world.say(who, "/seek")
    data = CallbackData.unpack(message.view.buttons[number].data.pack())
    await world.desk.press(world.visitor(who), data)


async def test_the_list_joins_and_cancels_and_hides_those_one_has_blocked() -> None:
    world = World()
    await world.say(ANN, LINE, HALL)
    await world.say(BOB, "/seek breakthrough", HALL)
    await world.say(CEM, "/block ann")
    (message,) = await world.say(CEM, "/seek")
    assert [button.data.verb for button in message.view.buttons] == [Verb.JOIN, *[Verb.SEEK] * 3]
    await pressed(world, ANN, 0)  # her own comes first
    phases = {match.host: match.phase for match in world.snapshot().matches.values()}
    assert phases == {ANN: Phase.CALLED_OFF, BOB: Phase.OPEN}
    await pressed(world, CEM, 0)
    (match,) = world.playing()
    assert set(match.people()) == {BOB.account, CEM.account}
    assert ROOM in match.addresses


async def test_a_standing_challenge_goes_on_until_it_is_stopped() -> None:
    world = World()
    (message, _) = await world.say(ANN, "/seek breakthrough standing:2")
    for who in (BOB, CEM):
        await world.say(who, "/seek breakthrough", HALL)
    assert [
        len([m for m in world.playing() if next(m.seats_of(w.account), None) is not None]) for w in (ANN, BOB)
    ] == [2, 1]
    (stop,) = message.view.buttons
    await world.desk.press(world.visitor(ANN), stop.data)
    (message,) = await world.desk.press(world.visitor(ANN), stop.data)
    assert message.view.lines[0].startswith("You are not looking for an opponent for: Breakthrough.")


async def test_the_same_match_is_sought_once_and_its_seek_is_shown_again() -> None:
    world = World()
    await world.say(ANN, LINE)
    (message,) = await world.say(ANN, "/seek lgame clock:24h rated:no", HALL)
    assert "already" in message.view.lines[1]
    assert len(world.snapshot().matches) == 1
    await world.say(ANN, "/seek lgame clock:1d rated:yes")  # another match
    assert len(world.snapshot().matches) == 2
    (cancel,) = message.view.buttons
    await world.desk.press(world.visitor(ANN, HALL), CallbackData.unpack(cancel.data.pack()))
    (message, *_) = await world.say(ANN, LINE)
    assert "already" not in message.view.lines[1]


async def test_a_standing_challenge_said_again_is_the_same_one_with_its_new_number() -> None:
    world = World()
    for line in ("/seek breakthrough standing:1", "/seek breakthrough standing:3"):
        await world.say(ANN, line)
    assert len(world.snapshot().matches) == 1
    for who in (BOB, CEM, DAN, EVE):
        await world.say(who, "/seek breakthrough", HALL)
        await Pairing(world.table, world.store).tick()
    mine = [match for match in world.playing() if next(match.seats_of(ANN.account), None) is not None]
    assert len(mine) == 3


async def test_a_game_is_sought_by_pressing_and_ended_by_its_name() -> None:
    world = World()
    (message,) = await world.say(ANN, "/seek")
    for number in (2, 0, 0):  # the L-game, a day for a move, rated
        data = CallbackData.unpack(message.view.buttons[number].data.pack())
        (message, *_) = await world.desk.press(world.visitor(ANN), data)
    (match,) = world.snapshot().matches.values()
    assert (match.game, match.rated, match.clock is not None) == ("lgame", True, True)
    (message,) = await world.say(ANN, "/seek off breakthrough")
    assert message.refused
    await world.say(ANN, "/seek breakthrough")
    await world.say(ANN, "/seek L-game off")
    assert {match.game: match.phase for match in world.snapshot().matches.values()} == {
        "lgame": Phase.CALLED_OFF,
        "breakthrough": Phase.OPEN,
    }


async def test_who_cancels_a_seek_without_a_card_is_told() -> None:
    world = World()
    for board in ("5x5", "6x6"):
        await world.say(ANN, f"/seek breakthrough {board}")
    first, _ = world.snapshot().matches
    (message,) = await world.say(ANN, f"/withdraw #{first}")
    assert message.to == Person(ANN.account, ROOM)
    assert message.view.lines == (words("en")("bot.seek.off-some"),)
