"""The list of what waits for a person."""

from __future__ import annotations

from datetime import timedelta

from play.actions.agreeing import AskPause, OfferDraw
from play.actions.leaving import Resign
from play.actions.seating import Join
from play.listing import Listed, Waits, waiting
from play.opening import Challenge, Lobby
from play.people import Player
from play.time.clock import Now
from tests.support.desk import ANN, BOB, CEM, EVE, HALL, ROOM, S1, S2, Desk

D = timedelta(days=1)


async def listed(desk: Desk, who: Player) -> tuple[Listed, ...]:
    live = [(match, desk.table.course(match)) for match in await desk.store.matches.of(who.account)]
    return waiting(who.account, live, Now(desk.now))


async def test_most_urgent_first(desk: Desk) -> None:
    calm = await desk.duel()
    slow = await desk.duel(clock="10d")
    fast = await desk.duel(clock="1d")
    theirs = await desk.play(await desk.duel(clock="2d"), "a2-a3")
    asked = await desk.play(await desk.duel(), "a2-a3")
    await desk.act(asked, BOB, OfferDraw())
    invited = (await desk.open(BOB, Challenge(HALL, "lgame", opponents=(ANN,)))).match
    mine = (await desk.open(ANN, Challenge(HALL, "lgame", opponents=(BOB,)))).match
    over = await desk.duel()
    await desk.act(over, ANN, Resign())
    entries = await listed(desk, ANN)
    assert [(entry.match.id, entry.waits) for entry in entries] == [
        (fast.id, Waits.MOVE),
        (invited.id, Waits.INVITATION),
        (slow.id, Waits.MOVE),
        (calm.id, Waits.MOVE),
        (asked.id, Waits.ANSWER),
        (mine.id, Waits.OTHERS),
        (theirs.id, Waits.OTHERS),
    ]
    by_id = {entry.match.id: entry for entry in entries}
    assert by_id[calm.id].left is None
    assert by_id[fast.id].left is not None
    assert by_id[fast.id].left < D  # type: ignore[operator]
    assert by_id[theirs.id].seat is S1
    assert by_id[invited.id].seat is None
    assert all(entry.mine == (entry.waits is not Waits.OTHERS) for entry in entries)
    lefts = [entry.left for entry in entries if entry.mine and entry.left is not None]
    assert lefts == sorted(lefts)
    bob = {entry.match.id: entry.waits for entry in await listed(desk, BOB)}
    assert bob[theirs.id] is Waits.MOVE
    assert bob[calm.id] is Waits.OTHERS
    assert await listed(desk, EVE) == ()


async def test_a_paused_match_waits_for_no_player(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    for who in (ANN, BOB):
        await desk.act(match, who, AskPause())
    (entry,) = await listed(desk, ANN)
    assert (entry.waits, entry.paused, entry.left) == (Waits.OTHERS, True, None)


async def test_a_full_lobby_waits_for_its_host(desk: Desk) -> None:
    made = (await desk.open(ANN, Lobby(ROOM, "notches", {"players": "2"}))).match
    await desk.act(made, CEM, Join())
    (entry,) = await listed(desk, ANN)
    assert entry.waits is Waits.MOVE
    (entry,) = await listed(desk, CEM)
    assert (entry.waits, entry.seat) == (Waits.OTHERS, S2)
