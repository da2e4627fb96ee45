"""What people are told about time: what is left, vacations, pauses, as of the moment when they ask."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import LANGUAGES, words
from bot.chat.presenting.naming import clock_text, moment
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.request import Request
from play.time.firing import fire
from tests.bot.world import ANN, BOB, ROOM, World

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
