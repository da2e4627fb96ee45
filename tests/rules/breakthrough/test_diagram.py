"""What there is to see."""

from __future__ import annotations

from rules.breakthrough import GAME
from rules.core import Diagram, Grid, Highlights, Mark, Seat, Sign, Square, Zone, sq
from tests.rules.breakthrough.making import played, position, start


def signs(diagram: Diagram) -> list[tuple[Sign, str, str]]:
    """The marks, short."""
    return [(mark.sign, str(mark.square), mark.label) for mark in diagram.marks]


def test_the_far_ranks_are_goals_unless_no_side_wants_them() -> None:
    for here in (start("3x4"), played(start("3x4"), "a2xb3")):
        top, bottom = GAME.draw(here).areas
        assert (top.zone, top.owner, top.cells) == (Zone.GOAL, Seat.S1, tuple(Square(f, 3) for f in range(3)))
        assert (bottom.zone, bottom.owner) == (Zone.GOAL, Seat.S2)
        assert bottom.cells == tuple(Square(f, 0) for f in range(3))
    assert GAME.draw(start("3x4", "misere")).areas == ()


def test_candidates_are_numbered_where_they_differ() -> None:
    here = position("8/b6w/8/8/wbbb4/1w1w4/3w4/8 w")
    to_one_square = [move for move in here.legal_moves() if move.end == sq("c4")]
    to_one_square.sort(key=lambda move: move.start)
    assert GAME.draw(here, Highlights(candidates=to_one_square)).marks == (
        Mark(Sign.CANDIDATE, sq("b3"), "1"),
        Mark(Sign.CANDIDATE, sq("d3"), "2"),
    )
    of_one_man = sorted((m for m in here.legal_moves() if m.start == sq("h7")), key=lambda move: move.end)
    assert GAME.draw(here, Highlights(candidates=of_one_man)).marks == (
        Mark(Sign.CANDIDATE, sq("g8"), "1"),
        Mark(Sign.CANDIDATE, sq("h8"), "2"),
    )


def test_what_is_picked() -> None:
    assert signs(GAME.draw(start(), Highlights(picked=("b2",)))) == [(Sign.PICKED, "b2", "")]
    assert signs(GAME.draw(start(), Highlights(picked=("b2", "c3")))) == [
        (Sign.PICKED, "b2", ""),
        (Sign.PICKED, "c3", ""),
    ]
    assert signs(GAME.draw(start("26x26"), Highlights(picked=("a1-f6", "b2")))) == [(Sign.PICKED, "b2", "")]
    assert GAME.draw(start()).grid == Grid(8, 8)
