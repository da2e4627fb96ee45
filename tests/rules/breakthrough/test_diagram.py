"""What there is to see."""

from __future__ import annotations

from hypothesis import given, settings

from rules.breakthrough import GAME, BreakthroughPosition
from rules.core import Arrow, Diagram, Grid, Highlights, Kind, Mark, Seat, Sign, Square, Zone, sq
from tests.rules.breakthrough.making import played, position, positions, start


def signs(diagram: Diagram) -> list[tuple[Sign, str, str]]:
    """The marks, short."""
    return [(mark.sign, str(mark.square), mark.label) for mark in diagram.marks]


@settings(max_examples=40, deadline=None)
@given(positions())
def test_every_man_is_there(here: BreakthroughPosition) -> None:
    diagram = GAME.draw(here)
    assert diagram.grid == here.options.grid
    for square in here.options.grid:
        piece = diagram.at(square)
        assert (piece.owner if piece else None) is here.at(square)
    assert {piece.kind for piece in diagram.pieces} == {Kind.MAN}
    assert all(len(piece.cells) == 1 for piece in diagram.pieces)
    assert (diagram.marks, diagram.arrows, diagram.scores, diagram.out) == ((), (), (), frozenset())


def test_the_far_ranks_are_goals_unless_nobody_wants_them() -> None:
    for here in (start("3x4"), played(start("3x4"), "a2xb3")):
        top, bottom = GAME.draw(here).areas
        assert (top.zone, top.owner, top.cells) == (Zone.GOAL, Seat.S1, tuple(Square(f, 3) for f in range(3)))
        assert (bottom.zone, bottom.owner) == (Zone.GOAL, Seat.S2)
        assert bottom.cells == tuple(Square(f, 0) for f in range(3))
    assert GAME.draw(start("3x4", "misere")).areas == ()


def test_the_last_move() -> None:
    before = start()
    (move,) = GAME.notation.parse("b2-c3", before)
    diagram = GAME.draw(before.play(move), Highlights(last=(move,), before=before))
    assert signs(diagram) == [(Sign.LEFT, "b2", ""), (Sign.ENTERED, "c3", "")]
    assert diagram.arrows == (Arrow(sq("b2"), sq("c3")),)


def test_the_last_capture() -> None:
    before = start("4x4")
    (move,) = GAME.notation.parse("b2xc3", before)
    diagram = GAME.draw(before.play(move), Highlights(last=(move,)))
    assert signs(diagram) == [(Sign.LEFT, "b2", ""), (Sign.ENTERED, "c3", ""), (Sign.CRUSHED, "c3", "")]


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
