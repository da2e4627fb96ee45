"""Questions between the sides."""

from __future__ import annotations

from play.actions.agreeing import Answer, AskTakeback, OfferDraw
from play.actions.leaving import Resign
from play.actions.planning import MakePlan
from play.errors import Refused
from play.facts import Asked, Declined, Drawn
from play.match import Ask, Closing, Match, Offer, Phase, Result
from tests.support.desk import ANN, BOB, CEM, DAN, S1, S2, S4, Desk


async def test_a_draw_is_offered_and_accepted(desk: Desk) -> None:
    match = await desk.duel()
    asked = await desk.gives(Asked, match, ANN, OfferDraw(), seen=match.revision)
    assert (asked.ask, asked.seat, asked.agreed) == (Ask.DRAW, S1, None)
    assert asked.match.offer == Offer(Ask.DRAW, S1)
    drawn = await desk.gives(Drawn, match, BOB, Answer(Ask.DRAW, True))
    assert (drawn.match.phase, drawn.match.offer) == (Phase.OVER, None)
    assert drawn.match.result == Result((), Closing.DRAW_AGREED.value)


async def test_offering_what_is_offered_is_accepting(desk: Desk) -> None:
    match = await desk.duel()
    await desk.act(match, ANN, OfferDraw())
    await desk.gives(Drawn, match, BOB, OfferDraw())


async def test_declining_and_taking_back_an_offer(desk: Desk) -> None:
    match = await desk.duel()
    await desk.act(match, ANN, OfferDraw())
    await desk.refused(match, ANN, OfferDraw(), Refused.ASKED_DRAW)
    await desk.refused(match, ANN, Answer(Ask.DRAW, True), Refused.OWN_OFFER)
    no = await desk.gives(Declined, match, BOB, Answer(Ask.DRAW, False))
    assert (no.seat, no.ask, no.match.offer) == (S2, Ask.DRAW, None)
    await desk.refused(match, BOB, Answer(Ask.DRAW, True), Refused.NOTHING_ASKED)
    match = await desk.play(match, "a2-a3")
    await desk.act(match, ANN, OfferDraw())
    back = await desk.gives(Declined, match, ANN, Answer(Ask.DRAW, False))
    assert back.seat is S1


async def test_one_question_at_a_time(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    await desk.act(match, ANN, AskTakeback())
    await desk.refused(match, BOB, OfferDraw(), Refused.ASKED_TAKEBACK)
    await desk.refused(match, BOB, Answer(Ask.DRAW, True), Refused.NOTHING_ASKED)
    await desk.act(match, BOB, Answer(Ask.TAKEBACK, False))
    await desk.act(match, BOB, OfferDraw())
    await desk.refused(match, ANN, AskTakeback(), Refused.ASKED_DRAW)


async def test_all_opponents_have_to_agree_to_a_draw(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.act(match, BOB, OfferDraw())
    one = await desk.gives(Asked, match, ANN, OfferDraw())
    assert (one.seat, one.agreed) == (S2, S1)
    await desk.refused(match, ANN, Answer(Ask.DRAW, True), Refused.NOTHING_ASKED)
    await desk.gives(Drawn, match, CEM, Answer(Ask.DRAW, True))


async def test_a_yes_can_become_a_no(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.act(match, BOB, OfferDraw())
    await desk.act(match, ANN, Answer(Ask.DRAW, True))
    await desk.gives(Declined, match, ANN, Answer(Ask.DRAW, False))


async def teams(desk: Desk) -> Match:
    return await desk.party(ANN, BOB, CEM, DAN, game="pairs", board="9x9")


async def test_team_mates_are_not_asked(desk: Desk) -> None:
    match = await teams(desk)
    await desk.act(match, ANN, OfferDraw())
    await desk.refused(match, CEM, Answer(Ask.DRAW, True), Refused.OWN_OFFER)
    await desk.refused(match, CEM, Answer(Ask.DRAW, False), Refused.OWN_OFFER)
    await desk.refused(match, CEM, OfferDraw(), Refused.ASKED_DRAW)
    one = await desk.gives(Asked, match, DAN, Answer(Ask.DRAW, True))
    assert one.agreed is S4
    await desk.gives(Drawn, match, BOB, Answer(Ask.DRAW, True))


async def test_who_has_left_is_not_asked(desk: Desk) -> None:
    match = await teams(desk)
    await desk.act(match, DAN, Resign())
    await desk.refused(match, DAN, OfferDraw(), Refused.YOU_ARE_OUT)
    await desk.act(match, CEM, OfferDraw())
    await desk.refused(match, DAN, Answer(Ask.DRAW, True), Refused.YOU_ARE_OUT)
    drawn = await desk.gives(Drawn, match, BOB, Answer(Ask.DRAW, True))
    assert drawn.match.result == Result((), Closing.DRAW_AGREED.value)


async def test_leaving_closes_an_open_question(desk: Desk) -> None:
    match = await teams(desk)
    await desk.act(match, ANN, OfferDraw())
    left = await desk.act(match, DAN, Resign())
    assert left.match.offer is None


async def test_a_planned_answer_is_playing_on_too(desk: Desk) -> None:
    match = await desk.duel()
    await desk.act(match, BOB, MakePlan("if a2-a3 then a7-a6"))
    await desk.act(match, ANN, OfferDraw())
    match = await desk.play(match, "a2-a3")
    assert len(match.log) == 2
    assert match.offer is None


async def test_playing_on_takes_back_ones_own_wish_for_a_ply_back(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    await desk.act(match, ANN, AskTakeback())
    assert (await desk.play(match, "b2-b3")).offer is None


async def test_team_mates_may_play_on_with_a_draw_on_offer(desk: Desk) -> None:
    match = await desk.play(await teams(desk), "a1 a2", "i1 i2")
    await desk.act(match, ANN, OfferDraw())
    match = await desk.play(match, "a9")
    assert match.offer == Offer(Ask.DRAW, S1, keep=4)
    await desk.act(match, DAN, Answer(Ask.DRAW, True))
    match = await desk.play(match, "b9")
    assert match.offer == Offer(Ask.DRAW, S1, (S4,), 4)
    assert (await desk.play(match, "i9")).offer is None


async def test_an_offer_ends_when_its_maker_or_the_last_one_asked_is_out(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="11x1")
    match = await desk.play(match, "a1 b1", "e1 f1", "i1 j1")
    await desk.act(match, ANN, OfferDraw())
    match = await desk.play(match, "c1")
    assert S1 in desk.table.position(match).out
    assert match.offer is None
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    match = await desk.play(match, "a1", "d1", "f1")
    await desk.act(match, ANN, OfferDraw())
    await desk.act(match, CEM, Answer(Ask.DRAW, True))
    match = await desk.play(match, "b1")
    assert desk.table.position(match).out == {S2}
    assert match.offer is None, "no player is left to agree"
