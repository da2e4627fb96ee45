"""Giving up, of two and of more."""

from __future__ import annotations

from play.errors import Refused
from play.facts import Departed
from play.match import Closing, Exit, Phase, Result
from tests.play.desk import ANN, BOB, CEM, DAN, EVE, ROOM, S1, S2, S3, Desk


async def test_of_two_the_other_wins(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3")
    fact = await desk.table.resign(match.id, ANN, at=desk.at)
    assert isinstance(fact, Departed)
    assert (fact.seat, fact.player) == (S1, ANN)
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((S2,), Closing.RESIGNED.value)
    assert fact.match.log == match.log
    await desk.refuses(desk.table.resign(match.id, BOB, at=desk.at), Refused.OVER)


async def test_of_more_the_rest_play_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    match = await desk.play(match, "a1 a2", "e1")
    at = desk.at
    fact = await desk.table.leave(match.id, BOB, at=at)
    assert isinstance(fact, Departed)
    assert fact.match.phase is Phase.PLAYING
    assert fact.match.log[-1] == Exit(S2, Closing.RESIGNED, at)
    position = desk.table.position(fact.match)
    assert position.to_move is S3
    assert position.out == {S2}
    await desk.refuses(desk.table.resign(match.id, BOB, at=desk.at), Refused.YOU_ARE_OUT)
    await desk.refuses(desk.table.move(match.id, BOB, "e2", at=desk.at), Refused.YOU_ARE_OUT)
    await desk.play(match, "i1 i2", "a9 b9", "a3 a4", "i3")


async def test_the_last_one_left_wins_by_the_rules(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.table.resign(match.id, CEM, at=desk.at)
    fact = await desk.table.resign(match.id, ANN, at=desk.at)
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((S2,), "notches.ending.last-left")


async def test_who_may_not_resign(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refuses(desk.table.resign(match.id, EVE, at=desk.at), Refused.NOT_SEATED)
    await desk.stale(desk.table.resign(match.id, ANN, at=desk.at, seen=1), match)
    await desk.stale(desk.table.leave(match.id, ANN, at=desk.at, seen=1), match)
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    over = await desk.table.leave(match.id, ANN, at=desk.at)
    assert over.match.offer is None
    await desk.refuses(desk.table.leave(match.id, BOB, at=desk.at), Refused.OVER)


async def test_resigning_before_the_start(desk: Desk) -> None:
    made = (await desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at)).match
    await desk.refuses(desk.table.resign(made.id, ANN, at=desk.at), Refused.NOT_STARTED)
    await desk.refuses(desk.table.resign(made.id, CEM, at=desk.at), Refused.NOT_SEATED)
