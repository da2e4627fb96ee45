"""/ladder: what no evening tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.i18n import words
from play.events.entries import OnProbation
from play.events.event import Event
from play.events.ladder import ladder_of
from tests.bot.world import ANN, BOB, ROOM, World


async def ladder(world: World) -> Event:
    (event,) = await world.store.events.at(ROOM)
    return event


@pytest.mark.parametrize(("age", "young"), [(timedelta(days=2), True), (timedelta(days=8), False)])
@pytest.mark.parametrize("form", ["ladder", "league"])
async def test_a_young_account_plays_but_does_not_move_up(form: str, age: timedelta, young: bool) -> None:
    world = World()
    await world.say(ANN, f"/{form} new lgame clock:1d")
    await world.say(ANN, f"/{form} join")
    await world.desk.answer(replace(world.visitor(BOB), created=world.now - age), f"/{form} join")
    event = await ladder(world)
    found = [entry.until for entry in event.log if isinstance(entry, OnProbation)]
    assert found == ([world.now - age + timedelta(days=7)] if young else [])
    admin = replace(world.visitor(ANN), admin=True)
    (seen,) = await world.desk.answer(admin, f"/{form} admin")
    assert any("bob" in line for line in seen.view.lines)
    if form == "league":
        return
    assert await world.told(BOB, "/ladder challenge ann")
    assert len(ladder_of(await ladder(world)).challenges) == 1


async def test_people_who_blocked_each_other_do_not_challenge() -> None:
    world = World()
    for line in ("/ladder new lgame clock:1d", "/ladder join", "/block bob"):
        await world.say(ANN, line)
    await world.say(BOB, "/ladder join")
    assert await world.told(BOB, "/ladder challenge ann") == words("en")("match.refused.blocked")
    assert not ladder_of(await ladder(world)).challenges


async def test_a_place_has_one_ladder_of_a_game() -> None:
    world = World()
    for _ in range(2):
        await world.say(ANN, "/ladder new lgame clock:1d")
    assert (await ladder(world)).setup.game == "lgame"


async def test_a_ladder_takes_two_and_is_closed_by_admins() -> None:
    world = World()
    assert await world.told(ANN, "/ladder new klopodavka players:4 clock:1d") == words("en")(
        "bot.event.refused.for-two"
    )
    await world.say(ANN, "/ladder new lgame clock:1d")
    await world.say(BOB, "/ladder stop")
    assert (await ladder(world)).live


async def test_cups_and_ladders_are_not_taken_for_each_other() -> None:
    world, said = World(), words("en")
    await world.say(ANN, "/ladder new lgame clock:1d")
    code = (await ladder(world)).id
    assert await world.told(ANN, "/cup") == said("bot.cup.none")
    assert await world.told(ANN, "/cup table") == said("bot.cup.refused.none-here")
    assert await world.told(ANN, f"/cup join {code}") == said("event.refused.no-such-event", code=code)
    await world.say(BOB, "/cup new lgame clock:1d most:4")
    (cup,) = [event for event in await world.store.events.at(ROOM) if event.id != code]
    assert await world.told(ANN, f"/ladder join {cup.id}") == said("event.refused.no-such-event", code=cup.id)
    assert "Your place: 1." in await world.told(ANN, "/ladder join")
    assert await world.told(ANN, "/cup join") == said("bot.cup.joined", code=f"#{cup.id}")
