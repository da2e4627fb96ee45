"""Plies: whose they are, what is logged, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from play.errors import Refused
from play.facts import Moved
from play.match import Closing, Phase, Ply, Result
from rules.core import AmbiguousMove, BadNotation, IllegalMove, Legality, Spelling
from rules.core.fork import walk
from tests.play.desk import ANN, BOB, CEM, EVE, NOON, ROOM, S1, S2, S3, SHUTTLE, Desk
from tests.toy import notches
from tests.toy.notches.position import Notch, Notches, Refusal


async def test_a_ply_is_logged_in_canonical_notation(desk: Desk) -> None:
    match = await desk.duel()
    fact = await desk.table.move(match.id, ANN.account, " A2 a3", at=NOON, seen=match.revision)
    assert isinstance(fact, Moved)
    assert fact.plies == (Ply(S1, "a2-a3", NOON),)
    assert fact.match.log == fact.plies
    assert (fact.seat, fact.handed_on, fact.fell) == (S1, True, ())
    assert fact.match.revision == match.revision + 1
    assert await desk.table.get(match.id) == fact.match


async def test_a_turn_of_several_plies_stays_until_it_is_done(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    half = await desk.table.move(match.id, ANN, "a1", at=desk.at)
    assert not half.handed_on
    await desk.refuses(desk.table.move(match.id, BOB, "e1", at=desk.at), Refused.NOT_YOUR_TURN, seat=S1)
    rest = await desk.table.move(match.id, ANN, "a2", at=desk.at)
    assert rest.handed_on
    whole = await desk.table.move(match.id, BOB, "e1 e2", at=desk.at)
    assert whole.handed_on
    assert [ply.text for ply in whole.plies] == ["e1", "e2"]
    assert whole.match.revision == rest.match.revision + 1


async def test_all_of_a_text_is_played_or_nothing(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    await desk.refuses(desk.table.move(match.id, ANN, "a1 a1", at=desk.at), Refusal.TAKEN)
    await desk.refuses(desk.table.move(match.id, ANN, "a1 b1 c1", at=desk.at), Refusal.TOO_MANY)


async def test_who_may_not_move(desk: Desk) -> None:
    match = await desk.duel()
    await desk.refuses(desk.table.move(match.id, EVE, "a2-a3", at=desk.at), Refused.NOT_SEATED)
    await desk.refuses(desk.table.move(match.id, BOB, "a7-a6", at=desk.at), Refused.NOT_YOUR_TURN, seat=S1)
    # Whose turn it is now is nothing to somebody who was looking at another board.
    await desk.stale(desk.table.move(match.id, BOB, "a7-a6", at=desk.at, seen=99), match)
    await desk.stale(desk.table.move(match.id, ANN, "no move", at=desk.at, seen=99), match)


async def test_a_match_that_is_not_under_way(desk: Desk) -> None:
    made = (await desk.table.challenge(ANN, ROOM, "breakthrough", {}, at=desk.at, opponents=(BOB,))).match
    await desk.refuses(desk.table.move(made.id, ANN, "a2-a3", at=desk.at), Refused.NOT_STARTED)
    await desk.refuses(desk.table.move(made.id, EVE, "a2-a3", at=desk.at), Refused.NOT_SEATED)
    await desk.table.withdraw(made.id, ANN, at=desk.at)
    await desk.refuses(desk.table.move(made.id, ANN, "a2-a3", at=desk.at), Refused.CALLED_OFF)
    over = await desk.duel()
    await desk.table.resign(over.id, ANN, at=desk.at)
    await desk.refuses(desk.table.move(over.id, ANN, "a2-a3", at=desk.at), Refused.OVER)


async def test_the_rules_own_refusals_pass_through(desk: Desk) -> None:
    match = await desk.duel("lgame")
    spelled = await desk.refuses(
        desk.table.move(match.id, ANN, "\x00" * 9, at=desk.at), Spelling.STRANGE_CHARACTER
    )
    assert isinstance(spelled, BadNotation)
    long = await desk.refuses(desk.table.move(match.id, ANN, "x" * 10_000, at=desk.at), Spelling.TOO_LONG)
    assert isinstance(long, BadNotation)
    several = await desk.refuses(
        desk.table.move(match.id, ANN, "L a1-a3 n b1", at=desk.at), Legality.SEVERAL_FIT
    )
    assert isinstance(several, AmbiguousMove)
    assert len(several.candidates) == 2


async def test_a_move_picked_step_by_step(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="12x6")
    game, position = desk.games["notches"], desk.table.position(match)
    path, _ = walk(lambda chosen: game.fork(position, chosen), ("c3",))
    assert len(path) > 1, "a board this large narrows down first"
    fact = await desk.table.complete(match.id, ANN, path, at=desk.at, seen=match.revision)
    assert [ply.text for ply in fact.plies] == ["c3"]
    await desk.stale(desk.table.complete(match.id, ANN, path, at=desk.at, seen=match.revision), fact.match)


async def test_looking_ahead_at_the_next_steps(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    fork = await desk.table.fork(match.id, ANN, (), seen=match.revision)
    assert {step.token for step in fork.steps} == {f"{file}{rank}" for file in "abcde" for rank in "123"}
    assert (await desk.table.fork(match.id, ANN, ("a1",))).move is not None
    await desk.refuses(desk.table.fork(match.id, BOB, ()), Refused.NOT_YOUR_TURN, seat=S1)
    await desk.refuses(desk.table.fork(match.id, EVE, ()), Refused.NOT_SEATED)
    await desk.refuses(desk.table.fork(match.id, ANN, ("z9",)), Legality.NO_SUCH_STEP)
    await desk.stale(desk.table.fork(match.id, ANN, (), seen=1), match)


async def test_a_path_that_leads_nowhere(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM)
    ask = desk.table.complete
    for path in ((), ("z9",), ("a1", "a2"), ("a1",) * 1000):
        refusal = await desk.refuses(
            ask(match.id, ANN, path, at=desk.at, seen=match.revision), Legality.NO_SUCH_STEP
        )
        assert isinstance(refusal, IllegalMove)
    await desk.refuses(
        ask(match.id, BOB, ("a1",), at=desk.at, seen=match.revision), Refused.NOT_YOUR_TURN, seat=S1
    )


async def test_falling_out_and_winning_by_the_rules(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="7x1", cuts="1")
    await desk.play(match, "a1")
    fact = await desk.table.move(match.id, BOB, "d1", at=desk.at)
    assert fact.fell == ()
    fact = await desk.table.move(match.id, CEM, "f1", at=desk.at)
    assert fact.fell == (), "Ann still has b1"
    fact = await desk.table.move(match.id, ANN, "b1", at=desk.at)
    assert fact.fell == (S2,), "nothing is left for Bob, and g1 for Cem"
    assert fact.handed_on
    await desk.refuses(desk.table.move(match.id, BOB, "g1", at=desk.at), Refused.YOU_ARE_OUT)
    fact = await desk.table.move(match.id, CEM, "g1", at=desk.at)
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((S3,), "notches.ending.last-left")
    assert not fact.handed_on
    assert fact.fell == (S1,)
    await desk.refuses(desk.table.move(match.id, CEM, "g1", at=desk.at), Refused.OVER)


async def test_playing_on_closes_an_open_question(desk: Desk) -> None:
    match = await desk.duel()
    asked = await desk.table.offer_draw(match.id, BOB, at=desk.at)
    assert asked.match.offer
    moved = await desk.table.move(match.id, ANN, "a2-a3", at=desk.at)
    assert moved.match.offer is None


async def test_the_third_time_is_a_draw(desk: Desk) -> None:
    match = await desk.duel("lgame")
    start = desk.table.position(match)
    match = await desk.play(match, *SHUTTLE, *SHUTTLE[:3])
    assert match.phase is Phase.PLAYING, "every position has stood there twice at most"
    fact = await desk.table.move(match.id, BOB, SHUTTLE[3], at=desk.at)
    assert fact.match.phase is Phase.OVER
    assert fact.match.result == Result((), Closing.REPETITION.value)
    assert not fact.handed_on
    course = desk.table.course(fact.match)
    assert course.position == start
    assert course.position.outcome is None
    assert course.repeated == 3
    await desk.refuses(desk.table.move(match.id, ANN, SHUTTLE[0], at=desk.at), Refused.OVER)


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
    fact = await desk.table.move(match.id, ANN, "a1 a2", at=desk.at)
    assert [ply.text for ply in fact.plies] == ["a1"]
    assert fact.match.result == Result((), Closing.REPETITION.value)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "a2-a3 " * 200, "👻"])
async def test_noise_is_refused(desk: Desk, text: str) -> None:
    match = await desk.duel()
    before = desk.stored()
    with pytest.raises((BadNotation, IllegalMove)):
        await desk.table.move(match.id, ANN, text, at=desk.at)
    assert desk.stored() == before
