"""A move that loses at once is found, and the search for it is bounded."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from engine.klopodavka.state import SearchState
from engine.klopodavka.tree import every_turn, in_order
from play.actions.playing import losing_reply
from play.replay import Course
from rules import GAMES
from rules.klopodavka import KlopodavkaPosition
from tests.support.desk import Desk

OPENING = ("a2-a3", "c4-c3", "a1-a2", "c3xb2")


async def test_the_reply_that_wins_is_named(desk: Desk) -> None:
    match = await desk.play(await desk.duel("breakthrough", board="4x5"), *OPENING)
    reply = losing_reply(desk.table.course(match), "d2-d3")
    assert reply
    assert reply[0] in {"b2-a1", "b2xc1"}


@pytest.mark.parametrize("text", ["c1xb2", "c1:b2"])
async def test_other_moves_are_not_asked_back(desk: Desk, text: str) -> None:
    match = await desk.play(await desk.duel("breakthrough", board="4x5"), *OPENING)
    assert losing_reply(desk.table.course(match), text) is None


async def test_a_move_that_ends_the_game_for_its_player_needs_no_reply(desk: Desk) -> None:
    match = await desk.duel("breakthrough", variant="misere", board="4x5")
    match = await desk.play(match, "a2-a3", "d4-d3", "a3xb4", "d3xc2")
    assert losing_reply(desk.table.course(match), "b4xa5") == ()


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
    for before, turn in turns(board, 3):
        course = Course(game, game.choose({"board": board}), (), (before,), ())
        reply = losing_reply(course, " ".join(turn))
        assert (reply is not None) is loses(before, turn), (game.notation.format_position(before), turn)
        found.append(reply is not None)
    assert 0 < sum(found) < len(found)
