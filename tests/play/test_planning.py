"""Plies and conditional moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from play.actions.agreeing import Undo
from play.actions.leaving import Resign
from play.actions.planning import MakePlan, slip_of, spelled
from play.actions.playing import MakeMove, prepared
from play.errors import BadRequest, Refused
from play.facts import Moved, Planned, PlannedAnswer
from play.files.matchfile import write
from play.match import Branch, Closing, Match, Phase, Ply, Result
from rules import GAMES
from rules.core import AmbiguousMove, BadNotation, IllegalMove, Legality, Spelling
from tests.support.desk import ANN, BOB, CEM, DAN, NOON, S1, S2, S3, SHUTTLE, Desk, times
from tests.toy import notches
from tests.toy.notches.position import Notch, Notches, Refusal

# Plies: whose they are, what is logged, and what is refused.


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


# Conditional moves: read, played when they fit, dropped when they do not, and shown to no other player.


async def ready(desk: Desk) -> Match:
    """Bob is on turn, and Ann may plan."""
    return await desk.play(await desk.duel(clock="3d+1h"), "a2-a3")


def texts(match: Match) -> list[str]:
    return [entry.text for entry in match.log if isinstance(entry, Ply)]


async def test_a_plan_is_played_at_once(desk: Desk) -> None:
    match = await ready(desk)
    fact = await desk.gives(Planned, match, ANN, MakePlan("if a7-a6 then b2-b3; if h7-h6 then c2-c3"))
    assert (fact.to, fact.seat) == (ANN.account, S1)
    assert fact.plan
    assert fact.plan.branches == (Branch(("a7-a6",), ("b2-b3",)), Branch(("h7-h6",), ("c2-c3",)))
    assert spelled(fact.plan) == "if a7-a6 then b2-b3\nif h7-h6 then c2-c3"
    moved = await desk.act(match, BOB, MakeMove("h7-h6"), seen=match.revision)
    assert moved.plies == (Ply(S2, "h7-h6", desk.now),)
    assert moved.answers == (PlannedAnswer(S1, (Ply(S1, "c2-c3", desk.now),)),)
    assert moved.handed_on
    assert moved.match.plans == ()
    assert texts(moved.match) == ["a2-a3", "h7-h6", "c2-c3"]
    assert moved.match.revision == fact.match.revision + 1, "one commit"
    assert (times(moved.match).seat, times(moved.match).since) == (S2, desk.now)


async def test_it_goes_on_as_a_tree(desk: Desk) -> None:
    match = await ready(desk)
    text = "якщо a7-a6 то b2-b3 якщо b7-b6 то c2-c3\nесли a7-a6 то b2-b3 если h7-h6 то d2-d3"
    fact = await desk.act(match, ANN, MakePlan(text))
    assert fact.plan
    assert fact.plan.branches == (
        Branch(("a7-a6",), ("b2-b3",), (Branch(("b7-b6",), ("c2-c3",)), Branch(("h7-h6",), ("d2-d3",)))),
    )
    match = await desk.play(match, "a7-a6")
    assert texts(match)[-1] == "b2-b3"
    assert len(match.plans) == 1
    match = await desk.play(match, "h7-h6")
    assert texts(match)[-1] == "d2-d3"
    assert match.plans == ()


async def test_undoing_past_its_root_drops_it_also_after_an_exit(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, DAN, board="9x9")
    await desk.act(match, BOB, MakePlan("if a1 a2 then e1 e2"))
    await desk.play(match, "a3")
    assert (await desk.act(match, ANN, Undo())).match.plans, "made before that ply"
    match = await desk.play(match, "a3 a4")
    await desk.act(match, CEM, MakePlan("if e1 e2 then i1 i2"))
    await desk.act(match, DAN, Resign())
    match = (await desk.act(match, ANN, Undo())).match
    assert match.plans == ()


async def test_it_is_the_position_that_fits(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2")
    text = "if e1 e2 / i4 i5 then a3 a4"
    fact = await desk.act(match, ANN, MakePlan(text))
    assert fact.plan
    match = await desk.play(match, "e2", "e1", "i5 i4")
    assert texts(match)[-2:] == ["a3", "a4"]
    assert desk.table.position(match).to_move is S2


async def test_a_player_leaves_in_between(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2")
    await desk.act(match, ANN, MakePlan("if e1 e2 / i4 i5 then a3 a4"))
    await desk.act(match, CEM, MakePlan("if e1 e2 then i4 i5"))
    await desk.act(match, CEM, Resign())
    match = await desk.play(match, "e1 e2")
    assert match.plans == ()
    assert texts(match)[-1] == "e2"


async def test_dropped_by_hand(desk: Desk) -> None:
    match = await ready(desk)
    await desk.refused(match, ANN, MakePlan(""), Refused.NO_PLAN)
    await desk.act(match, ANN, MakePlan("if a7-a6 then b2-b3"))
    fact = await desk.act(match, ANN, MakePlan(" "))
    assert (fact.plan, fact.match.plans) == (None, ())


async def test_it_is_in_no_file(desk: Desk) -> None:
    match = await ready(desk)
    fact = await desk.act(match, ANN, MakePlan("if a7-a6 then b2-b3"))
    assert "b2-b3" not in write(fact.match)
    assert "b2-b3" not in repr(fact.match)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a7-a6 then b2-b3", Refused.BAD_PLAN),
        ("if a7-a6", Refused.BAD_PLAN),
        ("if a7-a6 then", Refused.BAD_PLAN),
        ("if then b2-b3", Refused.BAD_PLAN),
        (";;", Refused.BAD_PLAN),
        ("well, if a7-a6 then b2-b3", Refused.BAD_PLAN),
        ("if a7-a6 then b2-b3 then c2-c3", Refused.BAD_PLAN),
        ("if a7-a6 then b2-b3; if a7-a6 then c2-c3", Refused.PLAN_TWICE),
        ("if a7-a6 / b2-b3 then b7-b6", Refused.PLAN_TOO_SHORT),
        ("hello", Refused.BAD_PLAN),
        ("b2-b3; c2-c3", Refused.PLAN_TWICE),
        ("if a7-a6 then b2-b3;" * 100, Refused.PLAN_TOO_LONG),
    ],
)
async def test_what_is_no_plan(desk: Desk, text: str, reason: Refused) -> None:
    match = await ready(desk)
    await desk.refused(match, ANN, MakePlan(text), reason)


async def test_who_may_plan_what(desk: Desk) -> None:
    match = await ready(desk)
    await desk.refused(match, BOB, MakePlan("if a7-a6 then b2-b3"), Refused.PLAN_YOUR_TURN)
    with pytest.raises(IllegalMove):
        await desk.act(match, ANN, MakePlan("if a7-a6 then b2-b4"))
    assert (await desk.table.get(match.id)).plans == ()
    await desk.gives(Moved, match, BOB, MakeMove("a7-a6"))


async def test_another_plan_is_added_to_what_there_is(desk: Desk) -> None:
    match = await ready(desk)
    await desk.act(match, ANN, MakePlan("if a7-a6 then b2-b3 if b7-b6 then c2-c3; if h7-h6 then c2-c3"))
    more = "if a7-a6 then b2-b3 if c7-c6 then d2-d3; if h7-h6 then d2-d3; if g7-g6, then c2-c3"
    fact = await desk.act(match, ANN, MakePlan(more))
    assert fact.plan
    assert spelled(fact.plan).splitlines() == [
        "if a7-a6 then b2-b3 if b7-b6 then c2-c3",
        "if a7-a6 then b2-b3 if c7-c6 then d2-d3",
        "if h7-h6 then d2-d3",
        "if g7-g6 then c2-c3",
    ]
    assert fact.match.plans == (fact.plan,)
    match = await desk.play(match, "a7-a6")
    match = await desk.play(match, "c7-c6")
    assert texts(match)[-1] == "d2-d3"


async def test_of_a_turn_that_has_begun_the_cases_that_can_still_come_are_kept(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, board="9x5")
    match = await desk.play(match, "a1 a2")
    await desk.act(match, ANN, MakePlan("if e1 e2 / i4 i5 then a3 a4; if e1 d1 / i4 i5 then a3 a4"))
    match = await desk.play(match, "e1")
    fact = await desk.act(match, ANN, MakePlan("if f1 / i4 i5 then a3 a4"))
    assert fact.plan
    assert [branch.when[0] for branch in fact.plan.branches] == ["e2", "d1", "f1"]
    match = await desk.play(match, "d1", "i5 i4")
    assert texts(match)[-2:] == ["a3", "a4"]


async def test_a_plan_does_not_grow_for_ever(desk: Desk) -> None:
    match = await ready(desk)

    async def more(file: str) -> None:
        others = [other for other in "abcdefgh" if other != file]
        cases = [f"if {file}7-{file}6 then b2-b3 if {other}7-{other}6 then c2-c3" for other in others]
        await desk.act(match, ANN, MakePlan("; ".join(cases)))

    for file in "abcde":
        await more(file)
    with pytest.raises(BadRequest) as caught:
        await more("f")
    assert caught.value.reason is Refused.PLAN_TOO_LONG


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        ("if a7-a6 then b2-b3", None),
        ("if a7-a6 then b2-b4", ("b2-b4", "a7-a6 then b2-b4", 1)),
        ("if h7-h6 then c2-c3; if a7-a5 then b2-b3", ("a7-a5", "a7-a5 then b2-b3", 0)),
        ("if a7-a6 then b2-b3 if b7-b6, then b2-b3", ("b2-b3", "b7-b6, then b2-b3", 3)),
        ("a7-a6", ("a7-a6", "a7-a6", 0)),
        ("hello", None),
    ],
)
async def test_the_move_that_is_refused_is_found(
    desk: Desk, text: str, slip: tuple[str, str, int] | None
) -> None:
    match = await ready(desk)
    course = desk.table.course(match)
    found = slip_of(course, S1, text)
    if slip is None:
        assert found is None
        return
    assert found is not None
    position = course.position if text.startswith("if") else course.position.ahead(S1)
    assert position is not None
    for move in ["a7-a6", "b2-b3", "b7-b6"][: slip[2]]:
        (played,) = course.game.notation.parse(move, position)
        position = position.play(played)
    assert (found.text, found.case, found.position) == (slip[0], slip[1], position)


# A prepared move: played whatever comes, if it is legal then.


async def test_a_prepared_move_is_played_whatever_comes(desk: Desk) -> None:
    match = await ready(desk)
    fact = await desk.gives(Planned, match, ANN, MakePlan("b2 b3"))
    assert fact.plan
    assert fact.plan.branches == (Branch((), ("b2-b3",)),)
    assert spelled(fact.plan) == "b2-b3"
    moved = await desk.act(match, BOB, MakeMove("h7-h6"), seen=match.revision)
    assert moved.answers == (PlannedAnswer(S1, (Ply(S1, "b2-b3", desk.now),)),)
    assert moved.match.plans == ()


async def test_it_answers_only_what_fits_no_case_and_the_newest_counts(desk: Desk) -> None:
    match = await ready(desk)
    await desk.act(match, ANN, MakePlan("b2-b3; if a7-a6 then c2-c3"))
    fact = await desk.gives(Planned, match, ANN, MakePlan("d2-d3"))
    assert fact.plan
    assert spelled(fact.plan).splitlines() == ["d2-d3", "if a7-a6 then c2-c3"]
    assert texts(await desk.play(match, "a7-a6"))[-1] == "c2-c3"
    match = await desk.play(await desk.duel(), "a2-a3")
    await desk.act(match, ANN, MakePlan("d2-d3; if a7-a6 then c2-c3"))
    assert texts(await desk.play(match, "h7-h6"))[-1] == "d2-d3"


async def test_one_that_is_not_legal_then_is_not_played_and_is_there_until_its_seat_moves(desk: Desk) -> None:
    match = await desk.duel(board="4x5")
    match = await desk.play(match, "b2-b3")
    await desk.act(match, ANN, MakePlan("b3xa4"))
    match = await desk.play(match, "a4xb3")
    assert texts(match)[-1] == "a4xb3"
    assert prepared(match, S1) == ("b3xa4",)
    match = (await desk.act(match, BOB, Undo())).match
    assert prepared(match, S1) == ("b3xa4",), "it is not Ann's turn any more: it waits again"
    match = await desk.play(match, "d4-d3")
    assert texts(match)[-1] == "b3xa4"
    await desk.act(match, ANN, MakePlan("a4xb5"))
    match = await desk.play(match, "b5xa4")
    assert prepared(match, S1) == ("a4xb5",)
    match = await desk.play(match, "a2-a3")
    assert match.plans == ()


async def test_a_prepared_turn_of_several_plies_waits_for_all_the_others(desk: Desk) -> None:
    match = await desk.party(ANN, BOB, CEM, game="klopodavka")
    notation = GAMES["klopodavka"].notation

    def turn(position: Any) -> str:
        plies = []
        for _ in range(position.plies_left):
            plies.append(notation.format(position.legal_moves()[0]))
            position = position.play(position.legal_moves()[0])
        return " ".join(plies)

    match = await desk.play(match, turn(desk.table.position(match)))
    wanted = turn(desk.table.position(match).ahead(S1))
    await desk.refused(match, ANN, MakePlan(wanted.split()[0]), Refused.PLAN_TOO_SHORT)
    await desk.act(match, ANN, MakePlan(wanted))
    match = await desk.play(match, turn(desk.table.position(match)))
    assert match.plans
    match = await desk.play(match, turn(desk.table.position(match)))
    assert " ".join(texts(match)).endswith(wanted)
    assert desk.table.position(match).to_move is S2
