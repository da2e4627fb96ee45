"""A beginner's losing move is asked back, once and privately."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.features.matches.playing import ANYWAY
from play.actions.playing import MakeMove
from play.match import Match
from play.ratings.model import NEWCOMER, SETTLED, Rating, RatingChange
from play.request import Request
from tests.bot.world import ANN, BOB, ROOM, World

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
