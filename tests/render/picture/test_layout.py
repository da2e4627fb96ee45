"""Where things are in a picture, and the part of a large board that is shown larger."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from render.picture import Painter, RenderOptions
from render.picture.cells import cell_specs, pattern_of
from render.picture.layout import (
    ABREAST,
    LEGIBLE,
    LIMIT,
    SCALES,
    TALL,
    Side,
    Window,
    crowded,
    enlarged,
    layout,
    windows,
)
from rules.core import Diagram, Grid, Kind, Mark, Piece, Seat, Sign, Square, sq
from tests.render.picture.reading import opened

GRIDS = [Grid(files, ranks) for files in (2, 3, 4, 8, 12, 20, 26) for ranks in (3, 4, 8, 12, 20, 30)]


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_every_board_fits_and_nothing_overlaps(grid: Grid, phone: bool) -> None:
    sizes = ((14, 9, 1), (7, 9, 2), (7, 5, 3), (7, 5, 4)) if phone and crowded(grid) else ()
    shapes = [(Grid(min(f, grid.files), min(r, grid.ranks)),) * count for f, r, count in sizes]
    for lines, parts in product((0, 1, 2, 4, 7, 10), ((), *shapes)):
        one = layout(grid, lines, 1, phone=phone, parts=parts)
        assert one.width <= LIMIT
        assert one.height <= (TALL if phone else LIMIT)
        assert parts or one.cell >= 14  # the smallest on which the pieces were looked at
        boxes = [(one.indent, 0, one.indent + one.board, grid.ranks * one.cell + 2 * one.margin)]
        boxes += [(s.left, s.top, s.left + s.width, s.top + s.height) for s in one.slots]
        assert len(boxes) == lines + 1
        assert len(one.parts) == len(parts)
        for at, part in enumerate(one.parts):
            left, top = part.indent, one.height - one.larger + at // ABREAST * part.height
            boxes.append((left, top, left + part.board, top + part.height))
        for at, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0
            assert top >= 0
            assert right <= one.width
            assert bottom <= one.height
            for other in boxes[:at]:
                assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_twice_as_large_is_twice_as_large_everywhere(grid: Grid) -> None:
    one, two = (layout(grid, 3, scale) for scale in SCALES)
    assert max(two.width, two.height) <= 1280
    assert (two.cell, two.margin, two.width, two.height) == tuple(
        2 * size for size in (one.cell, one.margin, one.width, one.height)
    )


def test_a_strip_goes_where_it_leaves_the_board_larger() -> None:
    assert layout(Grid(8, 8), 2, 1).side is Side.BELOW
    assert layout(Grid(20, 30), 4, 1).side is Side.BESIDE
    assert layout(Grid(20, 30), 0, 1).side is None


def test_on_a_phone_a_roster_of_ten_leaves_cells_legible() -> None:
    one = layout(Grid(12, 12), 10, 1, phone=True)
    assert one.side is Side.BELOW
    assert one.cell * LIMIT / one.width >= LEGIBLE
    assert layout(Grid(12, 12), 10, 1).cell * LIMIT / one.width < LEGIBLE


# The part of a large board that is shown larger.


LARGEST = Diagram(Grid(26, 30), (Piece(Kind.BUG, (sq("m15"),), Seat.S1),))


def marked(sign: Sign, *names: str, on: Diagram = LARGEST) -> Diagram:
    return replace(on, marks=tuple(Mark(sign, sq(name)) for name in names))


def only(diagram: Diagram, *, flipped: bool = False) -> Window:
    [part] = windows(diagram, flipped=flipped)
    return part


def seen(part: Window) -> set[Square]:
    return {Square(file, rank) for file in part.files for rank in part.ranks}


@pytest.mark.parametrize("sign", Sign)
@pytest.mark.parametrize("names", [("a1",), ("z30", "y29"), ("m15", "n18", "h14")], ids=str)
@pytest.mark.parametrize("flipped", [False, True])
def test_the_part_holds_what_goes_on(sign: Sign, names: tuple[str, ...], flipped: bool) -> None:
    part = only(marked(sign, *names), flipped=flipped)
    assert seen(part) >= {sq(name) for name in names}
    assert seen(part) <= set(LARGEST.grid)


def test_past_joined_edges_the_part_goes_on() -> None:
    torus = replace(marked(Sign.ENTERED, "z30", "a1", "b2"), joined_files=True, joined_ranks=True)
    part = only(torus)
    assert seen(part) >= {sq("z30"), sq("a1"), sq("b2")}
    assert part.files.index(0) == part.files.index(25) + 1
    assert part.ranks.index(29) == part.ranks.index(0) + 1
    turned = only(torus, flipped=True)
    assert turned == Window(part.files[::-1], part.ranks[::-1])


def test_a_small_board_and_a_bare_one_have_no_part() -> None:
    small = Diagram(Grid(12, 12), (), marks=(Mark(Sign.ENTERED, sq("a1")),))
    assert not windows(small, flipped=False)
    assert not windows(LARGEST, flipped=False)


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize(
    ("names", "count"), [("a1 z30", 2), ("a1 c9 z30 y22", 2), ("a30 z30 m15", 3), ("a1 a30 z1 z30 y29", 4)]
)
def test_choices_far_apart_have_several_parts(flipped: bool, names: str, count: int) -> None:
    parts = windows(marked(Sign.CANDIDATE, *names.split()), flipped=flipped)
    assert len(parts) == count
    assert set().union(*map(seen, parts)) >= {sq(name) for name in names.split()}
    order = [(part.ranks[0] if flipped else -part.ranks[0]) for part in parts]
    assert order == sorted(order)


def test_of_a_turn_and_of_choices_everywhere_most_is_shown() -> None:
    assert seen(only(marked(Sign.ENTERED, "a1", "b2", "z30"))) >= {sq("a1"), sq("b2")}
    everywhere = marked(Sign.CANDIDATE, *["a1", "b2", "a30", "b29", "z1", "y2", "z30", "y29", "m15"])
    parts = windows(everywhere, flipped=False)
    assert len(parts) == 4
    assert not any(part.holds(sq("m15")) for part in parts)


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
    part = only(diagram, flipped=flipped)
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


def test_a_part_is_read_and_touched_on_a_phone() -> None:
    for files, ranks in ((26, 30), (16, 16), (26, 4), (3, 30), (20, 30)):
        for across, up, count in ((14, 9, 1), (7, 9, 2), (7, 5, 4)):
            size = Grid(min(across, files), min(up, ranks))
            one = layout(Grid(files, ranks), 10, 1, phone=True, parts=(size,) * count)
            # Beside each other they are 21 points at least, and not 22.
            least = LEGIBLE if count == 1 else LEGIBLE - 2
            assert all(part.cell * LIMIT / one.width >= least for part in one.parts)


def test_only_pictures_for_phones_have_a_part(painter: Painter) -> None:
    diagram = marked(Sign.ENTERED, "m15")
    plain = opened(painter.paint(diagram, RenderOptions(scale=1)))
    assert max(plain.size) <= LIMIT
    assert opened(painter.paint(diagram, RenderOptions(scale=1, phone=True))).height > LIMIT
