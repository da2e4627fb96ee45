"""Playing: seats and who takes them, moves that are asked back, and time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.naming import clock_text, moment
from bot.features.matches.playing import ANYWAY
from play.actions.playing import MakeMove
from play.actions.seating import Join, SeatEngine, Withdraw
from play.match import Match, Phase, engine
from play.opening import Challenge, Lobby
from play.ratings.model import NEWCOMER, SETTLED, Rating, RatingChange
from play.request import Request
from play.time.firing import fire
from tests.bot.world import ANN, BOB, CEM, DAN, HALL, ROOM, World

# Seats that were left, and tables that are full: what is said of them, and who can take them.


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


@pytest.mark.parametrize("typed", [False, True])
async def test_a_move_that_is_meant_is_played_at_once(typed: bool) -> None:
    world = World()
    match = await threatened(world)
    [asked] = await world.say(ANN, LOSES)
    if typed:
        await world.say(ANN, LOSES)
    else:
        await world.desk.press(world.visitor(ANN), asked.view.buttons[0].data)
    assert await plies(world, match) == 5


async def test_who_does_not_want_to_be_asked_is_not() -> None:
    world = World()
    match = await threatened(world)
    assert "Warnings before a losing move: off." in await world.told(ANN, "/settings warnings:off")
    await world.say(ANN, LOSES)
    assert await plies(world, match) == 5


async def test_a_move_that_loses_nothing_is_played() -> None:
    world = World()
    match = await threatened(world)
    await world.say(ANN, "/move c1xb2")
    assert await plies(world, match) == 5


async def test_it_is_asked_at_any_turn() -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x6"})
    moves = ("d2-d3", "c5-c4", "d3-d4", "c4-c3", "a2-a3", "c3xb2")
    for number, text in enumerate(moves):
        who = BOB if number % 2 else ANN
        await world.table.act(match.id, MakeMove(text), Request(who, world.now))
    [asked] = await world.say(ANN, "/move a3-a4")
    assert "This loses to" in asked.view.lines[0]
    assert await plies(world, match) == 6


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


HOUR = timedelta(hours=1)


async def duel(world: World, clock: str) -> Match:
    """A match in which ann is to move."""
    options = {"board": "4x5"}
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", options, opponents=[BOB], clock=clock), Request(ANN, world.now)
    )
    return (await world.table.act(made.match.id, Join(), Request(BOB, world.now))).match


async def passed(world: World, length: timedelta) -> None:
    """Time goes by, and timers come when they are due."""
    until = world.now + length
    while due := await world.store.timers.due(until, until, 1):
        world.now = max(world.now, due[0].timer.at)
        await fire(world.table, due[0].match_id, due[0].timer.name, world.table.now(world.now))
        await world.store.timers.settle(due[0])
    world.now = until


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_an_opponent_has_left_is_told_as_of_now(language: str) -> None:
    world, spoken = World(language), words(language, strict=True)
    match = await duel(world, "3d")
    old = CallbackData(Verb.DRAW, match.id, match.revision)
    await world.table.act(match.id, MakeMove("a2-a3"), Request(ANN, world.now))
    world.now += 70 * HOUR
    rest = spoken.time_left(2 * HOUR)
    for who in (ANN, BOB):
        for asked in ("/games", "/board"):
            assert rest in await world.told(who, asked), (who, asked)
    assert rest in await world.told(BOB, "/move"), "the board on which a move is picked"
    (message,) = await world.desk.press(world.visitor(BOB), old)
    assert rest in message.view.after[0], "the board that an old button shows"


async def test_a_vacation_is_told_with_what_is_left_after_it() -> None:
    world, spoken = World(), words("en", strict=True)
    match = await duel(world, "2d vacation")
    await world.say(ANN, "/vacation 10d")
    await passed(world, 5 * HOUR)
    until = moment(world.now + timedelta(days=10) - 5 * HOUR, spoken)
    rest = spoken.time_left(timedelta(days=2))
    for who in (ANN, BOB):
        for asked in ("/games", "/board"):
            told = await world.told(who, asked)
            assert until in told, (who, asked)
            assert rest in told
    assert "/claim" not in await world.told(BOB, f"/board #{match.id}")


async def test_a_pause_is_answered_and_withdrawn_by_typing() -> None:
    world, spoken = World(), words("en", strict=True)
    match = await duel(world, "3d")
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
    ("language", "clock", "told"),
    [
        ("en", "1d3h20m", "1 day 3 hours 20 minutes"),
        ("ru", "22д22ч22м", "22 дня 22 часа 22 минуты"),
        ("en", "10d+0m", "0 minutes"),
    ],
)
async def test_a_clock_is_told_in_full(language: str, clock: str, told: str) -> None:
    world = World(language)
    await world.say(ANN, f"/challenge bob lgame clock:{clock}")
    (match,) = await world.store.matches.of(ANN.account)
    assert match.clock
    assert told in clock_text(match.clock, words(language, strict=True))


@pytest.mark.parametrize(
    ("language", "line", "told"),
    [
        ("uk", "/challenge bob lgame clock:1м", "1 хвилина — за межами: тут можна від 5 хвилин до 60 днів."),
        (
            "en",
            "/challenge bob lgame clock:10d+31d",
            "31 days: out of bounds for a clock here, which can be 0 ",
        ),
        ("uk", "/challenge bob lgame clock:10д+1д/4д4г", "Межа запасу (4 дні 4 години) менша, ніж запас"),
        ("ru", "/vacation 40d", "осталось 30 дней. Возьмите"),
    ],
)
async def test_bounds_are_told_in_words(language: str, line: str, told: str) -> None:
    world = World(language)
    await duel(world, "3d vacation")
    assert told in await world.told(ANN, line)


async def test_a_vacation_is_told_in_words_where_the_platform_counts_the_time_left() -> None:
    world = World()
    await duel(world, "2d vacation")
    (message,) = await world.say(BOB, "/board")
    assert message.view.deadline == world.now + timedelta(days=2)
    assert message.view.untimed == ("Turn: ann",)
    await world.say(ANN, "/vacation 10d")
    (message,) = await world.say(BOB, "/board")
    assert message.view.deadline is None
    assert "on vacation until 1 Dec 2026" in message.view.untimed[0]
