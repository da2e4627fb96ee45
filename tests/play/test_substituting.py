"""Taking over the seat of somebody who left or lost on time."""

from __future__ import annotations

from datetime import timedelta

from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.substituting import Substitute
from play.actions.undoing import Undo
from play.errors import Refused
from play.facts import Flagged, Replaced
from play.files.importing import Import
from play.files.matchfile import read, record, write
from play.match import Exit, Match, Phase, Return
from play.request import AtRevision, Request
from play.time.days_off import take_vacation
from tests.play.desk import ANN, BOB, CEM, DAN, EVE, HALL, S1, S2, S3, S4, Desk

D = timedelta(days=1)


async def without_bob(desk: Desk, **rest: str) -> Match:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d+1h/2d", **rest)
    match = await desk.play(match, "a1 a2")
    return (await desk.table.act(match.id, Resign(), Request(BOB, desk.at))).match


async def test_somebody_else_plays_on(desk: Desk) -> None:
    match = await without_bob(desk)
    fact = await desk.table.act(
        match.id, Substitute(), Request(EVE, desk.at, seen=AtRevision(match.revision))
    )
    assert isinstance(fact, Replaced)
    assert (fact.seat, fact.player, fact.before) == (S2, EVE, BOB)
    assert fact.match.chairs[S2].player == EVE
    assert fact.match.log[-1] == Return(S2, desk.now)
    assert fact.match.times
    assert fact.match.times.left[S2] == D
    assert desk.table.course(fact.match).live == (S1, S2, S3)
    match = await desk.play(fact.match, "i1 i2", "c1 c2", "e1 e2")
    assert [entry.seat for entry in match.log][-2:] == [S2, S2]
    text = write(match)
    assert "* returned" in text
    assert read(text) == record(match)
    opened = (await desk.table.open(Import(text, HALL), Request(EVE, desk.at))).match
    assert opened.log == match.log
    await desk.refuses(desk.table.act(match.id, MakeMove("i4"), Request(BOB, desk.at)), Refused.NOT_SEATED)


async def test_after_the_flag_and_again(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d")
    assert isinstance((await desk.wait(D))[-1], Flagged)
    match = (await desk.table.act(match.id, Substitute(S1), Request(EVE, desk.at))).match
    match = (await desk.table.act(match.id, Resign(), Request(EVE, desk.at))).match
    match = (await desk.table.act(match.id, Substitute(S1), Request(DAN, desk.at))).match
    assert [type(entry) for entry in match.log] == [Exit, Return, Exit, Return]
    assert desk.table.course(match).departed == frozenset()
    await desk.refuses(desk.table.act(match.id, Undo(), Request(DAN, desk.at)), Refused.NOTHING_TO_UNDO)


async def test_who_cannot_take_what(desk: Desk) -> None:
    match = await without_bob(desk)
    await desk.refuses(desk.table.act(match.id, Substitute(), Request(CEM, desk.at)), Refused.SEAT_YOURS)
    await desk.refuses(desk.table.act(match.id, Substitute(), Request(BOB, desk.at)), Refused.SEAT_OWN)
    await desk.refuses(
        desk.table.act(match.id, Substitute(S1), Request(EVE, desk.at)), Refused.SEAT_TAKEN, seat=S1
    )
    await desk.refuses(
        desk.table.act(match.id, Substitute(S4), Request(EVE, desk.at)),
        Refused.NO_SUCH_SEAT,
        number=4,
        seats=3,
    )
    await desk.table.act(match.id, Substitute(), Request(EVE, desk.at))
    await desk.refuses(desk.table.act(match.id, Substitute(), Request(DAN, desk.at)), Refused.NO_SEAT_LEFT)
    two = await desk.duel()
    await desk.refuses(desk.table.act(two.id, Substitute(), Request(EVE, desk.at)), Refused.NO_SEAT_LEFT)
    match = (await desk.table.act(two.id, Resign(), Request(ANN, desk.at))).match
    await desk.refuses(desk.table.act(match.id, Substitute(), Request(EVE, desk.at)), Refused.OVER)


async def test_a_seat_that_is_blocked_stays_out(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="7x4", holes="")
    blocked = None
    for _ in range(40):
        match = await desk.table.get(match.id)
        if match.phase is not Phase.PLAYING:
            break
        position = desk.table.position(match)
        if position.out:
            blocked = min(position.out)
            break
        course = desk.table.course(match)
        match = await desk.play(match, course.game.notation.format(position.legal_moves()[0]))
    assert blocked is not None
    await desk.refuses(
        desk.table.act(match.id, Substitute(blocked), Request(EVE, desk.at)), Refused.SEAT_BLOCKED
    )


async def test_in_klopodavka(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, game="klopodavka")
    for _ in range(9):
        course = desk.table.course(match)
        match = await desk.play(match, course.game.notation.format(course.position.legal_moves()[0]))
    before = desk.table.position(match)
    match = (await desk.table.act(match.id, Resign(), Request(CEM, desk.at))).match
    match = (await desk.table.act(match.id, Substitute(), Request(EVE, desk.at))).match
    after = desk.table.position(match)
    assert after.out == before.out == frozenset()
    if before.to_move is not S3:
        assert after == before


async def test_a_vacation_does_not_pass_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d vacation")
    await take_vacation(desk.table, Request(BOB, desk.at), "5d")
    await desk.table.act(match.id, Resign(), Request(BOB, desk.at))
    match = (await desk.table.act(match.id, Substitute(), Request(EVE, desk.at))).match
    assert match.times
    assert match.times.away == ()
