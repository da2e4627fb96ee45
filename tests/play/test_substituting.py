"""Taking over the seat of a player who left or lost on time."""

from __future__ import annotations

from datetime import timedelta

from play.actions.agreeing import Undo
from play.actions.leaving import Resign, Substitute
from play.actions.playing import MakeMove
from play.errors import Refused
from play.facts import Flagged, Replaced
from play.files.matchfile import Import, write
from play.files.matchreader import read, record
from play.match import Exit, Match, Phase, Return
from play.request import Request
from play.time.vacation import take_vacation
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, S1, S2, S3, S4, Desk, times

D = timedelta(days=1)


async def without_bob(desk: Desk) -> Match:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d+1h/2d")
    match = await desk.play(match, "a1 a2")
    return (await desk.act(match, BOB, Resign())).match


async def test_another_person_plays_on(desk: Desk) -> None:
    match = await without_bob(desk)
    fact = await desk.gives(Replaced, match, EVE, Substitute(), seen=match.revision)
    assert (fact.seat, fact.player, fact.before) == (S2, EVE, BOB)
    assert fact.match.chairs[S2].player == EVE
    assert fact.match.log[-1] == Return(S2, desk.now)
    assert times(fact.match).left[S2] == D
    assert desk.table.course(fact.match).live == (S1, S2, S3)
    match = await desk.play(fact.match, "i1 i2", "c1 c2", "e1 e2")
    assert [entry.seat for entry in match.log][-2:] == [S2, S2]
    text = write(match)
    assert "* returned" in text
    assert read(text) == record(match)
    opened = (await desk.open(EVE, Import(text, HALL))).match
    assert opened.log == match.log
    await desk.refused(match, BOB, MakeMove("i4"), Refused.NOT_SEATED)


async def test_after_the_flag_and_again(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d")
    assert isinstance((await desk.wait(D))[-1], Flagged)
    match = (await desk.act(match, EVE, Substitute(S1))).match
    match = (await desk.act(match, EVE, Resign())).match
    match = (await desk.act(match, DAN, Substitute(S1))).match
    assert [type(entry) for entry in match.log] == [Exit, Return, Exit, Return]
    assert desk.table.course(match).departed == frozenset()
    await desk.refused(match, DAN, Undo(), Refused.NOTHING_TO_UNDO)


async def test_who_cannot_take_what(desk: Desk) -> None:
    match = await without_bob(desk)
    await desk.refused(match, CEM, Substitute(), Refused.SEAT_YOURS)
    await desk.refused(match, BOB, Substitute(), Refused.SEAT_OWN)
    await desk.refused(match, EVE, Substitute(S1), Refused.SEAT_TAKEN, seat=S1)
    await desk.refused(match, EVE, Substitute(S4), Refused.NO_SUCH_SEAT, number=4, seats=3)
    await desk.act(match, EVE, Substitute())
    await desk.refused(match, DAN, Substitute(), Refused.NO_SEAT_LEFT)
    two = await desk.duel()
    await desk.refused(two, EVE, Substitute(), Refused.NO_SEAT_LEFT)
    match = (await desk.act(two, ANN, Resign())).match
    await desk.refused(match, EVE, Substitute(), Refused.OVER)


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
    await desk.refused(match, EVE, Substitute(blocked), Refused.SEAT_BLOCKED)


async def test_in_klopodavka(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, game="klopodavka")
    for _ in range(9):
        course = desk.table.course(match)
        match = await desk.play(match, course.game.notation.format(course.position.legal_moves()[0]))
    before = desk.table.position(match)
    match = (await desk.act(match, CEM, Resign())).match
    match = (await desk.act(match, EVE, Substitute())).match
    after = desk.table.position(match)
    assert after.out == before.out == frozenset()
    if before.to_move is not S3:
        assert after == before


async def test_a_vacation_does_not_pass_on(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="1d vacation")
    await take_vacation(desk.table, Request(BOB, desk.at), "5d")
    await desk.act(match, BOB, Resign())
    match = (await desk.act(match, EVE, Substitute())).match
    assert times(match).away == ()
