"""A request says what its person was looking at; what is not so any more is refused as stale."""

from __future__ import annotations

from play.actions.agreeing import Answer, AskPause, OfferDraw
from play.actions.leaving import Resign
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove
from play.actions.undoing import AskTakeback, Undo
from play.actions.watching import Watch
from play.errors import Refused
from play.facts import Drawn, Moved
from play.match import Ask, Match
from play.request import CLOCKWORK, AtOffer, AtPly, AtRevision, Seen, is_fresh
from tests.support.desk import ANN, BOB, HALL, S1, S2, Desk


def seen(match: Match) -> AtOffer:
    assert match.offer
    return AtOffer(match.offer.ask, match.offer.by, match.offer.keep)


async def test_quiet_revisions_do_not_make_a_request_stale(desk: Desk) -> None:
    match = await desk.duel()
    before, exactly = AtRevision(match.revision), AtRevision(match.revision, exact=True)
    watched = (await desk.act(match, CLOCKWORK, Watch(HALL))).match
    assert is_fresh(watched, before)
    assert not is_fresh(watched, exactly)
    assert not is_fresh(match, AtRevision(watched.revision)), "not yet"
    moved = await desk.act(match, ANN, MakeMove("a2-a3"), seen=before)
    assert not is_fresh(moved.match, AtRevision(watched.revision))
    await desk.refused(match, ANN, Undo(), Refused.STALE, seen=before)


async def test_a_ply_is_seen_whatever_is_asked_meanwhile(desk: Desk) -> None:
    match = await desk.duel(clock="1d")
    start = AtPly(0)
    match = (await desk.act(match, BOB, OfferDraw())).match
    assert not is_fresh(match, AtRevision(match.revision - 1))
    await desk.gives(Moved, match, ANN, MakeMove("a2-a3"), seen=start)
    asked = [
        desk.act(match, who, action, seen=start)
        for action, who in ((Undo(), ANN), (AskTakeback(), ANN), (OfferDraw(), BOB), (AskPause(), BOB))
    ]
    for ask in asked:
        await desk.refuses(ask, Refused.STALE)
    await desk.refused(match, BOB, MakeMove("a7-a6"), Refused.STALE, seen=start)
    await desk.refused(match, BOB, Resign(), Refused.STALE, seen=start)
    plan = MakePlan("if a7-a6 then b2-b3")
    await desk.refused(match, ANN, plan, Refused.STALE, seen=start)
    await desk.act(match, BOB, MakeMove("a7-a6"), seen=AtPly(1))


async def test_an_offer_is_answered_as_long_as_it_is_the_one_that_was_seen(desk: Desk) -> None:
    match = await desk.duel()
    offered = (await desk.act(match, ANN, OfferDraw())).match
    assert seen(offered) == AtOffer(Ask.DRAW, S1, 0)
    played = await desk.play(match, "a2-a3")
    assert is_fresh(played, seen(offered)), "who offers may play on"
    played = await desk.play(match, "a7-a6")
    assert not is_fresh(played, seen(offered)), "who is asked plays on: that is a no"
    again = (await desk.act(match, ANN, OfferDraw())).match
    assert seen(again) == AtOffer(Ask.DRAW, S1, 2)
    yes = Answer(Ask.DRAW, True)
    await desk.refused(match, BOB, yes, Refused.STALE, seen=seen(offered))
    await desk.gives(Drawn, match, BOB, yes, seen=seen(again))


async def test_another_question_is_not_the_one_that_was_seen(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    draw = (await desk.act(match, ANN, OfferDraw())).match
    await desk.act(match, BOB, Answer(Ask.DRAW, False))
    back = (await desk.act(match, ANN, AskTakeback())).match
    others: list[Seen] = [seen(draw), AtOffer(Ask.TAKEBACK, S2, 0), AtOffer(Ask.TAKEBACK, S1, 1)]
    assert not any(is_fresh(back, other) for other in others)
    assert is_fresh(back, AtOffer(Ask.TAKEBACK, S1, 0))
    assert not is_fresh(match, AtOffer(Ask.TAKEBACK, S1, 0))
