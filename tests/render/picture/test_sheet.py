"""Tables as pictures: bounded in size, readable without colour, the same bytes for the same table."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from render.picture import Sheet, SheetRow, Theme, Tone, paint_sheet
from render.picture.canvas import contrast, over, rgb
from render.picture.sheet import MOST_ROWS

ROW = SheetRow("Ann", (("1", Tone.BEST), ("X", Tone.POOR), ("", Tone.NONE)), "3", crowned=True)


@pytest.mark.parametrize("theme", Theme)
def test_a_table_is_painted_within_bounds(theme: Theme) -> None:
    rows = tuple(SheetRow("Ім’я " * 30, (("1", Tone.BEST),) * 40, "9" * 9) for _ in range(60))
    with Image.open(BytesIO(paint_sheet(Sheet("т" * 200, ("пн",) * 40, rows), theme))) as image:
        assert image.width < 1500
        assert image.height < 1800
    one = Sheet("Week", ("Mo", "Tu", "We"), (ROW,))
    assert paint_sheet(one, theme) == paint_sheet(one, theme)
    assert paint_sheet(one, theme) != paint_sheet(Sheet("Week", ("Mo", "Tu", "We"), ()), theme)


def test_what_stands_in_a_cell_is_read_on_its_colour() -> None:
    for tone in Tone:
        if tone not in (Tone.NONE, Tone.PLAIN):
            assert contrast(over(rgb(tone.value)), rgb(tone.value)) >= 4.5


def test_a_table_has_words_too() -> None:
    assert Sheet("Week", ("Mo", "Tu", "We"), (ROW,)).lines == ("Week", "Ann · 1 X – · 3")
    many = Sheet("Week", (), (ROW,) * 60)
    assert len(many.lines) == MOST_ROWS + 1
