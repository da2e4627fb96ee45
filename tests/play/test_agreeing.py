"""Questions between the sides."""

from __future__ import annotations

from play.errors import Refused
from play.facts import Asked, Declined, Drawn
from play.match import Ask, Closing, Match, Offer, Phase, Result
from tests.play.desk import ANN, BOB, CEM, DAN, EVE, ROOM, S1, S2, S3, S4, Desk


async def test_a_draw_is_offered_and_accepted(desk: Desk) -> None:
    match = await desk.duel()
    asked = await desk.table.offer_draw(match.id, ANN, at=desk.at, seen=match.revision)
    assert isinstance(asked, Asked)
    assert (asked.ask, asked.seat, asked.agreed) == (Ask.DRAW, S1, None)
    assert asked.match.offer == Offer(Ask.DRAW, S1)
    drawn = await desk.table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at)
    assert isinstance(drawn, Drawn)
    assert (drawn.match.phase, drawn.match.offer) == (Phase.OVER, None)
    assert drawn.match.result == Result((), Closing.DRAW_AGREED.value)


async def test_offering_what_is_offered_is_accepting(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    assert isinstance(await desk.table.offer_draw(match.id, BOB, at=desk.at), Drawn)


async def test_declining_and_taking_back_an_offer(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    await desk.refuses(desk.table.offer_draw(match.id, ANN, at=desk.at), Refused.ASKED_DRAW)
    await desk.refuses(desk.table.answer(match.id, ANN, Ask.DRAW, True, at=desk.at), Refused.OWN_OFFER)
    no = await desk.table.answer(match.id, BOB, Ask.DRAW, False, at=desk.at)
    assert isinstance(no, Declined)
    assert (no.seat, no.ask, no.match.offer) == (S2, Ask.DRAW, None)
    await desk.refuses(desk.table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at), Refused.NOTHING_ASKED)
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    back = await desk.table.answer(match.id, ANN, Ask.DRAW, False, at=desk.at)
    assert isinstance(back, Declined)
    assert back.seat is S1


async def test_one_question_at_a_time(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    await desk.table.ask_takeback(match.id, ANN, at=desk.at)
    await desk.refuses(desk.table.offer_draw(match.id, BOB, at=desk.at), Refused.ASKED_TAKEBACK)
    await desk.refuses(desk.table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at), Refused.NOTHING_ASKED)
    await desk.table.answer(match.id, BOB, Ask.TAKEBACK, False, at=desk.at)
    await desk.table.offer_draw(match.id, BOB, at=desk.at)
    await desk.refuses(desk.table.ask_takeback(match.id, ANN, at=desk.at), Refused.ASKED_DRAW)


async def test_all_opponents_have_to_agree_to_a_draw(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.table.offer_draw(match.id, BOB, at=desk.at)
    one = await desk.table.offer_draw(match.id, ANN, at=desk.at)
    assert isinstance(one, Asked)
    assert (one.seat, one.agreed) == (S2, S1)
    await desk.refuses(desk.table.answer(match.id, ANN, Ask.DRAW, True, at=desk.at), Refused.NOTHING_ASKED)
    assert isinstance(await desk.table.answer(match.id, CEM, Ask.DRAW, True, at=desk.at), Drawn)


async def test_a_yes_can_become_a_no(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    await desk.table.offer_draw(match.id, BOB, at=desk.at)
    await desk.table.answer(match.id, ANN, Ask.DRAW, True, at=desk.at)
    assert isinstance(await desk.table.answer(match.id, ANN, Ask.DRAW, False, at=desk.at), Declined)


async def teams(desk: Desk) -> Match:
    return await desk.party(ANN, BOB, CEM, DAN, game="pairs", board="9x9")


async def test_team_mates_are_not_asked(desk: Desk) -> None:
    match = await teams(desk)
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    await desk.refuses(desk.table.answer(match.id, CEM, Ask.DRAW, True, at=desk.at), Refused.OWN_OFFER)
    await desk.refuses(desk.table.answer(match.id, CEM, Ask.DRAW, False, at=desk.at), Refused.OWN_OFFER)
    await desk.refuses(desk.table.offer_draw(match.id, CEM, at=desk.at), Refused.ASKED_DRAW)
    one = await desk.table.answer(match.id, DAN, Ask.DRAW, True, at=desk.at)
    assert isinstance(one, Asked)
    assert one.agreed is S4
    assert isinstance(await desk.table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at), Drawn)


async def test_who_has_left_is_not_asked(desk: Desk) -> None:
    match = await teams(desk)
    await desk.table.resign(match.id, DAN, at=desk.at)
    await desk.refuses(desk.table.offer_draw(match.id, DAN, at=desk.at), Refused.YOU_ARE_OUT)
    await desk.table.offer_draw(match.id, CEM, at=desk.at)
    await desk.refuses(desk.table.answer(match.id, DAN, Ask.DRAW, True, at=desk.at), Refused.YOU_ARE_OUT)
    drawn = await desk.table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at)
    assert isinstance(drawn, Drawn)
    assert drawn.match.result == Result((), Closing.DRAW_AGREED.value)


async def test_leaving_closes_an_open_question(desk: Desk) -> None:
    match = await teams(desk)
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    left = await desk.table.resign(match.id, DAN, at=desk.at)
    assert left.match.offer is None


async def test_who_may_not_ask_or_answer(desk: Desk) -> None:
    made = (await desk.table.challenge(ANN, ROOM, "lgame", {}, at=desk.at, opponents=(BOB,))).match
    table = desk.table
    await desk.refuses(table.offer_draw(made.id, ANN, at=desk.at), Refused.NOT_STARTED)
    await desk.refuses(table.answer(made.id, BOB, Ask.DRAW, True, at=desk.at), Refused.NOT_SEATED)
    match = await desk.duel()
    await desk.refuses(table.offer_draw(match.id, EVE, at=desk.at), Refused.NOT_SEATED)
    await desk.stale(table.offer_draw(match.id, ANN, at=desk.at, seen=1), match)
    match = (await table.offer_draw(match.id, ANN, at=desk.at)).match
    await desk.refuses(table.answer(match.id, EVE, Ask.DRAW, True, at=desk.at), Refused.NOT_SEATED)
    await desk.stale(table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at, seen=1), match)
    await table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at)
    await desk.refuses(table.offer_draw(match.id, ANN, at=desk.at), Refused.OVER)
    await desk.refuses(table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at), Refused.OVER)


async def test_the_asker_may_play_on_with_a_draw_on_offer(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    match = await desk.play(match, "a2-a3")
    assert match.offer == Offer(Ask.DRAW, S1)
    assert isinstance(await desk.table.answer(match.id, BOB, Ask.DRAW, True, at=desk.at), Drawn)


async def test_the_others_playing_on_is_an_answer(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    match = await desk.play(match, "a2-a3", "a7-a6")
    assert match.offer is None


async def test_a_planned_answer_is_playing_on_too(desk: Desk) -> None:
    match = await desk.duel()
    await desk.table.plan(match.id, BOB, "if a2-a3 then a7-a6", at=desk.at)
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    match = await desk.play(match, "a2-a3")
    assert len(match.log) == 2
    assert match.offer is None


async def test_playing_on_takes_back_ones_own_wish_for_a_ply_back(desk: Desk) -> None:
    match = await desk.play(await desk.duel(), "a2-a3", "a7-a6")
    await desk.table.ask_takeback(match.id, ANN, at=desk.at)
    assert (await desk.play(match, "b2-b3")).offer is None


async def test_team_mates_may_play_on_with_a_draw_on_offer(desk: Desk) -> None:
    match = await desk.play(await teams(desk), "a1 a2", "i1 i2")
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    match = await desk.play(match, "a9")
    assert match.offer == Offer(Ask.DRAW, S1)
    await desk.table.answer(match.id, DAN, Ask.DRAW, True, at=desk.at)
    match = await desk.play(match, "b9")
    assert match.offer == Offer(Ask.DRAW, S1, (S4,))
    assert (await desk.play(match, "i9")).offer is None


async def test_an_offer_goes_with_whoever_made_it_or_had_not_agreed(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="11x1")
    match = await desk.play(match, "a1 b1", "e1 f1", "i1 j1")
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    match = await desk.play(match, "c1")
    assert S1 in desk.table.position(match).out
    assert match.offer is None
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    match = await desk.play(match, "a1", "d1", "f1")
    await desk.table.offer_draw(match.id, ANN, at=desk.at)
    await desk.table.answer(match.id, CEM, Ask.DRAW, True, at=desk.at)
    match = await desk.play(match, "b1")
    assert desk.table.position(match).out == {S2}
    assert match.offer is None, "nobody is left to say yes"


async def test_the_seats_asked_are_in_order(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    await desk.table.offer_draw(match.id, BOB, at=desk.at)
    await desk.table.answer(match.id, DAN, Ask.DRAW, True, at=desk.at)
    fact = await desk.table.answer(match.id, CEM, Ask.DRAW, True, at=desk.at)
    assert fact.match.offer
    assert fact.match.offer.agreed == (S3, S4)
