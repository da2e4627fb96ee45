"""A move that loses at once is found, and the search for it is bounded."""

from __future__ import annotations

import pytest

from play.blunders import losing_reply, turns_of
from tests.support.desk import S1, S2, Desk

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
    match = await desk.play(match, "a2 a3 a4", "f5 f4 f3", "a5")
    assert (turns_of(desk.table.course(match), S1), turns_of(desk.table.course(match), S2)) == (2, 1)
