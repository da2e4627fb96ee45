"""Plies: whose they are, what is logged, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from play.actions.playing import MakeMove
from play.errors import Refused
from play.facts import Moved
from play.match import Closing, Phase, Ply, Result
from rules.core import AmbiguousMove, BadNotation, IllegalMove, Legality, Spelling
from tests.support.desk import ANN, BOB, CEM, NOON, S1, S2, S3, SHUTTLE, Desk
from tests.toy import notches
from tests.toy.notches.position import Notch, Notches, Refusal


async def test_a_ply_is_logged_in_canonical_notation(desk: Desk) -> None:
    match = await desk.duel()
    fact = await desk.act(match, ANN, MakeMove(" A2 a3"), at=NOON, seen=match.revision)
    assert isinstance(fact, Moved)
    assert fact.plies == (Ply(S1, "a2-a3", NOON),)
    assert fact.match.log == fact.plies
    assert (fact.seat, fact.handed_on, fact.fell) == (S1, True, ())
    assert fact.match.revision == match.revision + 1
    assert await desk.table.get(match.id) == fact.match


async def test_a_turn_of_several_plies_stays_until_it_is_done(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    half = await desk.act(match, ANN, MakeMove("a1"))
    assert not half.handed_on
    await desk.refused(match, BOB, MakeMove("e1"), Refused.NOT_YOUR_TURN, seat=S1)
    rest = await desk.act(match, ANN, MakeMove("a2"))
    assert rest.handed_on
    whole = await desk.act(match, BOB, MakeMove("e1 e2"))
    assert whole.handed_on
    assert [ply.text for ply in whole.plies] == ["e1", "e2"]
    assert whole.match.revision == rest.match.revision + 1


async def test_all_of_a_text_is_played_or_nothing(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    await desk.refused(match, ANN, MakeMove("a1 a1"), Refusal.TAKEN)
    await desk.refused(match, ANN, MakeMove("a1 b1 c1"), Refusal.TOO_MANY)


async def test_whose_turn_it_is(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refused(match, BOB, MakeMove("a7-a6"), Refused.NOT_YOUR_TURN, seat=S1)
    # What is stale is said before whose turn it is.
    await desk.refused(match, BOB, MakeMove("a7-a6"), Refused.STALE, seen=99)
    await desk.refused(match, ANN, MakeMove("no move"), Refused.STALE, seen=99)


async def test_the_rules_own_refusals_pass_through(desk: Desk) -> None:
    match = await desk.duel("lgame")
    spelled = await desk.refused(match, ANN, MakeMove("\x00" * 9), Spelling.STRANGE_CHARACTER)
    assert isinstance(spelled, BadNotation)
    long = await desk.refused(match, ANN, MakeMove("x" * 10_000), Spelling.TOO_LONG)
    assert isinstance(long, BadNotation)
    several = await desk.refused(match, ANN, MakeMove("L a1-a3 n b1"), Legality.SEVERAL_FIT)
    assert isinstance(several, AmbiguousMove)
    assert len(several.candidates) == 2


async def test_falling_out_and_winning_by_the_rules(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    await desk.play(match, "a1")
    fact = await desk.act(match, BOB, MakeMove("d1"))
    assert fact.fell == ()
    fact = await desk.act(match, CEM, MakeMove("f1"))
    assert fact.fell == (), "Ann still has b1"
    fact = await desk.act(match, ANN, MakeMove("b1"))
    assert fact.fell == (S2,), "nothing is left for Bob, and g1 for Cem"
    assert fact.handed_on
    await desk.refused(match, BOB, MakeMove("g1"), Refused.YOU_ARE_OUT)
    fact = await desk.act(match, CEM, MakeMove("g1"))
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((S3,), "notches.ending.last-left")
    assert not fact.handed_on
    assert fact.fell == (S1,)
    await desk.refused(match, CEM, MakeMove("g1"), Refused.OVER)


async def test_the_third_time_is_a_draw(desk: Desk) -> None:
    match = await desk.duel("lgame")
    start = desk.table.position(match)
    match = await desk.play(match, *SHUTTLE, *SHUTTLE[:3])
    assert match.phase is Phase.PLAYING, "every position has stood there twice at most"
    fact = await desk.act(match, BOB, MakeMove(SHUTTLE[3]))
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((), Closing.REPETITION.value)
    assert not fact.handed_on
    course = desk.table.course(fact.match)
    assert course.position == start
    assert course.position.outcome is None
    assert course.repeated == 3
    await desk.refused(match, ANN, MakeMove(SHUTTLE[0]), Refused.OVER)


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
    fact = await desk.act(match, ANN, MakeMove("a1 a2"))
    assert [ply.text for ply in fact.plies] == ["a1"]
    assert fact.match.result == Result((), Closing.REPETITION.value)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "a2-a3 " * 200, "👻"])
async def test_noise_is_refused(desk: Desk, text: str) -> None:
    match = await desk.duel()
    before = desk.stored()
    with pytest.raises((BadNotation, IllegalMove)):
        await desk.act(match, ANN, MakeMove(text))
    assert desk.stored() == before
