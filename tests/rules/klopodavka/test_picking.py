"""Picking a cell, and what is drawn."""

from __future__ import annotations

from rules.core import Highlights, Kind, Picks, Sign, Zone, take, walk
from rules.klopodavka import GAME
from tests.rules.klopodavka.making import chosen, played, position, start

FIGHT = position("4b/3b1/2b2/1a3/a4 1 3 -", board="5x5")


def test_each_cell_is_a_step() -> None:
    fork = GAME.fork(FIGHT, ())
    assert [step.token for step in fork.steps] == [str(move.square) for move in FIGHT.legal_moves()]
    picks = {step.token: step.picks for step in fork.steps}
    assert picks["c3"] is Picks.PIECE
    assert picks["b3"] is Picks.CELLS
    assert GAME.fork(FIGHT, ["c3"]).move == GAME.notation.parse("c3", FIGHT)[0]


def test_a_long_front_is_picked_by_regions() -> None:
    here = played(
        start("actions:10 board:20x20"),
        "b2 c3 d4 e5 f6 g7 h8 i9 j10 k11",
        "s19 r18 q17 p16 o15 n14 m13 m12 l13 m14",
    )
    assert len(here.legal_moves()) > 25
    fork = GAME.fork(here, ())
    assert 1 < len(fork.steps) <= 25
    assert all(step.picks is Picks.REGION for step in fork.steps)
    for move in here.legal_moves():
        path, end = walk(lambda path: GAME.fork(here, path), GAME.notation.steps(move))
        assert end.move == move
        assert len(path) == 2
        assert take(fork, path[0]) in fork.steps


def test_bugs_walls_and_bases_are_drawn_with_their_owners() -> None:
    here = played(start("players:4 board:6x6"), "b2 c3 d4", "b5 c4", "xd4")
    shown = GAME.draw(here)
    kinds = {(str(piece.cells[0]), piece.kind, piece.owner) for piece in shown.pieces}
    assert ("d4", Kind.WALL, 1) in kinds
    assert ("c3", Kind.BUG, 0) in kinds
    assert len(shown.pieces) == 4 + 2 + 1 + 2
    assert all(len(piece.cells) == 1 for piece in shown.pieces)
    assert [(area.zone, tuple(map(str, area.cells)), area.owner) for area in shown.areas] == [
        (Zone.BASE, ("a1",), 0),
        (Zone.BASE, ("a6",), 1),
        (Zone.BASE, ("f6",), 2),
        (Zone.BASE, ("f1",), 3),
    ]


def test_headquarters_and_joined_edges_are_drawn() -> None:
    shown = GAME.draw(start("variant:hq topology:torus"))
    assert {area.zone for area in shown.areas} == {Zone.HEADQUARTERS}
    assert all(len(area.cells) == 6 for area in shown.areas)
    assert (shown.joined_files, shown.joined_ranks) == (True, True)
    cylinder = GAME.draw(start("topology:cylinder"))
    assert (cylinder.joined_files, cylinder.joined_ranks) == (True, False)
    plane = GAME.draw(start())
    assert (plane.joined_files, plane.joined_ranks) == (False, False)


def test_the_part_of_the_board_that_is_picked_is_marked_where_it_can_be_acted_on() -> None:
    marks = GAME.draw(start(), Highlights(picked=["a1-e5"])).marks
    assert [str(mark.square) for mark in marks if mark.sign is Sign.PICKED] == ["b1", "a2", "b2"]
    assert GAME.draw(start(), Highlights(picked=["nonsense"])).marks == ()


def test_who_is_out_and_the_bases_held_are_in_the_picture() -> None:
    here = position("1aA3b/2A4/a1A4 1 3 -", variant="bases", board="7x3")
    assert GAME.draw(here).scores == (2, 0)
    gone = start("players:3").retire(chosen("players:3").sides[1][0])
    assert {seat.number for seat in GAME.draw(gone).out} == {2}
