"""Questions between the sides: draws, stops, and turns taken back."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import pytest

from play.actions.agreeing import Answer, AskTakeback, OfferDraw, Undo, asked_seats
from play.actions.leaving import Resign, Substitute
from play.actions.playing import MakeMove
from play.errors import Refused
from play.facts import Asked, Declined, Drawn, TakenBack, Undone
from play.match import Ask, Closing, Match, Offer, Phase, Result
from play.replay import turns_of
from rules.core import Ending, Outcome
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, S1, S2, S3, S4, Desk
from tests.toy import notches
from tests.toy.notches.position import Notches

# Questions between the sides.


async def test_a_draw_is_offered_and_accepted(desk: Desk) -> None:
    match = await desk.duel()
    asked = await desk.gives(Asked, match, ANN, OfferDraw(), seen=match.revision)
    assert (asked.ask, asked.seat, asked.agreed) == (Ask.DRAW, S1, None)
    assert asked.match.offer == Offer(Ask.DRAW, S1)
    drawn = await desk.gives(Drawn, match, BOB, Answer(Ask.DRAW, True))
    assert (drawn.match.phase, drawn.match.offer) == (Phase.OVER, None)
    assert drawn.match.result == Result((), Closing.DRAW_AGREED.value)


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


# Undoing freely, and taking back by consent.


async def test_undoing_is_free_until_another_has_acted(desk: Desk) -> None:
    match = await desk.duel()
    match = await desk.play(match, "a2-a3")
    await desk.refused(match, BOB, Undo(), Refused.NOTHING_TO_UNDO)
    fact = await desk.act(match, ANN, Undo())
    assert desk.table.position(fact.match).to_move is S1
    match = await desk.play(match, "b2-b3", "a7-a6")
    await desk.refused(match, ANN, Undo(), Refused.OTHERS_ACTED)


async def test_a_free_takeback_undoes_the_whole_turn(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2", "e1 e2", "i1 i2", "a3 a4")
    fact = await desk.gives(Undone, match, ANN, AskTakeback())
    assert [ply.text for ply in fact.plies] == ["a3", "a4"]
    assert len(fact.match.log) == 6
    await desk.refused(match, ANN, Undo(), Refused.OTHERS_ACTED)


async def test_a_takeback_by_consent_of_all_opponents(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    match = await desk.play(match, "a1 a2", "e1 e2", "i1")
    asked = await desk.gives(Asked, match, ANN, AskTakeback())
    assert asked.match.offer == Offer(Ask.TAKEBACK, S1, (), 0)
    one = await desk.gives(Asked, match, CEM, Answer(Ask.TAKEBACK, True))
    assert (one.seat, one.agreed) == (S1, S3)
    two = await desk.gives(Asked, match, BOB, Answer(Ask.TAKEBACK, True))
    assert two.match.offer
    assert two.match.offer.agreed == (S2, S3)
    back = await desk.gives(TakenBack, match, DAN, Answer(Ask.TAKEBACK, True))
    assert [ply.text for ply in back.plies] == ["a1", "a2", "e1", "e2", "i1"]
    assert (back.seat, back.match.log, back.match.offer) == (S1, (), None)
    assert desk.table.position(back.match).to_move is S1
    assert (await desk.play(back.match, "a5")).log[0].seat is S1


async def test_a_takeback_goes_to_before_ones_last_turn(desk: Desk) -> None:
    match = await desk.duel()
    match = await desk.play(match, "a2-a3", "a7-a6", "b2-b3", "b7-b6")
    asked = await desk.act(match, ANN, AskTakeback())
    assert asked.match.offer
    assert asked.match.offer.keep == 2
    back = await desk.act(match, BOB, Answer(Ask.TAKEBACK, True))
    assert [entry.text for entry in back.match.log] == ["a2-a3", "a7-a6"]  # type: ignore[union-attr]


async def test_a_seat_that_went_out_need_not_agree(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    match = await desk.play(match, "a1", "d1", "f1", "b1")
    assert desk.table.position(match).out == {S2}
    await desk.refused(match, BOB, AskTakeback(), Refused.YOU_ARE_OUT)
    await desk.refused(match, BOB, Undo(), Refused.YOU_ARE_OUT)
    asked = await desk.act(match, CEM, AskTakeback())
    await desk.refused(match, BOB, Answer(Ask.TAKEBACK, True), Refused.YOU_ARE_OUT)
    assert isinstance(asked, Asked)
    back = await desk.gives(TakenBack, match, ANN, Answer(Ask.TAKEBACK, True))
    assert desk.table.position(back.match).out == frozenset(), "back among the living"


async def test_a_player_who_falls_by_their_own_ply_may_undo_it(desk: Desk) -> None:
    for ask in (Undo(), AskTakeback()):
        match = await desk.party(ANN, BOB, CEM, board="11x1")
        match = await desk.play(match, "a1 b1", "e1 f1", "i1 j1")
        moved = await desk.act(match, ANN, MakeMove("c1"))
        assert (moved.fell, moved.handed_on) == ((S1,), True)
        fact = await desk.gives(Undone, match, ANN, ask)
        assert fact.match.log == match.log
        assert desk.table.position(fact.match).to_move is S1


async def test_an_exit_stays_and_does_not_prevent_undoing(desk: Desk) -> None:
    """Leaving is not acting: undoing is free, and a player who has left stays out."""
    match = await desk.party(ANN, BOB, CEM, board="9x5", cuts="3")
    match = await desk.play(match, "a1 a2")
    left = (await desk.act(match, CEM, Resign())).match
    fact = await desk.gives(Undone, match, ANN, Undo())
    assert fact.plies == match.log[1:]
    assert fact.match.log == (match.log[0], left.log[2])
    position = desk.table.position(fact.match)
    assert (position.to_move, position.plies_left, position.out) == (S1, 2, frozenset({S3}))
    await desk.refused(match, CEM, Undo(), Refused.YOU_ARE_OUT)
    match = await desk.play(fact.match, "a3 a4", "i1")
    assert [entry.seat for entry in match.log] == [S1, S3, S1, S1, S2]
    await desk.refused(match, ANN, Undo(), Refused.OTHERS_ACTED)


async def test_a_turn_comes_back_from_a_player_who_left_in_theirs(desk: Desk) -> None:
    """Bob was to move when he left; Cem has not acted, so Ann's turn comes back."""
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2")
    match = (await desk.act(match, BOB, Resign())).match
    assert desk.table.position(match).to_move is S3
    fact = await desk.gives(Undone, match, ANN, AskTakeback())
    assert [entry.seat for entry in fact.match.log] == [S2]
    assert desk.table.position(fact.match).to_move is S1
    match = await desk.play(fact.match, "a3 a4")
    assert desk.table.position(match).to_move is S3


async def test_a_takeback_by_consent_leaves_exits_where_they_were(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    match = await desk.play(match, "a1 a2", "e1 e2")
    await desk.act(match, DAN, Resign())
    await desk.gives(Asked, match, ANN, AskTakeback())
    await desk.act(match, BOB, Answer(Ask.TAKEBACK, True))
    back = await desk.gives(TakenBack, match, CEM, Answer(Ask.TAKEBACK, True))
    assert len(back.plies) == 4
    assert [entry.seat for entry in back.match.log] == [S4]
    position = desk.table.position(back.match)
    assert (position.to_move, position.out) == (S1, frozenset({S4}))
    assert desk.table.position(await desk.table.get(match.id)) == position


async def test_a_substitute_stays_and_takes_back_only_their_own(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2", "e1")
    await desk.act(match, CEM, Resign())
    match = (await desk.act(match, EVE, Substitute())).match
    fact = await desk.gives(Undone, match, BOB, Undo())
    assert [entry.seat for entry in fact.match.log] == [S1, S1, S3, S3]
    assert desk.table.position(fact.match).out == frozenset()
    await desk.act(match, ANN, Resign())
    match = (await desk.act(match, DAN, Substitute())).match
    for ask in (Undo(), AskTakeback()):
        await desk.refused(match, DAN, ask, Refused.NOTHING_TO_UNDO)


async def test_a_player_who_fell_by_their_own_ply_may_undo_it_after_another_left(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="15x1")
    match = await desk.play(match, "a1 b1", "e1 f1", "i1 j1", "m1 n1", "c1")
    assert S1 in desk.table.position(match).out
    await desk.act(match, DAN, Resign())
    fact = await desk.gives(Undone, match, ANN, Undo())
    position = desk.table.position(fact.match)
    assert (position.to_move, position.out) == (S1, frozenset({S4}))
    await desk.act(match, ANN, Resign())
    await desk.refused(match, ANN, Undo(), Refused.YOU_ARE_OUT)


async def test_a_ply_without_which_the_match_would_be_over_stays(desk: Desk) -> None:
    """In this game a player who leaves before anything is cut hands the victory to the first seat."""

    class Early(Ending):
        LEFT = "early.ending.left"

    @dataclass(frozen=True, slots=True)
    class EarlyExits(Notches):
        @property
        def outcome(self) -> Outcome | None:
            return Outcome((S1,), Early.LEFT) if self.gone and not any(self.notches) else None

    def start(o: notches.Options) -> Notches:
        return EarlyExits(o, (frozenset(),) * o.players, S1, o.cuts)

    desk = Desk({"early": replace(notches.GAME, key="early", start=start)})
    match = await desk.party(ANN, BOB, CEM, game="early", board="9x5")
    match = await desk.play(match, "a1")
    await desk.act(match, CEM, Resign())
    for ask in (Undo(), AskTakeback()):
        await desk.refused(match, ANN, ask, Refused.LEFT_SINCE)
    match = await desk.play(match, "a2", "e1")
    await desk.refused(match, ANN, AskTakeback(), Refused.LEFT_SINCE)


# Back to any earlier turn.


async def by_chance(desk: Desk, match: Match, plies: int, chance: random.Random) -> Match:
    for _ in range(plies):
        position = desk.table.position(match)
        if position.outcome:
            break
        text = desk.games[match.game].notation.format(chance.choice(position.legal_moves()))
        match = await desk.play(match, text)
    return match


async def all_agree(desk: Desk, match: Match) -> Match:
    for who in (ANN, BOB, CEM, DAN):
        match = await desk.table.get(match.id)
        course = desk.table.course(match)
        if match.offer and match.seat_of(who.account) in asked_seats(match, course, match.offer):
            match = (await desk.act(match, who, Answer(Ask.TAKEBACK, True))).match
    return match


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("game", ["lgame", "breakthrough", "klopodavka", "klopodavka of four"])
async def test_back_to_any_turn_stands_what_stood_there_and_play_goes_on(
    desk: Desk, game: str, seed: int
) -> None:
    chance = random.Random(seed)
    people = (ANN, BOB, CEM, DAN) if " " in game else (ANN, BOB)
    clock = chance.choice([None, "1h"])
    match = await desk.party(*people, game=game.split(maxsplit=1)[0], clock=clock)
    match = await by_chance(desk, match, chance.randint(14, 30), chance)
    while (turns := turns_of(course := desk.table.course(match))) and match.phase is Phase.PLAYING:
        turn = chance.choice(turns)
        mover = turn.number == len(turns) and turn.seat
        who = next(each for seat, each in enumerate(people) if seat != mover)
        asked = await desk.gives(Asked, match, who, AskTakeback(turn.number))
        assert asked.match.offer == Offer(Ask.TAKEBACK, asked.seat, (), turn.first)
        match = await all_agree(desk, match)
        assert match.log == course.log[: turn.first]
        assert desk.table.position(match) == course.positions[turn.first]
        assert desk.table.position(match).to_move == turn.seat
        assert match.times is None or match.times.seat == turn.seat
        if turn.number == 1:
            break
        match = await by_chance(desk, match, chance.randint(0, 2), chance)


async def test_anyone_asks_for_any_turn_and_every_other_side_agrees(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, game="klopodavka", board="10x10")
    match = await by_chance(desk, match, 14, random.Random(1))
    course = desk.table.course(match)
    second = turns_of(course)[1]
    assert (second.seat, course.position.to_move) == (S2, S1)
    await desk.gives(Asked, match, DAN, AskTakeback(2))
    await desk.refused(match, DAN, Answer(Ask.TAKEBACK, True), Refused.OWN_OFFER)
    await desk.refused(match, CEM, AskTakeback(2), Refused.ASKED_TAKEBACK)
    for who in (ANN, BOB):
        await desk.gives(Asked, match, who, Answer(Ask.TAKEBACK, True))
    no = await desk.gives(Declined, match, CEM, Answer(Ask.TAKEBACK, False))
    assert (no.keep, no.match.log) == (second.first, match.log)
    await desk.refused(match, DAN, AskTakeback(1), Refused.ASKED_ALREADY)
    await desk.gives(Asked, match, BOB, AskTakeback(2))
    match = await all_agree(desk, match)
    assert match.log == course.log[: second.first]
    assert desk.table.position(match).to_move is S2


async def test_there_is_no_such_turn(desk: Desk) -> None:
    match = await desk.duel()
    for number in (0, 1, 7):
        await desk.refused(match, ANN, AskTakeback(number), Refused.TURN_NOW, number=1)
    match = await desk.play(match, "a2-a3", "a7-a6")
    for number in (0, 4, 900):
        await desk.refused(match, ANN, AskTakeback(number), Refused.NO_SUCH_TURN, number=number, last=2)
    await desk.refused(match, ANN, AskTakeback(3), Refused.TURN_NOW, number=3)
    await desk.refused(match, CEM, AskTakeback(1), Refused.NOT_SEATED)
    await desk.gives(Undone, match, BOB, AskTakeback(2))
    await desk.refused(match, BOB, AskTakeback(1), Refused.STALE, seen=match.revision)


async def test_a_turn_of_several_plies_goes_back_whole(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2", "e1 e2", "i1")
    fact = await desk.gives(Undone, match, CEM, AskTakeback(3))
    assert fact.plies == match.log[4:]
    await desk.gives(Asked, match, CEM, AskTakeback(2))
    assert (await all_agree(desk, match)).log == match.log[:2]


async def test_a_rated_match_goes_back_freely_only_within_the_turn_under_way(desk: Desk) -> None:
    match = await desk.play(await desk.duel(rated=True), "a2-a3")
    await desk.gives(Asked, match, ANN, AskTakeback(1))
    assert (await all_agree(desk, match)).log == ()


async def test_a_turn_of_who_has_left_since_is_not_theirs_anew(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2", "e1 e2", "i1 i2")
    match = (await desk.act(match, BOB, Resign())).match
    await desk.gives(Asked, match, ANN, AskTakeback(2))
    match = await all_agree(desk, match)
    assert [entry.seat for entry in match.log] == [S1, S1, S2]
    assert desk.table.position(match).to_move is S3
    await desk.play(match, "i1")


async def test_a_turn_is_not_free_or_playable_for_who_came_into_its_seat_later(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2", "e1 e2", "i1 i2", "a3")
    await desk.act(match, BOB, Resign())
    match = (await desk.act(match, EVE, Substitute())).match
    await desk.refused(match, EVE, AskTakeback(2), Refused.LEFT_SINCE)
    asked = await desk.gives(Asked, match, EVE, AskTakeback(1))
    assert asked.match.offer
    assert asked.match.offer.keep == 0
