"""Tables as pictures, every cell filled: a page of a cup after seven rounds, and a week of the puzzle of the day."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from render.picture import Sheet, SheetRow, Tone, paint_sheet
from render.picture.sheet import MOST_ROWS

LIMIT = 0.020
"""Seconds that a picture may take."""

_CELLS = (("+12", Tone.BEST), ("=7", Tone.FAIR), ("–3", Tone.POOR), ("·11", Tone.NONE))


def rows(budget: Budget) -> Sequence[Row]:
    """A row a picture, beside the time that it may take."""
    pages = {"12 players, 7 rounds": 12, "20 people, 7 days": MOST_ROWS}
    painted = interleaved(
        [Side(what, partial(paint_sheet, _sheet(people)), 1) for what, people in pages.items()], budget
    )
    return [
        Row(
            what,
            "picture",
            series,
            Series("limit", (LIMIT,) * len(series.seconds)),
            cost=True,
            rate=False,
            goal=Goal(below=1),
        )
        for what, series in zip(pages, painted, strict=True)
    ]


def _sheet(people: int) -> Sheet:
    lines = tuple(
        SheetRow(
            f"{number} ▲ player {number}",
            tuple(_CELLS[(number + at) % 4] for at in range(7)),
            "3.5",
            number == 1,
        )
        for number in range(1, people + 1)
    )
    return Sheet("Cup #e234567: L-game, rated", tuple(map(str, range(1, 8))), lines)
