"""A cup in the room: opened by pressing, entered, played, left, stopped."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.chat.callback_data import CallbackData
from bot.chat.i18n import LANGUAGES
from bot.chat.view import Person, View
from play.actions.leaving import Resign
from play.events import cup
from play.events.actions import StopEvent
from play.events.event import Event
from play.events.events import Events
from play.match import Phase
from play.people import Player
from play.request import Request
from rules.core import Seat
from tests.bot.world import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, World


async def world_with(
    *people: Player, line: str = "/cup new lgame clock:1d most:8", language: str = "en"
) -> World:
    world = World(language)
    world.store.clock = lambda: world.now
    await world.say(ANN, line)
    for who in people:
        await world.say(who, "/cup join")
    return world


def event(world: World) -> Event:
    (found,) = world.store.events.stored.values()
    return found


async def pass_time(world: World, hours: float) -> None:
    """Time goes by, and the cup's timer fires."""
    world.now += timedelta(hours=hours)
    await Events(world.table, world.store).fire(event(world).id, world.table.now(world.now))
    await world.desk.drained()


async def pressed(world: World, who: Player, view: View, label: str) -> View:
    button = next(button for button in view.buttons if button.label == label)
    answers = await world.desk.press(world.visitor(who), CallbackData.unpack(button.data.pack()))
    return answers[0].view


async def play_out(world: World, *best_first: Player, turns: int = 2) -> None:
    """All games of a cup are played: who is named earlier wins, by a resignation after some moves."""
    while playing := world.playing():
        for each in playing:
            match = each
            for _ in range(turns):
                match = await world.all_move(match)
            loser = max((match.player(Seat(seat)) for seat in (0, 1)), key=best_first.index)
            if match.phase is Phase.PLAYING:
                await world.table.act(match.id, Resign(), Request(loser, world.now))
            await world.desk.drained()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_cup_is_opened_by_four_presses(language: str) -> None:
    world = World(language)
    world.store.clock = lambda: world.now
    view = (await world.say(ANN, "/cup"))[0].view
    view = await pressed(world, ANN, view, view.buttons[-1].label)
    for choice in (-1, 1, 0):
        view = await pressed(world, ANN, view, view.buttons[choice].label)
    setup = event(world).setup
    assert (setup.game, dict(setup.options)["players"], dict(setup.options)["board"]) == (
        "klopodavka",
        "4",
        "20x30",
    )
    assert setup.clock.initial == timedelta(days=1)
    assert dict(setup.settings)["most"] == "4"


async def test_a_cup_begins_by_itself_when_its_time_comes() -> None:
    world = await world_with(ANN, BOB, CEM)
    assert "already" in await world.told(BOB, "/cup join")
    await pass_time(world, 25)
    state = event(world).state
    assert len(state.games) == 6
    assert {match.event for match in world.store.matches.stored.values()} == {
        (event(world).id, game.number) for game in state.games if game.match
    }
    assert "comes later" in await world.told(ANN, "/cup mine")


async def test_too_few_people_are_no_cup() -> None:
    world = await world_with(ANN, BOB)
    await pass_time(world, 25)
    assert not event(world).live
    assert "Too few" in (await world.say(ANN, "/cup"))[0].view.lines[1]


async def test_only_an_admin_stops_a_cup_that_runs() -> None:
    world = await world_with(ANN, BOB, CEM)
    await pass_time(world, 25)
    assert "Only the admins" in await world.told(ANN, "/cup stop")
    assert event(world).live


async def test_who_opened_a_cup_stops_it_before_it_begins() -> None:
    world = await world_with(ANN, BOB)
    assert "is stopped" in await world.told(ANN, "/cup stop")
    assert "is over" in await world.told(CEM, f"/cup join #{event(world).id}")


async def test_a_stopped_cup_has_no_games_to_go() -> None:
    world = await world_with(ANN, BOB, CEM)
    await pass_time(world, 25)
    assert "4 to play" in ((await world.say(ANN, "/cup table"))[0].view.alt or "")
    await Events(world.table, world.store).act(event(world).id, StopEvent(), Request(ANN, world.now))
    view = (await world.say(ANN, "/cup table"))[0].view
    assert view.sheet is not None
    assert "left" not in view.sheet.columns
    assert "to play" not in (view.alt or "")


async def test_a_cup_that_never_began_has_no_table() -> None:
    world = await world_with(ANN, BOB)
    await pass_time(world, 25)
    assert [button.label for button in (await world.say(ANN, "/cup"))[0].view.buttons] == ["New cup"]
    assert "Too few" in await world.told(ANN, "/cup table")


async def test_a_setting_typed_wrong_is_refused_before_the_next_question() -> None:
    world = World("en")
    for typed in ("clock:banana", "clock:1d closes:never"):
        assert not (await world.say(ANN, f"/cup new lgame {typed}"))[0].view.buttons
    view = (await world.say(ANN, "/cup new lgame clock:1d closes:2h"))[0].view
    assert "2 hours" in view.lines[0]
    for typed in ("closes:2pm", "closes:до 14:00", "closes: 21 Nov 2 p.m."):
        view = (await world.say(ANN, f"/cup new lgame clock:1d {typed}"))[0].view
        assert "2 hours" in view.lines[0]
    assert "is open" in await world.told(ANN, "/cup new lgame clock:1d most:8 closes:24 листопада")
    closes = datetime(2026, 11, 25, tzinfo=UTC)
    assert cup.settings_of(event(world).setup).closes == closes


async def test_a_cup_has_tables_of_two_or_of_four() -> None:
    world = World("en")
    line = "/cup new klopodavka clock:1d most:8 players:"
    assert "not of 3" in await world.told(ANN, f"{line}3")
    for players in (2, 4):
        assert "is open" in await world.told(ANN, f"{line}{players}")


async def test_who_comes_late_waits_and_takes_the_seat_of_who_leaves() -> None:
    world = await world_with(ANN, BOB, CEM)
    await pass_time(world, 25)
    assert "next seat" in await world.told(DAN, "/cup join")
    await world.say(CEM, "/cup leave")
    assert [one.player.name for one in event(world).state.playing] == ["ann", "bob", "dan"]
    assert event(world).state.waiting == ()


async def test_a_cup_is_shown_in_a_chat_from_which_a_person_enters() -> None:
    world = await world_with(ANN)
    await world.say(EVE, f"/cup join #{event(world).id}", HALL)
    assert event(world).addresses == (ROOM, HALL)


async def test_a_linked_account_enters_once() -> None:
    world = await world_with(ANN)
    await world.store.settings.change(DAN.account, lambda now: replace(now, person=ANN.account))
    assert "already" in await world.told(DAN, "/cup join")


async def test_a_block_takes_no_game_from_a_round_robin() -> None:
    world = await world_with(ANN, BOB, CEM)
    await world.say(BOB, "/block cem")
    await pass_time(world, 25)
    assert len(event(world).state.games) == 6, "there is no other pairing"


async def test_who_is_forgotten_leaves_no_name_in_a_cup() -> None:
    world = await world_with(ANN, BOB, CEM)
    await pass_time(world, 25)
    await world.say(BOB, "/forgetme yes")
    assert "bob" not in repr(event(world))
    assert [one.number for one in event(world).state.playing] == [0, 2]
    await world.say(ANN, "/cup table")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_profile_tells_of_finished_cups_and_of_ladders(
    language: str,
) -> None:
    world = await world_with(
        ANN, BOB, CEM, line="/cup new breakthrough 5x5 clock:1d most:8", language=language
    )
    await pass_time(world, 25)
    assert "🥇" not in await world.told(BOB, "/profile ann")
    await play_out(world, BOB, ANN, CEM)
    assert not event(world).live
    await world.say(CEM, "/ladder new lgame clock:1d")
    for who in (BOB, CEM):
        await world.say(who, "/ladder join")
    assert "🥇 1" in await world.told(ANN, "/profile bob")
    assert "🥈 1" in await world.told(ANN, "/profile")
    told = await world.told(ANN, "/profile cem")
    assert "🥉 1" in told
    assert re.search(r": L-.+ 2 [^ ]+ 2", told)  # the second of two on the ladder
    await world.say(BOB, "/settings profile:off")
    assert "🥇" not in await world.told(ANN, "/profile bob")
    await world.say(CEM, "/forgetme yes")
    assert "cem" not in repr(world.store.timelines.__dict__)


async def test_boards_come_in_the_language_in_which_a_person_entered_unless_they_chose_another() -> None:
    world = await world_with(ANN)
    await world.say(CEM, "/language ru")
    for who in (BOB, CEM):
        await world.desk.answer(replace(world.visitor(who), locale="uk"), "/cup join")
    world.now += timedelta(hours=25)
    await Events(world.table, world.store).fire(event(world).id, world.table.now(world.now))
    told = {message.to: message.view for message in await world.desk.drained() if message.view.diagram}
    first = {who: told[Person(who.account, ROOM)].lines[0] for who in (ANN, BOB, CEM)}
    assert first[ANN].startswith("The game begins")
    assert first[BOB].startswith("Гра починається")
    assert first[CEM].startswith("Игра начинается")


@pytest.mark.parametrize("form", ["cup", "ladder", "league"])
async def test_a_game_that_does_not_exist_is_named(form: str) -> None:
    world = World("en")
    said = await world.told(ANN, f"/{form} new chess")
    assert "chess" in said
    assert "lgame" in said
