"""Picking a cell, and what is drawn."""

from __future__ import annotations

from rules.core import Highlights, Kind, Sign, Zone
from rules.klopodavka import GAME
from tests.rules.klopodavka.making import played, start


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
