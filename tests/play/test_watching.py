"""Showing a match in more places."""

from __future__ import annotations

from play.errors import Refused
from play.facts import Watching
from play.people import Address
from tests.play.desk import ANN, BOB, HALL, ROOM, Desk


async def test_a_match_is_shown_at_one_more_place_and_no_longer(desk: Desk) -> None:
    match = await desk.duel()
    fact = await desk.table.watch(match.id, HALL)
    assert fact == Watching(fact.match, HALL, True)
    assert fact.match.addresses == (ROOM, HALL)
    assert list(await desk.store.matches.at(HALL)) == [fact.match]
    await desk.refuses(desk.table.watch(match.id, HALL), Refused.ALREADY_WATCHING)
    fact = await desk.table.watch(match.id, HALL, on=False)
    assert fact.match.addresses == (ROOM,)
    await desk.refuses(desk.table.watch(match.id, HALL, on=False), Refused.NOT_WATCHING)


async def test_where_it_was_made_it_stays(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refuses(desk.table.watch(match.id, ROOM, on=False), Refused.NOT_WATCHING)
    await desk.refuses(desk.table.watch(match.id, ROOM), Refused.ALREADY_WATCHING)


async def test_ten_places_and_no_more(desk: Desk) -> None:
    match = await desk.duel()
    for number in range(9):
        await desk.table.watch(match.id, Address("console", f"hall{number}"))
    await desk.refuses(desk.table.watch(match.id, HALL), Refused.TOO_MANY_PLACES, limit=10)
    await desk.table.watch(match.id, Address("console", "hall3"), on=False)
    await desk.table.watch(match.id, HALL)


async def test_nothing_to_watch_any_more(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.watch(match.id, HALL)
    await desk.table.resign(match.id, ANN, at=desk.at)
    await desk.refuses(desk.table.watch(match.id, Address("console", "x")), Refused.OVER)
    await desk.table.watch(match.id, HALL, on=False)
    made = (await desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at, opponents=(BOB,))).match
    await desk.table.withdraw(made.id, ANN, at=desk.at)
    await desk.refuses(desk.table.watch(made.id, HALL), Refused.CALLED_OFF)
