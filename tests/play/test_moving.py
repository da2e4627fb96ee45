"""Plies: whose they are, what is logged, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from play.actions.agreeing import OfferDraw
from play.actions.invitations import Withdraw
from play.actions.leaving import Resign
from play.actions.playing import MakeMove
from play.errors import Refused
from play.facts import Moved
from play.match import Closing, Phase, Ply, Result
from play.opening import Challenge
from play.request import AtRevision, Request
from rules.core import AmbiguousMove, BadNotation, IllegalMove, Legality, Spelling
from tests.play.desk import ANN, BOB, CEM, EVE, NOON, ROOM, S1, S2, S3, SHUTTLE, Desk
from tests.toy import notches
from tests.toy.notches.position import Notch, Notches, Refusal


async def test_a_ply_is_logged_in_canonical_notation(desk: Desk) -> None:
    match = await desk.duel()
    fact = await desk.table.act(
        match.id, MakeMove(" A2 a3"), Request(ANN, NOON, seen=AtRevision(match.revision))
    )
    assert isinstance(fact, Moved)
    assert fact.plies == (Ply(S1, "a2-a3", NOON),)
    assert fact.match.log == fact.plies
    assert (fact.seat, fact.handed_on, fact.fell) == (S1, True, ())
    assert fact.match.revision == match.revision + 1
    assert await desk.table.get(match.id) == fact.match


async def test_a_turn_of_several_plies_stays_until_it_is_done(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    half = await desk.table.act(match.id, MakeMove("a1"), Request(ANN, desk.at))
    assert not half.handed_on
    await desk.refuses(
        desk.table.act(match.id, MakeMove("e1"), Request(BOB, desk.at)), Refused.NOT_YOUR_TURN, seat=S1
    )
    rest = await desk.table.act(match.id, MakeMove("a2"), Request(ANN, desk.at))
    assert rest.handed_on
    whole = await desk.table.act(match.id, MakeMove("e1 e2"), Request(BOB, desk.at))
    assert whole.handed_on
    assert [ply.text for ply in whole.plies] == ["e1", "e2"]
    assert whole.match.revision == rest.match.revision + 1


async def test_all_of_a_text_is_played_or_nothing(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    await desk.refuses(desk.table.act(match.id, MakeMove("a1 a1"), Request(ANN, desk.at)), Refusal.TAKEN)
    await desk.refuses(
        desk.table.act(match.id, MakeMove("a1 b1 c1"), Request(ANN, desk.at)), Refusal.TOO_MANY
    )


async def test_who_may_not_move(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refuses(desk.table.act(match.id, MakeMove("a2-a3"), Request(EVE, desk.at)), Refused.NOT_SEATED)
    await desk.refuses(
        desk.table.act(match.id, MakeMove("a7-a6"), Request(BOB, desk.at)), Refused.NOT_YOUR_TURN, seat=S1
    )
    # Whose turn it is now is nothing to somebody who was looking at another board.
    await desk.stale(
        desk.table.act(match.id, MakeMove("a7-a6"), Request(BOB, desk.at, seen=AtRevision(99))), match
    )
    await desk.stale(
        desk.table.act(match.id, MakeMove("no move"), Request(ANN, desk.at, seen=AtRevision(99))), match
    )


async def test_a_match_that_is_not_under_way(desk: Desk) -> None:
    made = (
        await desk.table.open(Challenge(ROOM, "breakthrough", opponents=(BOB,)), Request(ANN, desk.at))
    ).match
    await desk.refuses(desk.table.act(made.id, MakeMove("a2-a3"), Request(ANN, desk.at)), Refused.NOT_STARTED)
    await desk.refuses(desk.table.act(made.id, MakeMove("a2-a3"), Request(EVE, desk.at)), Refused.NOT_SEATED)
    await desk.table.act(made.id, Withdraw(), Request(ANN, desk.at))
    await desk.refuses(desk.table.act(made.id, MakeMove("a2-a3"), Request(ANN, desk.at)), Refused.CALLED_OFF)
    over = await desk.duel()
    await desk.table.act(over.id, Resign(), Request(ANN, desk.at))
    await desk.refuses(desk.table.act(over.id, MakeMove("a2-a3"), Request(ANN, desk.at)), Refused.OVER)


async def test_the_rules_own_refusals_pass_through(desk: Desk) -> None:
    match = await desk.duel("lgame")
    spelled = await desk.refuses(
        desk.table.act(match.id, MakeMove("\x00" * 9), Request(ANN, desk.at)), Spelling.STRANGE_CHARACTER
    )
    assert isinstance(spelled, BadNotation)
    long = await desk.refuses(
        desk.table.act(match.id, MakeMove("x" * 10_000), Request(ANN, desk.at)), Spelling.TOO_LONG
    )
    assert isinstance(long, BadNotation)
    several = await desk.refuses(
        desk.table.act(match.id, MakeMove("L a1-a3 n b1"), Request(ANN, desk.at)), Legality.SEVERAL_FIT
    )
    assert isinstance(several, AmbiguousMove)
    assert len(several.candidates) == 2


async def test_falling_out_and_winning_by_the_rules(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    await desk.play(match, "a1")
    fact = await desk.table.act(match.id, MakeMove("d1"), Request(BOB, desk.at))
    assert fact.fell == ()
    fact = await desk.table.act(match.id, MakeMove("f1"), Request(CEM, desk.at))
    assert fact.fell == (), "Ann still has b1"
    fact = await desk.table.act(match.id, MakeMove("b1"), Request(ANN, desk.at))
    assert fact.fell == (S2,), "nothing is left for Bob, and g1 for Cem"
    assert fact.handed_on
    await desk.refuses(desk.table.act(match.id, MakeMove("g1"), Request(BOB, desk.at)), Refused.YOU_ARE_OUT)
    fact = await desk.table.act(match.id, MakeMove("g1"), Request(CEM, desk.at))
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((S3,), "notches.ending.last-left")
    assert not fact.handed_on
    assert fact.fell == (S1,)
    await desk.refuses(desk.table.act(match.id, MakeMove("g1"), Request(CEM, desk.at)), Refused.OVER)


async def test_playing_on_closes_an_open_question(desk: Desk) -> None:
    match = await desk.duel()
    asked = await desk.table.act(match.id, OfferDraw(), Request(BOB, desk.at))
    assert asked.match.offer
    moved = await desk.table.act(match.id, MakeMove("a2-a3"), Request(ANN, desk.at))
    assert moved.match.offer is None


async def test_the_third_time_is_a_draw(desk: Desk) -> None:
    match = await desk.duel("lgame")
    start = desk.table.position(match)
    match = await desk.play(match, *SHUTTLE, *SHUTTLE[:3])
    assert match.phase is Phase.PLAYING, "every position has stood there twice at most"
    fact = await desk.table.act(match.id, MakeMove(SHUTTLE[3]), Request(BOB, desk.at))
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((), Closing.REPETITION.value)
    assert not fact.handed_on
    course = desk.table.course(fact.match)
    assert course.position == start
    assert course.position.outcome is None
    assert course.repeated == 3
    await desk.refuses(desk.table.act(match.id, MakeMove(SHUTTLE[0]), Request(ANN, desk.at)), Refused.OVER)


async def test_no_repetition_where_the_game_has_none(desk: Desk) -> None:
    match = await desk.duel("lgame", variant="scoring")
    match = await desk.play(match, *SHUTTLE, *SHUTTLE)
    assert match.phase is Phase.PLAYING


async def test_a_repetition_in_the_middle_of_a_text_ends_it_there(desk: Desk) -> None:
    class Still(Notches):
        """Cutting leaves no trace; the first turn is one ply short."""

        __slots__ = ()

        def play(self, move: Notch) -> Still:
            return replace(self, left=self.left - 1)._settled()

    def start(chosen: notches.Options) -> Still:
        return Still(chosen, (frozenset(),) * chosen.players, S1, 1)

    desk = Desk({"still": replace(notches.GAME, key="still", start=start, repetitions=lambda _: 2)})
    match = await desk.party(ANN, BOB, game="still")
    match = await desk.play(match, "a1", "a1 a2")
    fact = await desk.table.act(match.id, MakeMove("a1 a2"), Request(ANN, desk.at))
    assert [ply.text for ply in fact.plies] == ["a1"]
    assert fact.match.result == Result((), Closing.REPETITION.value)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "a2-a3 " * 200, "👻"])
async def test_noise_is_refused(desk: Desk, text: str) -> None:
    match = await desk.duel()
    before = desk.stored()
    with pytest.raises((BadNotation, IllegalMove)):
        await desk.table.act(match.id, MakeMove(text), Request(ANN, desk.at))
    assert desk.stored() == before
