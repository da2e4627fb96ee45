"""Questions between the sides."""

from __future__ import annotations

from play.actions.agreeing import Answer, OfferDraw
from play.actions.leaving import Resign
from play.actions.planning import MakePlan
from play.actions.undoing import AskTakeback
from play.errors import Refused
from play.facts import Asked, Declined, Drawn
from play.match import Ask, Closing, Match, Offer, Phase, Result
from play.opening import Challenge
from play.request import AtRevision, Request
from tests.play.desk import ANN, BOB, CEM, DAN, EVE, ROOM, S1, S2, S3, S4, Desk


async def test_a_draw_is_offered_and_accepted(desk: Desk) -> None:
    match = await desk.duel()
    asked = await desk.table.act(
        match.id, OfferDraw(), Request(ANN, desk.at, seen=AtRevision(match.revision))
    )
    assert isinstance(asked, Asked)
    assert (asked.ask, asked.seat, asked.agreed) == (Ask.DRAW, S1, None)
    assert asked.match.offer == Offer(Ask.DRAW, S1)
    drawn = await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at))
    assert isinstance(drawn, Drawn)
    assert (drawn.match.phase, drawn.match.offer) == (Phase.OVER, None)
    assert drawn.match.result == Result((), Closing.DRAW_AGREED.value)


async def test_offering_what_is_offered_is_accepting(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    assert isinstance(await desk.table.act(match.id, OfferDraw(), Request(BOB, desk.at)), Drawn)


async def test_declining_and_taking_back_an_offer(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    await desk.refuses(desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at)), Refused.ASKED_DRAW)
    await desk.refuses(
        desk.table.act(match.id, Answer(Ask.DRAW, True), Request(ANN, desk.at)), Refused.OWN_OFFER
    )
    no = await desk.table.act(match.id, Answer(Ask.DRAW, False), Request(BOB, desk.at))
    assert isinstance(no, Declined)
    assert (no.seat, no.ask, no.match.offer) == (S2, Ask.DRAW, None)
    await desk.refuses(
        desk.table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at)), Refused.NOTHING_ASKED
    )
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    back = await desk.table.act(match.id, Answer(Ask.DRAW, False), Request(ANN, desk.at))
    assert isinstance(back, Declined)
    assert back.seat is S1


async def test_one_question_at_a_time(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    await desk.table.act(match.id, AskTakeback(), Request(ANN, desk.at))
    await desk.refuses(desk.table.act(match.id, OfferDraw(), Request(BOB, desk.at)), Refused.ASKED_TAKEBACK)
    await desk.refuses(
        desk.table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at)), Refused.NOTHING_ASKED
    )
    await desk.table.act(match.id, Answer(Ask.TAKEBACK, False), Request(BOB, desk.at))
    await desk.table.act(match.id, OfferDraw(), Request(BOB, desk.at))
    await desk.refuses(desk.table.act(match.id, AskTakeback(), Request(ANN, desk.at)), Refused.ASKED_DRAW)


async def test_all_opponents_have_to_agree_to_a_draw(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.table.act(match.id, OfferDraw(), Request(BOB, desk.at))
    one = await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    assert isinstance(one, Asked)
    assert (one.seat, one.agreed) == (S2, S1)
    await desk.refuses(
        desk.table.act(match.id, Answer(Ask.DRAW, True), Request(ANN, desk.at)), Refused.NOTHING_ASKED
    )
    assert isinstance(await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(CEM, desk.at)), Drawn)


async def test_a_yes_can_become_a_no(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.table.act(match.id, OfferDraw(), Request(BOB, desk.at))
    await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(ANN, desk.at))
    assert isinstance(
        await desk.table.act(match.id, Answer(Ask.DRAW, False), Request(ANN, desk.at)), Declined
    )


async def teams(desk: Desk) -> Match:
    return await desk.party(ANN, BOB, CEM, DAN, game="pairs", board="9x9")


async def test_team_mates_are_not_asked(desk: Desk) -> None:
    match = await teams(desk)
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    await desk.refuses(
        desk.table.act(match.id, Answer(Ask.DRAW, True), Request(CEM, desk.at)), Refused.OWN_OFFER
    )
    await desk.refuses(
        desk.table.act(match.id, Answer(Ask.DRAW, False), Request(CEM, desk.at)), Refused.OWN_OFFER
    )
    await desk.refuses(desk.table.act(match.id, OfferDraw(), Request(CEM, desk.at)), Refused.ASKED_DRAW)
    one = await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(DAN, desk.at))
    assert isinstance(one, Asked)
    assert one.agreed is S4
    assert isinstance(await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at)), Drawn)


async def test_who_has_left_is_not_asked(desk: Desk) -> None:
    match = await teams(desk)
    await desk.table.act(match.id, Resign(), Request(DAN, desk.at))
    await desk.refuses(desk.table.act(match.id, OfferDraw(), Request(DAN, desk.at)), Refused.YOU_ARE_OUT)
    await desk.table.act(match.id, OfferDraw(), Request(CEM, desk.at))
    await desk.refuses(
        desk.table.act(match.id, Answer(Ask.DRAW, True), Request(DAN, desk.at)), Refused.YOU_ARE_OUT
    )
    drawn = await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at))
    assert isinstance(drawn, Drawn)
    assert drawn.match.result == Result((), Closing.DRAW_AGREED.value)


async def test_leaving_closes_an_open_question(desk: Desk) -> None:
    match = await teams(desk)
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    left = await desk.table.act(match.id, Resign(), Request(DAN, desk.at))
    assert left.match.offer is None


async def test_who_may_not_ask_or_answer(desk: Desk) -> None:
    made = (await desk.table.open(Challenge(ROOM, "lgame", opponents=(BOB,)), Request(ANN, desk.at))).match
    table = desk.table
    await desk.refuses(table.act(made.id, OfferDraw(), Request(ANN, desk.at)), Refused.NOT_STARTED)
    await desk.refuses(table.act(made.id, Answer(Ask.DRAW, True), Request(BOB, desk.at)), Refused.NOT_SEATED)
    match = await desk.duel()
    await desk.refuses(table.act(match.id, OfferDraw(), Request(EVE, desk.at)), Refused.NOT_SEATED)
    await desk.stale(table.act(match.id, OfferDraw(), Request(ANN, desk.at, seen=AtRevision(1))), match)
    match = (await table.act(match.id, OfferDraw(), Request(ANN, desk.at))).match
    await desk.refuses(table.act(match.id, Answer(Ask.DRAW, True), Request(EVE, desk.at)), Refused.NOT_SEATED)
    await desk.stale(
        table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at, seen=AtRevision(1))), match
    )
    await table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at))
    await desk.refuses(table.act(match.id, OfferDraw(), Request(ANN, desk.at)), Refused.OVER)
    await desk.refuses(table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at)), Refused.OVER)


async def test_the_asker_may_play_on_with_a_draw_on_offer(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    match = await desk.play(match, "a2-a3")
    assert match.offer == Offer(Ask.DRAW, S1)
    assert isinstance(await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(BOB, desk.at)), Drawn)


async def test_the_others_playing_on_is_an_answer(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    match = await desk.play(match, "a2-a3", "a7-a6")
    assert match.offer is None


async def test_a_planned_answer_is_playing_on_too(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.act(match.id, MakePlan("if a2-a3 then a7-a6"), Request(BOB, desk.at))
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    match = await desk.play(match, "a2-a3")
    assert len(match.log) == 2
    assert match.offer is None


async def test_playing_on_takes_back_ones_own_wish_for_a_ply_back(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    await desk.table.act(match.id, AskTakeback(), Request(ANN, desk.at))
    assert (await desk.play(match, "b2-b3")).offer is None


async def test_team_mates_may_play_on_with_a_draw_on_offer(desk: Desk) -> None:
    match = await desk.play(await teams(desk), "a1 a2", "i1 i2")
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    match = await desk.play(match, "a9")
    assert match.offer == Offer(Ask.DRAW, S1, keep=4)
    await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(DAN, desk.at))
    match = await desk.play(match, "b9")
    assert match.offer == Offer(Ask.DRAW, S1, (S4,), 4)
    assert (await desk.play(match, "i9")).offer is None


async def test_an_offer_goes_with_whoever_made_it_or_had_not_agreed(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="11x1")
    match = await desk.play(match, "a1 b1", "e1 f1", "i1 j1")
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    match = await desk.play(match, "c1")
    assert S1 in desk.table.position(match).out
    assert match.offer is None
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    match = await desk.play(match, "a1", "d1", "f1")
    await desk.table.act(match.id, OfferDraw(), Request(ANN, desk.at))
    await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(CEM, desk.at))
    match = await desk.play(match, "b1")
    assert desk.table.position(match).out == {S2}
    assert match.offer is None, "nobody is left to say yes"


async def test_the_seats_asked_are_in_order(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    await desk.table.act(match.id, OfferDraw(), Request(BOB, desk.at))
    await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(DAN, desk.at))
    fact = await desk.table.act(match.id, Answer(Ask.DRAW, True), Request(CEM, desk.at))
    assert fact.match.offer
    assert fact.match.offer.agreed == (S3, S4)
