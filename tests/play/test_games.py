"""The list of what waits for a person."""

from __future__ import annotations

from datetime import timedelta

from play.games import Waits
from tests.play.desk import ANN, BOB, CEM, EVE, HALL, ROOM, S1, S2, Desk

D = timedelta(days=1)


async def test_most_urgent_first(desk: Desk) -> None:
    calm = await desk.duel()
    slow = await desk.duel(clock="10d")
    fast = await desk.duel(clock="1d")
    theirs = await desk.play(await desk.duel(clock="2d"), "a2-a3")
    asked = await desk.play(await desk.duel(), "a2-a3")
    await desk.table.offer_draw(asked.id, BOB, at=desk.at)
    invited = (await desk.table.challenge(BOB, HALL, "lgame", {}, at=desk.at, opponents=(ANN,))).match
    mine = (await desk.table.challenge(ANN, HALL, "lgame", {}, at=desk.at, opponents=(BOB,))).match
    over = await desk.duel()
    await desk.table.resign(over.id, ANN, at=desk.at)
    entries = await desk.table.waiting(ANN.account, at=desk.now)
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
    bob = {entry.match.id: entry.waits for entry in await desk.table.waiting(BOB.account, at=desk.now)}
    assert bob[theirs.id] is Waits.MOVE
    assert bob[calm.id] is Waits.OTHERS
    assert await desk.table.waiting(EVE.account, at=desk.now) == ()


async def test_a_paused_match_waits_for_nobody(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    for who in (ANN, BOB):
        await desk.table.ask_pause(match.id, who, at=desk.at)
    (entry,) = await desk.table.waiting(ANN.account, at=desk.at)
    assert (entry.waits, entry.paused, entry.left) == (Waits.OTHERS, True, None)


async def test_a_full_lobby_waits_for_its_host(desk: Desk) -> None:
    made = (await desk.table.open_lobby(ANN, ROOM, "notches", {"players": "2"}, at=desk.at)).match
    await desk.table.join(made.id, CEM, at=desk.at)
    (entry,) = await desk.table.waiting(ANN.account, at=desk.at)
    assert entry.waits is Waits.MOVE
    (entry,) = await desk.table.waiting(CEM.account, at=desk.at)
    assert (entry.waits, entry.seat) == (Waits.OTHERS, S2)
