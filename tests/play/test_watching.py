"""Showing a match in more places."""

from __future__ import annotations

from play.actions.invitations import Withdraw
from play.actions.leaving import Resign
from play.actions.watching import Watch
from play.errors import Refused
from play.facts import Watching
from play.people import Address
from play.request import CLOCKWORK
from tests.support.desk import ANN, BOB, HALL, ROOM, Desk


async def test_a_match_is_shown_at_one_more_place_and_no_longer(desk: Desk) -> None:
    match = await desk.duel()
    fact = await desk.act(match, CLOCKWORK, Watch(HALL))
    assert fact == Watching(fact.match, HALL, True)
    assert fact.match.addresses == (ROOM, HALL)
    assert list(await desk.store.matches.at(HALL)) == [fact.match]
    await desk.refused(match, CLOCKWORK, Watch(HALL), Refused.ALREADY_WATCHING)
    fact = await desk.act(match, CLOCKWORK, Watch(HALL, on=False))
    assert fact.match.addresses == (ROOM,)
    await desk.refused(match, CLOCKWORK, Watch(HALL, on=False), Refused.NOT_WATCHING)


async def test_where_it_was_made_it_stays(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refused(match, CLOCKWORK, Watch(ROOM, on=False), Refused.NOT_WATCHING)
    await desk.refused(match, CLOCKWORK, Watch(ROOM), Refused.ALREADY_WATCHING)


async def test_ten_places_and_no_more(desk: Desk) -> None:
    match = await desk.duel()
    for number in range(9):
        await desk.act(match, CLOCKWORK, Watch(Address("console", f"hall{number}")))
    await desk.refused(match, CLOCKWORK, Watch(HALL), Refused.TOO_MANY_PLACES, limit=10)
    await desk.act(match, CLOCKWORK, Watch(Address("console", "hall3"), on=False))
    await desk.act(match, CLOCKWORK, Watch(HALL))


async def test_nothing_to_watch_any_more(desk: Desk) -> None:
    match = await desk.duel()
    await desk.act(match, CLOCKWORK, Watch(HALL))
    await desk.act(match, ANN, Resign())
    await desk.refused(match, CLOCKWORK, Watch(Address("console", "x")), Refused.OVER)
    await desk.act(match, CLOCKWORK, Watch(HALL, on=False))
    made = await desk.invited(ANN, BOB, game="lgame")
    await desk.act(made, ANN, Withdraw())
    await desk.refused(made, CLOCKWORK, Watch(HALL), Refused.CALLED_OFF)
