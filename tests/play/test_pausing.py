"""A pause by consent, and matches that are abandoned."""

from __future__ import annotations

from datetime import timedelta

from play.actions.agreeing import Answer, AskPause, OfferDraw, Resume
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.actions.seating import Join
from play.errors import Refused
from play.facts import Asked, Closed, Declined, Flagged, Paused, Reminded, Resumed, SilenceNoticed
from play.files.importing import Import
from play.files.matchfile import write
from play.match import Ask, Closing, Phase, Result
from play.opening import Challenge
from play.time.clock import Now, left
from play.time.firing import fire
from play.time.timers import timers
from tests.support.desk import ANN, BOB, CEM, EVE, HALL, HOUR, S1, S2, Desk, times

D = timedelta(days=1)
S = timedelta(seconds=1)


async def test_a_pause_by_consent(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    desk.now += D - 2 * S
    await desk.gives(Asked, match, BOB, AskPause())
    fact = await desk.gives(Paused, match, ANN, Answer(Ask.PAUSE, True))
    assert (fact.seat, fact.match.paused, fact.match.offer) == (S2, desk.now, None)
    assert times(fact.match).left == (2 * D, 3 * D)
    assert await desk.wait(30 * D) == []
    await desk.refused(match, ANN, MakeMove("a2-a3"), Refused.PAUSED)
    await desk.refused(match, ANN, AskPause(), Refused.PAUSED)
    await desk.refused(match, ANN, Answer(Ask.RESUME, False), Refused.PAUSED)
    await desk.refused(match, EVE, Resume(), Refused.NOT_SEATED)
    on = await desk.gives(Resumed, match, BOB, Resume())
    assert on.match.paused is None
    assert left(times(on.match), S1, Now(desk.now)) == 2 * D
    facts = [fact for fact in await desk.wait(2 * D) if not isinstance(fact, Reminded)]
    assert [type(fact) for fact in facts] == [Flagged]


async def test_a_yes_to_going_on_is_enough(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="3d")
    await desk.act(match, ANN, AskPause())
    again = await desk.gives(Asked, match, BOB, AskPause())
    assert again.agreed is S2
    await desk.gives(Paused, match, CEM, AskPause())
    await desk.gives(Resumed, match, ANN, Answer(Ask.RESUME, True))
    await desk.refused(match, ANN, Answer(Ask.RESUME, True), Refused.NOT_PAUSED)
    await desk.refused(match, ANN, Answer(Ask.RESUME, False), Refused.NOT_PAUSED)


async def test_a_pause_refused_or_played_over(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    await desk.act(match, BOB, AskPause())
    await desk.gives(Declined, match, ANN, Answer(Ask.PAUSE, False))
    match = await desk.play(match, "a2-a3", "a7-a6")
    await desk.act(match, BOB, AskPause())
    match = await desk.play(match, "b2-b3")
    assert match.offer is None
    await desk.refused(match, ANN, Answer(Ask.PAUSE, True), Refused.NOTHING_ASKED)


async def test_no_pause_without_a_clock(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refused(match, ANN, AskPause(), Refused.NO_CLOCK)


async def test_leaving_during_a_pause_starts_no_clock(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5", clock="3d")
    for who in (ANN, BOB, CEM):
        await desk.act(match, who, AskPause())
    match = (await desk.act(match, ANN, Resign())).match
    assert match.paused
    assert (times(match).seat, times(match).since) == (S2, None)
    match = (await desk.act(match, CEM, Resume())).match
    assert times(match).since == desk.now


async def test_a_long_silence(desk: Desk) -> None:
    match = await desk.duel()
    start = desk.now
    assert await desk.wait(60 * D - S) == []
    (noticed,) = await desk.wait(S)
    assert isinstance(noticed, SilenceNoticed)
    assert noticed.closes == start + 67 * D
    assert await desk.wait(7 * D - S) == []
    (closed,) = await desk.wait(S)
    assert isinstance(closed, Closed)
    assert closed.match.result == Result((), Closing.SILENCE.value)
    assert closed.match.log == match.log


async def test_any_sign_of_life_breaks_the_silence(desk: Desk) -> None:
    match = await desk.duel()
    await desk.wait(65 * D)
    await desk.act(match, ANN, OfferDraw())
    assert await desk.wait(59 * D) == []
    assert [type(fact) for fact in await desk.wait(D)] == [SilenceNoticed]


async def test_a_paused_match_falls_silent_too(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    for who in (ANN, BOB):
        match = (await desk.act(match, who, AskPause())).match
    assert [timer.name for timer in timers(match, Now(desk.now))] == ["silence"]
    assert [type(fact) for fact in await desk.wait(67 * D)] == [SilenceNoticed, Closed]


async def test_a_closed_match_is_opened_from_its_file(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3")
    await desk.wait(70 * D)
    text = await desk.export(match.id)
    assert text == write(await desk.table.get(match.id))
    opened = (await desk.open(ANN, Import(text, HALL))).match
    assert (opened.phase, opened.result) == (Phase.OPEN, None)
    again = (await desk.act(opened, BOB, Join())).match
    assert again.phase is Phase.PLAYING
    await desk.play(again, "a7-a6")


async def test_an_invitation_expires_by_its_timer(desk: Desk) -> None:
    made = await desk.open(ANN, Challenge(HALL, "lgame"))
    assert await desk.wait(24 * HOUR - S) == []
    (fact,) = await desk.wait(S)
    assert fact.match.phase is Phase.CALLED_OFF
    assert await fire(desk.table, made.match.id, "expire", desk.table.now(desk.now)) is None
    assert await fire(desk.table, "nosuch", "expire", desk.table.now(desk.now)) is None


async def test_an_open_pause_stands_in_the_way_of_other_questions_by_its_name(desk: Desk) -> None:
    match = await desk.duel(clock="3d")
    await desk.act(match, ANN, AskPause())
    await desk.refused(match, ANN, AskPause(), Refused.ASKED_PAUSE)
    await desk.refused(match, BOB, OfferDraw(), Refused.ASKED_PAUSE)
    withdrawn = await desk.gives(Declined, match, ANN, Answer(Ask.PAUSE, False))
    assert withdrawn.match.offer is None
