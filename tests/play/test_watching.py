"""Showing a match in more places."""

from __future__ import annotations

from play.actions.leaving import Resign
from play.actions.renaming import Watch, show
from play.actions.seating import Withdraw
from play.errors import Refused
from play.facts import Watching
from play.match import MAX_ADDRESSES, Match
from play.opening import rematch
from play.people import Address, Player
from play.request import CLOCKWORK, Request
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, Desk, player


def halls(whose: str, count: int) -> list[Address]:
    return [Address("console", f"{whose}{number}") for number in range(count)]


async def shown(desk: Desk, match: Match, who: Player, *places: Address) -> Match:
    """The match after a person asked for places."""
    for where in places:
        match = (await show(desk.table, match, where, Request(who, desk.at))).match
    return match


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


async def test_a_stranger_s_places_give_way_to_the_places_of_others(desk: Desk) -> None:
    """The stranger with most of them loses the oldest, until each has as many."""
    match = await desk.duel()
    bobs, cems, dans, eves = (halls(name, 9) for name in ("bob", "cem", "dan", "eve"))
    match = await shown(desk, match, BOB, bobs[0])
    match = await shown(desk, match, CEM, *cems[:8])
    assert len(match.addresses) == MAX_ADDRESSES
    await desk.refuses(shown(desk, match, CEM, cems[8]), Refused.TOO_MANY_PLACES, limit=10)
    match = await shown(desk, match, DAN, *dans[:4])
    assert match.addresses == (ROOM, bobs[0], *cems[4:8], *dans[:4])
    await desk.refuses(shown(desk, match, DAN, dans[4]), Refused.TOO_MANY_PLACES, limit=10)
    match = await shown(desk, match, EVE, *eves[:2])
    assert match.addresses == (ROOM, bobs[0], *cems[5:8], *dans[1:4], *eves[:2])
    await desk.refuses(shown(desk, match, EVE, eves[2]), Refused.TOO_MANY_PLACES, limit=10)


async def test_players_find_a_place_as_long_as_strangers_have_one(desk: Desk) -> None:
    match = await desk.duel()
    strangers = [(player(f"Stranger {number}"), where) for number, where in enumerate(halls("hall", 9))]
    for who, where in strangers:
        match = await shown(desk, match, who, where)
    await desk.refuses(shown(desk, match, CEM, HALL), Refused.TOO_MANY_PLACES, limit=10)
    match = (await show(desk.table, match, HALL, Request(CEM, desk.at), joins=True)).match
    assert match.addresses == (ROOM, *[where for _, where in strangers[1:]], HALL)
    anns = halls("ann", 10)
    match = await shown(desk, match, ANN, *anns[:9])  # Cem did not join after all
    assert match.addresses == (ROOM, *anns[:9])
    await desk.refuses(shown(desk, match, BOB, HALL), Refused.TOO_MANY_PLACES, limit=10)


async def test_who_asked_for_the_places_is_known_in_a_rematch(desk: Desk) -> None:
    match = await shown(desk, await desk.duel(), CEM, *halls("cem", 9))
    await desk.act(match, ANN, Resign())
    match = (await rematch(desk.table, match.id, Request(ANN, desk.at))).match
    assert HALL in (await shown(desk, match, BOB, HALL)).addresses
    assert len(match.shown_by) == len(match.addresses) - 1 == MAX_ADDRESSES - 1
