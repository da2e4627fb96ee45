"""A request is refused as stale if what it depends on has changed since its player looked, and only then."""

from __future__ import annotations

import pytest

from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Leave, Resign
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.renaming import Watch
from play.actions.seating import Join, Start
from play.errors import Refused
from play.facts import Departed, Drawn, Joined, LeftLobby, Moved, Resumed
from play.match import Ask
from play.opening import Lobby
from play.request import CLOCKWORK
from tests.support.desk import ANN, BOB, CEM, DAN, HALL, ROOM, Desk


async def test_what_changes_no_position_makes_no_move_stale(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    seen = match.revision
    await desk.act(match, CLOCKWORK, Watch(HALL))
    await desk.act(match, BOB, OfferDraw())
    await desk.act(match, ANN, Answer(Ask.DRAW, False))
    await desk.act(match, BOB, AskPause())
    await desk.act(match, ANN, Answer(Ask.PAUSE, True))
    later = (await desk.act(match, ANN, Resume())).match
    await desk.refused(match, ANN, MakeMove("a2-a3"), Refused.STALE, seen=later.revision + 1)
    await desk.gives(Moved, match, ANN, MakeMove("a2-a3"), seen=seen)
    asked = ((Undo(), ANN), (AskTakeback(), ANN), (OfferDraw(), BOB), (MakeMove("a7-a6"), BOB))
    for action, who in asked:
        await desk.refused(match, who, action, Refused.STALE, seen=later.revision)
    plan = MakePlan("if a7-a6 then b2-b3")
    await desk.refused(match, ANN, plan, Refused.STALE, seen=later.revision)


async def test_an_offer_is_answered_as_long_as_it_is_the_one_that_was_seen(desk: Desk) -> None:
    match = await desk.duel()
    offered = (await desk.act(match, ANN, OfferDraw())).match.revision
    yes = Answer(Ask.DRAW, True)
    await desk.refused(match, BOB, yes, Refused.STALE, seen=offered - 1)
    match = await desk.play(match, "a2-a3")  # the asker may play on
    await desk.refused(match, BOB, yes, Refused.STALE, seen=offered - 1)
    match = await desk.play(match, "a7-a6")  # who is asked plays on: that is a no
    again = (await desk.act(match, ANN, OfferDraw())).match.revision
    await desk.refused(match, BOB, yes, Refused.STALE, seen=offered)
    await desk.act(match, CLOCKWORK, Watch(HALL))
    await desk.gives(Drawn, match, BOB, yes, seen=again)


async def test_several_answer_the_same_question(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    asked = (await desk.act(match, ANN, OfferDraw())).match.revision
    await desk.act(match, BOB, Answer(Ask.DRAW, True), seen=asked)
    await desk.gives(Drawn, match, CEM, Answer(Ask.DRAW, True), seen=asked)


async def test_a_pause_is_ended_by_who_saw_it(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    await desk.act(match, ANN, AskPause())
    first = (await desk.act(match, BOB, Answer(Ask.PAUSE, True))).match.revision
    await desk.gives(Resumed, match, ANN, Resume(), seen=first)
    await desk.act(match, ANN, AskPause())
    await desk.act(match, BOB, Answer(Ask.PAUSE, True))
    await desk.refused(match, ANN, Resume(), Refused.STALE, seen=first)


async def test_resigning_depends_on_the_phase_alone(desk: Desk) -> None:
    match = await desk.duel()
    seen = match.revision
    await desk.play(match, "a2-a3", "a7-a6")
    await desk.gives(Departed, match, ANN, Resign(), seen=seen)
    await desk.refused(match, ANN, Resign(), Refused.OVER, seen=seen)


async def test_a_lobby_is_left_and_joined_with_an_old_button_but_not_begun(desk: Desk) -> None:
    match = (await desk.open(ANN, Lobby(ROOM, "klopodavka", {"players": "4"}))).match
    match = (await desk.act(match, BOB, Join())).match
    seen = match.revision
    await desk.gives(Joined, match, CEM, Join(), seen=seen)
    await desk.gives(Joined, match, DAN, Join(), seen=seen)
    await desk.gives(LeftLobby, match, DAN, Leave(), seen=seen)
    await desk.refused(match, ANN, Start(), Refused.STALE, seen=seen)


async def test_leaving_a_lobby_never_resigns(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    for seen in (match.revision - 1, match.revision, None):
        await desk.refused(match, BOB, Leave(), Refused.STARTED_RESIGN, seen=seen)


ASKING = {
    Ask.DRAW: OfferDraw(),
    Ask.PAUSE: AskPause(),
    Ask.TAKEBACK: AskTakeback(),
}


@pytest.mark.parametrize("ask", ASKING)
async def test_a_question_is_put_once_a_turn(desk: Desk, ask: Ask) -> None:
    match = await desk.play(await desk.duel(clock="1d"), "a2-a3", "a7-a6")
    for answers, mine, theirs in ((ANN, "b2-b3", "b7-b6"), (BOB, "c2-c3", "c7-c6")):
        await desk.act(match, ANN, ASKING[ask])
        await desk.act(match, answers, Answer(ask, False))  # taken back by who put it, then turned down
        await desk.refused(match, ANN, ASKING[ask], Refused.ASKED_ALREADY)
        match = await desk.play(match, mine, theirs)
    await desk.act(match, ANN, ASKING[ask])


async def test_undoing_and_playing_again_is_no_new_turn(desk: Desk) -> None:
    match = await desk.duel()
    match = await desk.play(match, "a2-a3")
    await desk.act(match, ANN, OfferDraw())
    await desk.act(match, BOB, Answer(Ask.DRAW, False))
    await desk.act(match, ANN, Undo())
    match = await desk.play(match, "a2-a3")
    await desk.refused(match, ANN, OfferDraw(), Refused.ASKED_ALREADY)


async def test_what_was_agreed_to_may_be_asked_again_at_once(desk: Desk) -> None:
    match = await desk.play(await desk.duel(clock="1d"), "a2-a3", "a7-a6")
    await desk.act(match, ANN, AskPause())
    await desk.act(match, BOB, Answer(Ask.PAUSE, True))
    await desk.act(match, BOB, Resume())
    await desk.act(match, ANN, AskPause())
