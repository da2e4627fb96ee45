"""Who may ask for what: actions and states, stale requests, and moves that lose at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from engine.klopodavka.state import SearchState
from engine.klopodavka.tree import every_turn, in_order
from play.actions.agreeing import Answer, AskPause, AskTakeback, OfferDraw, Resume, Undo
from play.actions.leaving import Claim, Leave, Resign
from play.actions.planning import MakePlan
from play.actions.playing import MakeMove, losing_reply
from play.actions.renaming import Watch
from play.actions.seating import Join, Start, Withdraw
from play.errors import Refused
from play.facts import Departed, Drawn, Joined, LeftLobby, Moved, Resumed
from play.match import Ask
from play.opening import Lobby
from play.replay import Course
from play.request import CLOCKWORK, Action
from rules import GAMES
from rules.klopodavka import KlopodavkaPosition
from tests.support.desk import ANN, BOB, CEM, DAN, EVE, HALL, ROOM, Desk

# Who may ask for what, and when: one row for each action, one column for each state of a match.


NOT_SEATED, NOT_STARTED, OVER, STALE = (Refused.NOT_SEATED, Refused.NOT_STARTED, Refused.OVER, Refused.STALE)
ACTIONS: list[Action[Any]] = [
    MakeMove("a2-a3"),
    MakePlan("if a7-a6 then b2-b3"),
    Undo(),
    AskTakeback(),
    OfferDraw(),
    AskPause(),
    Resume(),
    Answer(Ask.DRAW, True),
    Answer(Ask.DRAW, False),
    Claim(),
    Resign(),
    Leave(),
]


@pytest.mark.parametrize("action", ACTIONS, ids=repr)
async def test_who_may_not(desk: Desk, action: Action[Any]) -> None:
    invited = await desk.invited(ANN, BOB, clock="3d")
    if not isinstance(action, Leave):  # that is giving the chair back
        await desk.refused(invited, ANN, action, NOT_STARTED)
    await desk.refused(invited, EVE, action, NOT_SEATED)
    await desk.act(invited, ANN, Withdraw())
    if not isinstance(action, Leave):
        await desk.refused(invited, ANN, action, Refused.CALLED_OFF)
    match = await desk.duel(clock="3d")
    await desk.refused(match, EVE, action, NOT_SEATED)
    if isinstance(action, MakeMove | MakePlan | Undo | AskTakeback | OfferDraw | Claim):
        for wrong in (1, 99):
            await desk.refused(match, ANN, action, STALE, seen=wrong)
    await desk.act(match, BOB, Resign())
    await desk.refused(match, ANN, action, OVER)
    await desk.refused(match, EVE, action, NOT_SEATED)


# A request is refused as stale if what it depends on has changed since its player looked, and only then.


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


# A move that loses at once is found, and the search for it is bounded.


@pytest.mark.parametrize(
    ("chosen", "played", "text", "replies"),
    [
        ({}, "a2-a3 c4-c3 a1-a2 c3xb2", "d2-d3", [["b2-a1"], ["b2xc1"]]),
        ({}, "a2-a3 c4-c3 a1-a2 c3xb2", "c1xb2", [None]),
        ({}, "a2-a3 c4-c3 a1-a2 c3xb2", "c1:b2", [None]),
        ({"variant": "misere"}, "a2-a3 d4-d3 a3xb4 d3xc2", "b4xa5", [()]),
    ],
)
async def test_the_reply_that_wins_is_named(
    desk: Desk, chosen: dict[str, Any], played: str, text: str, replies: list[object]
) -> None:
    match = await desk.play(await desk.duel("breakthrough", board="4x5", **chosen), *played.split())
    assert losing_reply(desk.table.course(match), text) in replies


async def test_an_l_game_lost_on_the_second_turn(desk: Desk) -> None:
    match = await desk.duel("lgame")
    assert losing_reply(desk.table.course(match), "L b3-b1-a1 n a4-a3")


async def test_a_turn_of_several_plies_is_judged_when_it_is_whole(desk: Desk) -> None:
    match = await desk.duel("klopodavka", board="6x6")
    course = desk.table.course(match)
    assert losing_reply(course, "a2") is None
    assert losing_reply(course, "a2 a3 a4") is None


def turns(board: str, games: int) -> Iterator[tuple[KlopodavkaPosition, list[str]]]:
    """Every whole turn of games at random in which bugs are mostly crushed, each with the position before it."""
    game, chance = GAMES["klopodavka"], random.Random(7)
    for _ in range(games):
        here = before = game.start(game.choose({"board": board}))
        turn: list[str] = []
        while not here.outcome:
            moves = here.legal_moves()
            crushes = [move for move in moves if move.crush]
            move = chance.choice(crushes if crushes and chance.random() < 0.6 else moves)
            here, turn = here.play(move), [*turn, game.notation.format(move)]
            if not here.outcome and here.to_move != before.to_move:
                yield before, turn
                before, turn = here, []


def loses(before: KlopodavkaPosition, turn: list[str]) -> bool:
    """Whether some whole turn after this one wins, by the states of the search."""
    state = SearchState.of(before)
    for text in turn:
        (move,) = GAMES["klopodavka"].notation.parse(text, before)
        state, before = state.act(before.ruleset.board.bits[move.square]), before.play(move)
    for cells in every_turn(state):
        here = state
        for bit in in_order(state, cells):
            here = here.act(bit)
        if here.end and state.seat in here.end.winners:
            return True
    return False


@pytest.mark.parametrize(
    ("board", "position", "turn"),
    [
        ("6x6", "2B1bA/2BbA1/aBBAAb/aBaAAA/BBB1bA/aa2Ab 1 3 -", "xf4 xe2 xf1"),
        ("6x6", "2bbAb/2AbAA/aBAAA1/Ba4/1a1a2/aaa3 2 3 -", "b6 a6 b5"),
        ("7x7", "4bbb/3A1bA/4AA1/a3A2/1aBBAA1/1aaa3/aa5 2 3 -", "d7 e6 g5"),
        ("7x7", "2AAAAA/1A1aAAA/1BBAABb/BaAAbAA/BaBB2b/aBB1aAb/aaB2A1 2 3 -", "xa1 xb3 xa2"),
    ],
)
def test_a_winning_turn_among_thousands_of_orders_is_found(board: str, position: str, turn: str) -> None:
    game = GAMES["klopodavka"]
    options = game.choose({"board": board})
    before = game.notation.parse_position(position, options)
    reply = losing_reply(Course(game, options, (), (before,), ()), turn)
    assert reply is not None
    seat = before.to_move
    for text in (turn, " ".join(reply)):
        for move in game.notation.parse(text, before):
            before = before.play(move)
    assert before.outcome is not None
    assert seat not in before.outcome.winners


@pytest.mark.parametrize("board", ["6x6", "7x7"])
def test_every_losing_turn_on_a_small_board_is_found(board: str) -> None:
    game, found = GAMES["klopodavka"], []
    for before, turn in turns(board, 2):
        course = Course(game, game.choose({"board": board}), (), (before,), ())
        reply = losing_reply(course, " ".join(turn))
        assert (reply is not None) is loses(before, turn), (game.notation.format_position(before), turn)
        found.append(reply is not None)
    assert 0 < sum(found) < len(found)
