"""What the sender says: each place in its language, people in theirs, whom it calls, and several facts as one message."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta

import pytest

from bot.chat.sending.routing import MessageKind
from play.actions.agreeing import Answer, AskTakeback, OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.match import Ask, Chair, Closing, Match, Phase, engine
from play.people import Address
from play.request import Request
from play.settings import QuietHours, Settings
from rules.core import Seat
from tests.bot.chat.presenting.test_facts import spare
from tests.bot.world import ANN, BOB, CEM, HALL, NOON, ROOM, World
from tests.support.services import Composing
from tests.support.stores import set_settings

FAR = Address("other", "place")


async def begun(world: World, *, seats: int = 2) -> Match:
    if seats > 2:
        return await world.begin("klopodavka", {"players": str(seats)})
    return await world.begin("breakthrough", {"board": "4x5"})


def composer(world: World) -> Composing:
    return Composing(world.table, world.store)


async def test_the_player_on_turn_is_called_once_and_only_where_they_are() -> None:
    world = World()
    moved = await world.table.act((await begun(world)).id, MakeMove("a2-a3"), Request(ANN, NOON))
    everywhere = replace(moved, match=replace(moved.match, addresses=(ROOM, HALL, FAR)))
    called = [(await composer(world).compose([everywhere], to)).ping for to in (ROOM, HALL, FAR)]
    assert called == [(BOB.account,), (), ()]


@pytest.mark.parametrize(("idle", "away"), [(timedelta(seconds=30), False), (timedelta(hours=1), True)])
async def test_the_end_of_a_match_changes_its_board_only_if_all_players_look(
    idle: timedelta, away: bool
) -> None:
    world = World()
    code, then = (await begun(world)).id, NOON + idle
    await world.table.act(code, MakeMove("a2-a3"), Request(ANN, NOON))
    await world.table.act(code, MakeMove("b4-b3"), Request(BOB, NOON))
    over = await world.table.act(code, Resign(), Request(ANN, then))
    announcement = await Composing(world.table, world.store, lambda: then).compose([over], ROOM)
    assert announcement.kind is MessageKind.IN_PLACE
    assert (BOB.account in announcement.looking) is away


async def test_only_who_has_to_answer_is_called() -> None:
    world = World()
    code = (await begun(world)).id
    # She is on turn, he is not: he has to answer.
    asked = await world.table.act(code, OfferDraw(), Request(ANN, NOON))
    announcement = await composer(world).compose([asked], ROOM)
    assert (announcement.kind, announcement.ping) == (MessageKind.QUESTION, (BOB.account,))
    declined = await world.table.act(code, Answer(Ask.DRAW, False), Request(BOB, NOON))
    assert (await composer(world).compose([declined], ROOM)).ping == ()
    await world.table.act(code, MakeMove("a2-a3"), Request(ANN, NOON))
    await world.table.act(code, MakeMove("b4-b3"), Request(BOB, NOON))
    back = await world.table.act(code, AskTakeback(), Request(ANN, NOON))
    assert (await composer(world).compose([back], ROOM)).ping == (BOB.account,)
    quiet = Settings(quiet=QuietHours(time(11), time(13), "UTC"))
    await set_settings(world.store, ROOM, quiet)
    at_noon = Composing(world.table, world.store, lambda: NOON)
    assert (await at_noon.compose([back], ROOM)).ping == ()


async def test_of_several_who_are_asked_those_are_called_who_have_not_answered() -> None:
    world = World()
    code = (await begun(world, seats=3)).id
    asked = await world.table.act(code, OfferDraw(), Request(ANN, NOON))
    assert (await composer(world).compose([asked], ROOM)).ping == (BOB.account, CEM.account)
    agreed = await world.table.act(code, Answer(Ask.DRAW, True), Request(BOB, NOON))
    announcement = await composer(world).compose([agreed], ROOM)
    assert (announcement.kind, announcement.ping) == (MessageKind.NOTE, (CEM.account,))
    both = await composer(world).compose([asked, agreed], ROOM)
    assert (both.kind, both.ping) == (MessageKind.QUESTION, (CEM.account,))


async def test_where_everybody_is_out_engines_play_on_in_silence() -> None:
    world = World()
    match = await begun(world, seats=3)
    moved = await world.table.act(match.id, MakeMove(await spare(world, match.id)), Request(ANN, NOON))
    said = composer(world)
    assert await said.wants([moved], ROOM)
    one = engine(4)
    chairs = (Chair(player=ANN), Chair(player=one), Chair(player=engine(4, {one.account})))
    alone = replace(moved, seat=Seat.S2, match=replace(moved.match, chairs=chairs))
    assert await said.wants([alone], ROOM), "ann is still in"
    course = world.table.course(moved.match).left(Seat.S1, Closing.RESIGNED, NOON)
    alone = replace(alone, match=replace(alone.match, log=course.log, revision=alone.match.revision + 1))
    assert not await said.wants([alone], ROOM)
    assert await said.wants([replace(alone, fell=(Seat.S1,))], ROOM), "what put her out"
    assert await said.wants([moved, alone], ROOM)
    assert await said.wants([replace(alone, match=replace(alone.match, phase=Phase.OVER))], ROOM), "the end"
