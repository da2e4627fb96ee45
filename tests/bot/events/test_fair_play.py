"""/cup admin: what admins alone see of newcomers, games given up early, and turns like the engine's."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat.i18n import LANGUAGES
from bot.chat.thinking import Thinker
from play.actions.leaving import Resign
from play.actions.seating import Join
from play.match import Match
from play.opening import Challenge
from play.people import Player
from play.ratings.model import MOST_A_DAY
from play.request import Request
from tests.bot.events.test_cups import event, pass_time, play_out, world_with
from tests.bot.overhearing import Overhearing
from tests.bot.thinking.helpers import Inline
from tests.bot.world import ANN, BOB, CEM, HALL, ROOM, World


async def seen(world: World, who: Player = ANN, line: str = "/cup admin", *, admin: bool = True) -> str:
    """What a person is told, and no one else."""
    visitor = replace(world.visitor(who), admin=admin)
    (message,) = await world.desk.answer(visitor, line)
    assert message.to != ROOM
    return "\n".join(message.view.lines)


async def lost_at_once(world: World, loser: Player, winner: Player) -> Match:
    """A match that one gives up after both have moved once."""
    made = await world.table.open(
        Challenge(ROOM, "breakthrough", {}, opponents=[winner], rated=True), Request(loser, world.now)
    )
    match = (await world.table.act(made.match.id, Join(), Request(winner, world.now))).match
    match = await world.all_move(match)
    match = (await world.table.act(match.id, Resign(), Request(loser, world.now))).match
    await world.desk.drained()
    return match


@pytest.mark.parametrize("language", LANGUAGES)
async def test_only_admins_of_a_chat_that_shows_it_see_it(language: str) -> None:
    world = await world_with(ANN, BOB, CEM, language=language)
    assert "ann" in await seen(world)
    assert "ann" not in await seen(world, admin=False)
    visitor = replace(world.visitor(ANN, HALL), admin=True)
    (message,) = await world.desk.answer(visitor, f"/cup admin #{event(world).id}")
    assert message.refused


async def test_who_is_new_is_marked_and_plays() -> None:
    world = World()
    world.store.clock = lambda: world.now
    for pair in ((BOB, CEM), (CEM, BOB)):
        await lost_at_once(world, *pair)
    world.now += timedelta(days=2)
    await world.say(ANN, "/cup new lgame clock:1d most:8")
    young = replace(world.visitor(BOB), created=world.now - timedelta(days=6))
    old = replace(world.visitor(CEM), created=world.now - timedelta(days=8))
    for visitor in (world.visitor(ANN), young, old):
        await world.desk.answer(visitor, "/cup join")
    told = await seen(world)
    assert "ann and bob" in told
    assert "cem" not in told
    await pass_time(world, 25)
    assert len(event(world).state.playing) == 3
    await world.say(BOB, "/forgetme yes")
    assert "bob" not in await seen(world)


async def test_who_gives_up_early_to_the_same_person_again_and_again_is_told() -> None:
    world = await world_with(ANN, BOB, CEM)
    for _ in range(2):
        await lost_at_once(world, BOB, ANN)
        await lost_at_once(world, CEM, ANN)
    assert "bob to ann" not in await seen(world)
    await lost_at_once(world, BOB, ANN)
    told = await seen(world)
    assert "bob to ann: 3 times" in told
    assert "cem to ann" not in told


async def test_games_are_compared_with_the_engine_once_an_admin_looks() -> None:
    world = await world_with(ANN, BOB, CEM, line="/cup new breakthrough 5x5 clock:1d most:8")
    solver = Inline()
    thinker = Thinker(solver)
    world.desk = Overhearing(world.table, world.store, lambda: world.now, "en", ROOM, thinker=thinker)
    await pass_time(world, 25)
    await play_out(world, BOB, ANN, CEM, turns=3)
    await world.say(ANN, f"/analyse #{next(iter(world.store.matches.stored))}")
    await thinker.settled()
    solver.asked.clear()  # none of its answers counts here: computers of people who play may have given them
    assert "0 of 6, about 3 minutes to go" in await seen(world)
    assert "of 6, about" in await seen(world)  # an impatient admin has nothing searched twice
    await thinker.settled()
    courses = [world.table.course(match) for match in world.store.matches.stored.values()]
    played = {course.game.notation.format_position(at) for course in courses for at in course.positions}
    asked = [position for job in solver.asked for position in (job.position, *job.after)]
    assert set(asked) == played
    told = await seen(world)
    assert "of 6" not in told
    assert "ann: " in told.split("engine")[1]
    assert "Nothing happens by itself" in told


async def test_five_games_a_day_of_the_same_two_are_rated_those_of_an_event_among_them() -> None:
    world = World()
    world.store.clock = lambda: world.now
    for _ in range(MOST_A_DAY - 1):
        await lost_at_once(world, BOB, ANN)
    await world.say(ANN, "/cup new breakthrough clock:1d most:3")
    for who in (ANN, BOB, CEM):
        await world.say(who, "/cup join")  # the third one begins it
    played = 0
    while both := [match for match in world.playing() if {*match.people()} == {ANN.account, BOB.account}]:
        match = await world.all_move(await world.all_move(both[0]))
        await world.table.act(match.id, Resign(), Request(BOB, world.now))
        await world.desk.drained()
        played += 1
    (rating,) = await world.store.ratings.get("breakthrough", ANN.account)
    assert rating is not None
    assert (played, rating.played) == (2, MOST_A_DAY)
    assert sum(game.counts for game in event(world).state.games) == 2, "the cup counts both"


async def test_a_ladder_has_the_same_view_for_its_admins() -> None:
    world = World()
    world.store.clock = lambda: world.now
    await world.say(ANN, "/ladder new breakthrough clock:1d")
    for who in (ANN, BOB):
        await world.say(who, "/ladder join")
    for _ in range(3):
        await lost_at_once(world, ANN, BOB)
    assert "ann to bob: 3 times" in await seen(world, line="/ladder admin")
    assert "ann to bob" not in await seen(world, line="/ladder admin", admin=False)
