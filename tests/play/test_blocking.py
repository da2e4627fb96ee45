"""Blocks are kept to in every way in which people meet, in both directions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from play.actions.agreeing import OfferDraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import NotAllowed, Refused
from play.match import Phase
from play.opening import Challenge, Lobby, rematch
from play.people import Account, Player
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, ROOM, World

BOBBY = Player(Account("telegram", "7"), "Bobby")


async def blocks(world: World, who: Player, whom: Player) -> None:
    await world.store.settings.change(who.account, lambda now: replace(now, blocked=(whom,)))


@pytest.mark.parametrize(("who", "whom"), [(ANN, BOB), (BOB, ANN)])
async def test_neither_meets_or_asks_the_other(who: Player, whom: Player) -> None:
    world = World()
    match = await world.begin("breakthrough", {"board": "4x5"})
    over = await world.begin("lgame", {})
    await world.table.act(over.id, Resign(), Request(BOB, world.now))
    lobby = (
        await world.table.open(Lobby(ROOM, "klopodavka", {"players": "3"}), Request(CEM, world.now))
    ).match
    await world.table.act(lobby.id, Join(), Request(BOB, world.now))
    await blocks(world, who, whom)
    refusal = Refused.YOU_BLOCKED if who is ANN else Refused.BLOCKED
    request = Request(ANN, world.now)
    for asked in (
        world.table.open(Challenge(ROOM, "lgame", opponents=[BOB]), request),
        world.table.act(match.id, OfferDraw(), request),
        world.table.act(lobby.id, Join(), request),
        rematch(world.table, over.id, request),
    ):
        with pytest.raises(NotAllowed) as refused:
            await asked
        assert refused.value.reason is refusal
    await world.table.act(match.id, MakeMove("a2-a3"), request)
    await world.table.act(match.id, Resign(), Request(BOB, world.now))
    assert (await world.table.get(match.id)).phase is Phase.OVER


async def test_an_account_that_is_linked_later_stays_blocked() -> None:
    world = World()
    await blocks(world, ANN, BOBBY)
    await world.store.settings.change(BOB.account, lambda now: replace(now, others=(BOBBY.account,)))
    for asker, other in ((ANN, BOB), (BOB, ANN)):
        with pytest.raises(NotAllowed):
            await world.table.open(Challenge(ROOM, "lgame", opponents=[other]), Request(asker, world.now))


@pytest.mark.parametrize("who", [ANN, BOB])
async def test_who_is_excluded_while_they_play_may_still_ask_the_other(who: Player) -> None:
    world = World()
    match = await world.begin("lgame", {})
    await world.store.settings.change(ROOM, lambda now: replace(now, excluded=(who,)))
    await world.table.act(match.id, OfferDraw(), Request(who, world.now))
    assert (await world.table.get(match.id)).offer is not None
