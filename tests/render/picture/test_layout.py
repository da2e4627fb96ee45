from __future__ import annotations

from itertools import product

import pytest

from render.picture.layout import ABREAST, LEGIBLE, LIMIT, SCALES, TALL, Side, crowded, layout
from rules.core import Grid

GRIDS = [Grid(files, ranks) for files in (2, 3, 4, 8, 12, 20, 26) for ranks in (3, 4, 8, 12, 20, 30)]


@pytest.mark.parametrize("phone", [False, True])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_every_board_fits_and_nothing_overlaps(grid: Grid, phone: bool) -> None:
    sizes = ((14, 9, 1), (7, 9, 2), (7, 5, 3), (7, 5, 4)) if phone and crowded(grid) else ()
    shapes = [(Grid(min(f, grid.files), min(r, grid.ranks)),) * count for f, r, count in sizes]
    for lines, parts in product(range(11), ((), *shapes)):
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
