"""The part of a large board that is shown larger."""

from __future__ import annotations

from dataclasses import replace

import pytest

from render.picture import Painter, RenderOptions, Theme
from render.picture.cell_specs import cell_specs, pattern_of
from render.picture.layout import LEGIBLE, LIMIT, layout
from render.picture.window import Window, enlarged, window
from rules.core import Diagram, Grid, Kind, Mark, Piece, Seat, Sign, Square, sq
from tests.render.picture.reading import opened

LARGEST = Diagram(Grid(26, 30), (Piece(Kind.BUG, (sq("m15"),), Seat.S1),))


def marked(sign: Sign, *names: str, on: Diagram = LARGEST) -> Diagram:
    return replace(on, marks=tuple(Mark(sign, sq(name)) for name in names))


def seen(part: Window | None) -> set[Square]:
    assert part is not None
    return {Square(file, rank) for file in part.files for rank in part.ranks}


@pytest.mark.parametrize("sign", Sign)
@pytest.mark.parametrize("names", [("a1",), ("z30", "y29"), ("m15", "n18", "h14")], ids=str)
@pytest.mark.parametrize("flipped", [False, True])
def test_the_part_holds_what_goes_on(sign: Sign, names: tuple[str, ...], flipped: bool) -> None:
    part = window(marked(sign, *names), flipped=flipped)
    assert seen(part) >= {sq(name) for name in names}
    assert seen(part) <= set(LARGEST.grid)


def test_past_joined_edges_the_part_goes_on() -> None:
    torus = replace(marked(Sign.ENTERED, "z30", "a1", "b2"), joined_files=True, joined_ranks=True)
    part = window(torus, flipped=False)
    assert part is not None
    assert seen(part) >= {sq("z30"), sq("a1"), sq("b2")}
    assert part.files.index(0) == part.files.index(25) + 1
    assert part.ranks.index(29) == part.ranks.index(0) + 1
    turned = window(torus, flipped=True)
    assert turned == Window(part.files[::-1], part.ranks[::-1])


def test_a_small_board_a_bare_one_and_choices_far_apart_have_no_part() -> None:
    small = Diagram(Grid(12, 12), (), marks=(Mark(Sign.ENTERED, sq("a1")),))
    assert window(small, flipped=False) is None
    assert window(LARGEST, flipped=False) is None
    assert window(marked(Sign.CANDIDATE, "a1", "z30"), flipped=False) is None
    # Of a turn as far apart, most of it is shown.
    assert seen(window(marked(Sign.ENTERED, "a1", "b2", "z30"), flipped=False)) >= {sq("a1"), sq("b2")}


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("joined", [False, True])
def test_cells_are_those_of_the_board_and_choices_are_named(flipped: bool, joined: bool) -> None:
    everywhere = tuple(
        Piece(Kind.WALL if (at.file + at.rank) % 3 else Kind.BUG, (at,), Seat((at.file * 7 + at.rank) % 10))
        for at in LARGEST.grid
    )
    diagram = Diagram(
        LARGEST.grid,
        everywhere,
        marks=(Mark(Sign.CANDIDATE, sq("a1")), Mark(Sign.CANDIDATE, sq("c2"), "3")),
        joined_files=joined,
        joined_ranks=joined,
    )
    part = window(diagram, flipped=flipped)
    assert part is not None
    rows = cell_specs(diagram, flipped=flipped, pattern=pattern_of(diagram))
    for rank, row in zip(part.ranks, enlarged(rows, part, flipped=flipped), strict=True):
        for file, spec in zip(part.files, row, strict=True):
            at = Square(file, rank)
            piece = diagram.at(at)
            assert piece is not None
            assert spec.piece is not None
            assert (spec.piece.kind, spec.piece.owner) == (piece.kind, piece.owner)
            label = {sq("a1"): "a1", sq("c2"): "3"}.get(at)
            assert spec.signs == (((Sign.CANDIDATE, label),) if label else ())


@pytest.mark.parametrize("theme", Theme)
def test_the_line_round_the_part_is_on_the_whole_board(painter: Painter, theme: Theme) -> None:
    """Nothing else of the board above changes, whatever its edges are."""
    diagram = marked(Sign.ENTERED, "m15")
    one = layout(diagram.grid, 0, 1, phone=True, part=Grid(14, 7))
    assert one.part is not None
    picture = opened(painter.paint(diagram, RenderOptions(theme, scale=1, phone=True)))
    assert picture.size == (one.width, one.height)
    part = window(diagram, flipped=False)
    assert part is not None
    left = one.indent + one.margin + part.files[0] * one.cell
    top = one.margin + (29 - part.ranks[0]) * one.cell
    for x, y in ((left, top), (left, top + 7 * one.cell - 1), (left + 14 * one.cell - 1, top)):
        assert picture.getpixel((x, y)) != picture.getpixel((left + 14 * one.cell + 1, top + one.cell // 2))


def test_a_part_is_read_and_touched_on_a_phone() -> None:
    for files, ranks in ((26, 30), (16, 16), (26, 4), (3, 30), (20, 30)):
        one = layout(Grid(files, ranks), 10, 1, phone=True, part=Grid(min(14, files), min(9, ranks)))
        assert one.part is not None
        assert one.part.cell * LIMIT / one.width >= LEGIBLE


def test_only_pictures_for_phones_have_a_part(painter: Painter) -> None:
    diagram = marked(Sign.ENTERED, "m15")
    plain = opened(painter.paint(diagram, RenderOptions(scale=1)))
    assert max(plain.size) <= LIMIT
    assert opened(painter.paint(diagram, RenderOptions(scale=1, phone=True))).height > LIMIT
