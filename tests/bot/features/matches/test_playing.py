"""Playing and looking: seats, moves that are asked back, pauses; boards, lists, files."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words
from bot.chat.pictures import Pictures
from bot.chat.presenting import boards
from bot.chat.view import Person, View
from bot.features.matches.cards import PAGE
from bot.features.matches.playing import ANYWAY
from play.actions.giving import most_to_give
from play.actions.playing import MakeMove
from play.match import Chair, Match
from play.people import Player
from play.ratings.model import NEWCOMER, SETTLED, Rating, RatingChange
from play.request import Request
from play.settings import Settings
from play.time.week import Week
from render.animation import Animation
from render.picture import Unpaintable
from rules.core import Seat
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, ROOM, World
from tests.support.stores import set_settings

# Seats that were left, and tables that are full: what is said of them, and who can take them.


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


# A beginner's losing move is asked back, once and privately.


LOSES = "/move d2-d3"


async def threatened(world: World) -> Match:
    """A match in which Ann loses unless she takes the man on b2."""
    match = await world.begin("breakthrough", {"board": "4x5"})
    for who, text in ((ANN, "a2-a3"), (BOB, "c4-c3"), (ANN, "a1-a2"), (BOB, "c3xb2")):
        match = (await world.table.act(match.id, MakeMove(text), Request(who, world.now))).match
    return match


async def plies(world: World, match: Match) -> int:
    return len((await world.table.get(match.id)).log)


async def test_it_is_asked_privately_and_played_when_it_comes_again() -> None:
    world = World()
    match = await threatened(world)
    [asked] = await world.say(ANN, LOSES)
    assert (asked.refused, asked.secret, asked.to == ROOM) == (True, True, False)
    assert "This loses to" in asked.view.lines[0]
    play, other = (button.data for button in asked.view.buttons)
    again = replace(play, argument=play.argument.removesuffix(ANYWAY))
    await world.desk.press(world.visitor(ANN), again)
    assert await plies(world, match) == 4, "the same move pressed twice by accident"
    await world.desk.press(world.visitor(ANN), other)
    assert await plies(world, match) == 4
    world.now += timedelta(seconds=3)
    await world.desk.press(world.visitor(ANN), again)
    assert await plies(world, match) == 5


@pytest.mark.parametrize(("played", "asks"), [(SETTLED - 1, True), (SETTLED, False)])
async def test_by_default_only_beginners_are_asked(played: int, asks: bool) -> None:
    world = World()
    match = await threatened(world)
    now = Rating(NEWCOMER.skill, NEWCOMER.doubt, played)
    await world.store.ratings.count(
        "breakthrough", "m", [ANN.account], lambda _: [RatingChange(NEWCOMER, now)]
    )
    await world.say(ANN, LOSES)
    assert (await plies(world, match) == 4) is asks
    assert f"for your first {SETTLED} rated matches" in await world.told(ANN, "/settings")
    shown = await world.told(ANN, "/settings warnings:on")
    assert "Warnings before a losing move: on." in shown


# What people are told about time: what is left, vacations, pauses, as of the moment when they ask.


async def test_a_pause_is_answered_and_withdrawn_by_typing() -> None:
    world, spoken = World(), words("en", strict=True)
    match = await world.begin("breakthrough", {"board": "4x5"}, clock="3d")
    await world.say(ANN, "/pause")
    open_ = spoken("match.refused.asked-pause")
    assert await world.told(ANN, "/pause") == open_
    assert await world.told(BOB, "/draw") == open_
    assert "/pause" in open_
    await world.say(ANN, "/pause no")
    assert (await world.table.get(match.id)).offer is None, "who asked can take it back"
    assert await world.told(ANN, "/pause") == spoken("match.refused.asked-already")
    await world.say(BOB, "/pause")
    await world.say(ANN, "/pause no")
    assert (await world.table.get(match.id)).offer is None
    await world.all_move(match)
    await world.say(ANN, "/pause")
    await world.say(BOB, "/pause yes")
    assert (await world.table.get(match.id)).paused
    assert await world.told(ANN, "/resume no") == spoken("match.refused.paused")
    await world.say(ANN, "/resume yes")
    assert not (await world.table.get(match.id)).paused
    assert await world.told(ANN, "/pause yes") == spoken("match.refused.nothing-asked")


@pytest.mark.parametrize(
    ("language", "night", "day"),
    [
        (
            "en",
            "the clock rests until 08:00; time left then: 57 hours awake, until",
            "56 hours 30 minutes awake, until Sun 20:00.",
        ),
        (
            "uk",
            "годинник стоїть до 08:00; тоді лишиться: 57 годин (без годин відпочинку), до",
            "(без годин відпочинку), до нд 20:00.",
        ),
        (
            "ru",
            "часы стоят до 08:00; потом останется: 57 часов (без часов отдыха), до",
            "(без часов отдыха), до вс 20:00.",
        ),
    ],
)
async def test_a_clock_that_rests_says_until_when_and_when_its_time_is_up(
    language: str, night: str, day: str
) -> None:
    world, kyiv = World(language), ZoneInfo("Europe/Kyiv")
    world.now = datetime(2026, 3, 4, 8, tzinfo=kyiv)  # a Wednesday
    mine = Settings(zone="Europe/Kyiv", week=Week(zone="Europe/Kyiv"))
    await set_settings(world.store, ANN.account, mine)
    match = await world.begin("breakthrough", {"board": "4x5"}, clock="3d awake")
    world.now += timedelta(hours=15, minutes=30)  # half past eleven in the evening: half an hour of rest
    assert night in await world.told(ANN, "/board")
    assert "08:00 UTC" not in await world.told(ANN, "/board")
    assert "06:00 UTC" in await world.told(BOB, "/board"), "who has no zone is told in UTC, as a chat is"
    assert night.split(";", maxsplit=1)[0].rpartition(" ")[2] in await world.told(ANN, "/games")
    world.now += timedelta(hours=9)
    listed = await world.told(ANN, "/games")
    assert day in listed
    assert (
        words(language)("bot.games.nothing-due", until=day.rpartition(", ")[2].partition(" ")[2].strip("."))
        in listed
    )
    spoken = world.present(match, words(language, strict=True))
    assert boards.show(spoken).deadline is None, "a countdown would count the hours of rest"


# Time that is given.


async def test_time_is_given_by_typing_and_by_a_key_in_the_menu() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x5"}, clock="3d")
    (menu,) = await world.desk.press(world.visitor(BOB), CallbackData(Verb.MORE, match.id, match.revision))
    (key,) = [each for each in menu.view.buttons if each.data.verb is Verb.MORETIME]
    assert (key.label, key.data.argument) == ("Give 1 day more", "1d")
    given = await world.desk.press(world.visitor(BOB), key.data)
    assert [message.view.lines[1] for message in given] == ["⏳ bob gives time. ann: +1 day."]
    await world.desk.press(world.visitor(BOB), key.data)
    assert most_to_give(await world.table.get(match.id)) == timedelta(days=2), "the second tap gives nothing"
    for line in ("/moretime ANN 1d 6h", "/moretime 12h"):
        await world.say(BOB, line)
    assert most_to_give(await world.table.get(match.id)) == timedelta(hours=6)
    assert "at most 6 hours: /moretime 6h" in await world.told(BOB, "/moretime 1d")
    assert "/moretime 1d" in await world.told(BOB, "/moretime 5x")
    assert "At the board: ann and bob" in await world.told(BOB, "/moretime dan 1h")
    assert "to an opponent" in await world.told(ANN, "/moretime")
    (menu,) = await world.desk.press(world.visitor(ANN), CallbackData(Verb.MORE, match.id, match.revision))
    assert Verb.MORETIME not in {each.data.verb for each in menu.view.buttons}


# Boards as they are asked for, matches as animations and as files.


async def seen(world: World, line: str, who: Player = ANN) -> View:
    """The only answer to a line, which is for one person."""
    (message,) = await world.say(who, line)
    assert isinstance(message.to, Person)
    return message.view


async def test_without_an_animation_there_are_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Animation:
        raise Unpaintable

    world = World()
    monkeypatch.setattr(
        world.desk, "_services", replace(world.desk._services, pictures=Pictures(animate=broken))
    )
    await world.begin("klopodavka", {})
    await world.say(ANN, "/move b2")
    view = await seen(world, "/replay")
    assert view.film is None
    assert "/export" in view.lines[0]
    await world.say(ANN, "/move c3")  # and the match goes on
    position = world.table.position(world.playing()[0])
    assert position.to_move is Seat.S1
    assert position.plies_left == 1


async def test_the_matches_of_a_person_have_pages_and_a_filter() -> None:
    world = World()
    for _ in range(12):
        await world.begin("breakthrough", {"board": "4x5"})
    await world.begin("lgame", {}, HALL)
    [said] = await world.say(ANN, "/games")
    assert sum("#" in line for line in said.view.lines) == PAGE
    [later] = await world.desk.press(world.visitor(ANN), said.view.buttons[-1].data)
    assert sum("#" in line for line in later.view.lines) == 3
    assert later.view.lines[-1] == "Page 2 of 2."
    assert (await world.say(ANN, "/games 2"))[0].view == later.view
    [few] = await world.say(ANN, "/games л-гра")
    assert sum("#" in line for line in few.view.lines) == 1
    [none] = await world.say(ANN, "/games lgame here")
    assert none.view.lines == ("No such matches. /games lists all of yours.",)
    [bob] = await world.say(BOB, "/games turn")
    assert bob.view.lines == none.view.lines


async def test_a_file_has_no_account_of_another_and_its_match_goes_on_with_the_same_people() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    files = {}
    for who in (ANN, CEM):
        [said] = await world.say(who, f"/export #{match.id}")
        [(_, data)] = said.view.files
        files[who] = data if isinstance(data, str) else data.decode()
    assert '"console" "ann"' in files[ANN]
    assert '"console" "bob"' not in files[ANN]
    assert '"console"' not in files[CEM]
    for who, chairs in (
        (ANN, (Chair(player=ANN), Chair(reserved=BOB))),
        (CEM, (Chair(), Chair())),
    ):
        await world.say(who, f"/import {files[who]}")
        [made] = [each for each in world.snapshot().matches.values() if each.imported and each.host == who]
        assert made.chairs == chairs


async def test_who_imports_variations_is_told_once_where_they_are() -> None:
    world = World()
    said = await world.say(ANN, '/import [Event "Cup"]\n1. a2a3 (1. b2b3) 1... a7a6 {good} 1-0')
    [told] = [message for message in said if isinstance(message.to, Person)]
    assert told.view.lines[0].startswith("The board shows the moves that were played.")
    [file] = await world.say(ANN, "/export")
    [(_, data)] = file.view.files
    text = data if isinstance(data, str) else data.decode()
    assert '[Event "Cup"]\n[Comment "1" "(1. b2b3)"]\n[Comment "2" "good"]\n' in text
    again = await world.say(ANN, f"/import {text}")
    assert not any("The board shows" in line for message in again for line in message.view.lines)
