"""Showing a match in more places."""

from __future__ import annotations

from play.actions.invitations import Withdraw
from play.actions.leaving import Resign
from play.actions.watching import Watch
from play.errors import Refused
from play.facts import Watching
from play.opening import Challenge
from play.people import Address
from play.request import CLOCKWORK, Request
from tests.play.desk import ANN, BOB, HALL, ROOM, Desk


async def test_a_match_is_shown_at_one_more_place_and_no_longer(desk: Desk) -> None:
    match = await desk.duel()
    fact = await desk.table.act(match.id, Watch(HALL), Request(CLOCKWORK, desk.now))
    assert fact == Watching(fact.match, HALL, True)
    assert fact.match.addresses == (ROOM, HALL)
    assert list(await desk.store.matches.at(HALL)) == [fact.match]
    await desk.refuses(
        desk.table.act(match.id, Watch(HALL), Request(CLOCKWORK, desk.now)), Refused.ALREADY_WATCHING
    )
    fact = await desk.table.act(match.id, Watch(HALL, on=False), Request(CLOCKWORK, desk.now))
    assert fact.match.addresses == (ROOM,)
    await desk.refuses(
        desk.table.act(match.id, Watch(HALL, on=False), Request(CLOCKWORK, desk.now)), Refused.NOT_WATCHING
    )


async def test_where_it_was_made_it_stays(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refuses(
        desk.table.act(match.id, Watch(ROOM, on=False), Request(CLOCKWORK, desk.now)), Refused.NOT_WATCHING
    )
    await desk.refuses(
        desk.table.act(match.id, Watch(ROOM), Request(CLOCKWORK, desk.now)), Refused.ALREADY_WATCHING
    )


async def test_ten_places_and_no_more(desk: Desk) -> None:
    match = await desk.duel()
    for number in range(9):
        await desk.table.act(
            match.id, Watch(Address("console", f"hall{number}")), Request(CLOCKWORK, desk.now)
        )
    await desk.refuses(
        desk.table.act(match.id, Watch(HALL), Request(CLOCKWORK, desk.now)), Refused.TOO_MANY_PLACES, limit=10
    )
    await desk.table.act(match.id, Watch(Address("console", "hall3"), on=False), Request(CLOCKWORK, desk.now))
    await desk.table.act(match.id, Watch(HALL), Request(CLOCKWORK, desk.now))


async def test_nothing_to_watch_any_more(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.act(match.id, Watch(HALL), Request(CLOCKWORK, desk.now))
    await desk.table.act(match.id, Resign(), Request(ANN, desk.at))
    await desk.refuses(
        desk.table.act(match.id, Watch(Address("console", "x")), Request(CLOCKWORK, desk.now)), Refused.OVER
    )
    await desk.table.act(match.id, Watch(HALL, on=False), Request(CLOCKWORK, desk.now))
    made = (await desk.table.open(Challenge(ROOM, "lgame", opponents=(BOB,)), Request(ANN, desk.at))).match
    await desk.table.act(made.id, Withdraw(), Request(ANN, desk.at))
    await desk.refuses(desk.table.act(made.id, Watch(HALL), Request(CLOCKWORK, desk.now)), Refused.CALLED_OFF)
