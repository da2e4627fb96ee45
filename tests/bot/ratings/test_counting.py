"""Rated matches count when their end comes by, with or without a recipient."""

from __future__ import annotations

from unittest.mock import AsyncMock

import pytest

from bot.chat.sending import Sender
from bot.chat.sending.composer import Composer
from bot.features.events.announcing import EventComposer
from bot.features.ratings.commands import Counts
from play.actions.agreeing import OfferDraw
from play.actions.leaving import Resign
from play.errors import Unavailable
from play.facts import Departed
from play.match import Match
from play.request import Request
from tests.bot.ratings.test_commands import rated
from tests.bot.world import ANN, BOB, NOON, ROOM, World
from tests.support.composing import Composing
from tests.support.memory.people import MemoryRatings


async def over(world: World) -> Departed:
    match = await rated(world)
    return await world.table.act(match.id, Resign(), Request(BOB, NOON))


async def played(world: World) -> list[int]:
    found = await world.store.ratings.get("lgame", ANN.account, BOB.account)
    return [rating.played if rating else 0 for rating in found]


async def test_it_counts_once_though_no_one_is_told() -> None:
    world = World()
    await over(world)
    for _ in range(2):
        sender = Sender(
            world.store.outgoing(),
            world.store.bucket(),
            Composer(world.table, "en", events=EventComposer(world.table, "en")),
            [],
            now=world.store.now,
            also=[Counts(world.table, world.store)],
        )
        await sender.drain()
        assert await played(world) == [1, 1]


async def test_the_same_is_said_each_time() -> None:
    world = World()
    fact = await over(world)
    composer = Composing(world.table, world.store)
    first = (await composer.compose([fact], ROOM)).view.after
    assert first[-1].startswith("Ratings: ")
    await over(world)  # not told yet
    assert (await composer.compose([fact], ROOM)).view.after == first
    assert await played(world) == [1, 1]


async def test_a_match_that_goes_on_does_not_count() -> None:
    world = World()
    match = await rated(world)
    moved = await world.table.act(match.id, OfferDraw(), Request(ANN, NOON))
    assert await Counts(world.table, world.store)(moved) == ()
    assert await played(world) == [0, 0]


async def test_while_the_store_is_silent_the_fact_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    fact = await over(world)
    with monkeypatch.context() as patched:
        patched.setattr(MemoryRatings, "counted", AsyncMock(side_effect=Unavailable))
        with pytest.raises(Unavailable):
            await Counts(world.table, world.store)(fact)
    await Counts(world.table, world.store)(fact)
    assert await played(world) == [1, 1]


async def test_a_match_that_is_gone_is_passed_over() -> None:
    world = World()
    fact = await over(world)
    gone: Match = world.store.matches.stored.pop(fact.match.id)
    assert gone.rated
    assert await Counts(world.table, world.store)(fact) == ()
    said = await Composing(world.table, world.store).compose([fact], ROOM)
    assert len(said.view.after) == 1
