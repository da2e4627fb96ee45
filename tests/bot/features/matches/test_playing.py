"""Playing: seats and who takes them, moves that are asked back, and time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.i18n import words
from bot.features.matches.playing import ANYWAY
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.ratings.model import NEWCOMER, SETTLED, Rating, RatingChange
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, DAN, ROOM, World

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


async def duel(world: World, clock: str) -> Match:
    """A match in which ann is to move."""
    options = {"board": "4x5"}
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", options, opponents=[BOB], clock=clock), Request(ANN, world.now)
    )
    return (await world.table.act(made.match.id, Join(), Request(BOB, world.now))).match


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
