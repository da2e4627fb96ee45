"""A request that its platform delivers again is done once, and means the match that it meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.presenting.boards import CONFIRMED
from bot.chat.visitor import Visitor
from play.actions.playing import MakeMove
from play.match import Phase
from play.people import Player
from play.request import Request
from tests.bot.world import ANN, BOB, World


def asking(world: World, who: Player, request: str) -> Visitor:
    return replace(world.visitor(who), request=request)


async def test_a_move_without_a_code_is_played_in_one_match_only() -> None:
    world = World()
    one = await world.begin("breakthrough", {})
    visitor = asking(world, ANN, "u1")
    said = await world.desk.answer(visitor, "/move a2-a3")
    assert said[-1].view.lines[0] == "ann: a2-a3"
    two = await world.begin("breakthrough", {})
    again = await world.desk.answer(visitor, "/move a2-a3")
    assert again == [], "it was done, and everybody has been told"
    assert len((await world.table.get(one.id)).log) == 1
    assert not (await world.table.get(two.id)).log


@pytest.mark.parametrize(
    "line",
    [
        "/challenge bob lgame clock:3d",
        "/resign yes",
        "/draw",
        "/undo",
        "/takeback",
        "/leave",
        "/vacation 1d",
        "/pause",
    ],
)
async def test_any_line_delivered_twice_leads_to_the_same(line: str) -> None:
    once, twice = World(), World()
    for world, times in ((once, 1), (twice, 2)):
        match = await world.begin("breakthrough", {"board": "4x5"})
        await world.table.act(match.id, MakeMove("a2-a3"), Request(ANN, world.now))
        for _ in range(times):
            await world.desk.answer(asking(world, ANN, "u1"), line)
    assert once.snapshot() == twice.snapshot()


async def test_a_press_delivered_twice_is_done_once() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    data = CallbackData(Verb.RESIGN, match.id, match.revision, CONFIRMED)
    for _ in range(2):
        await world.desk.press(asking(world, BOB, "u1"), data)
    assert (await world.table.get(match.id)).phase is Phase.OVER
    assert (await world.table.get(match.id)).revision == match.revision + 1


async def test_the_same_number_for_another_request_is_refused() -> None:
    world = World()
    await world.begin("breakthrough", {})
    await world.desk.answer(asking(world, ANN, "u1"), "/move a2-a3")
    (refused,) = await world.desk.answer(asking(world, ANN, "u1"), "/resign")
    assert "number of another" in refused.view.lines[0]


async def test_when_a_person_was_last_active_is_remembered() -> None:
    world = World()
    await world.say(ANN, "/help")
    assert (await world.store.settings.get(ANN.account)).active == world.now
    assert (await world.store.settings.get(BOB.account)).active is None
