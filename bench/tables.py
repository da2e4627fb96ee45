"""A table of an event as a picture: twelve players over seven rounds, every cell filled."""

from __future__ import annotations

from collections.abc import Sequence

from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from render.picture import Sheet, SheetRow, Tone, paint_sheet

LIMIT = 0.020
"""Seconds that a picture may take."""

_CELLS = (("+12", Tone.BEST), ("=7", Tone.FAIR), ("–3", Tone.POOR), ("·11", Tone.NONE))


def rows(budget: Budget) -> Sequence[Row]:
    """One row: the picture, beside the time that it may take."""
    columns = tuple(str(number) for number in range(1, 8))
    lines = tuple(
        SheetRow(
            f"{number}. ▲ player {number}",
            tuple(_CELLS[(number + at) % 4] for at in range(7)),
            "3.5",
            number == 1,
        )
        for number in range(1, 13)
    )
    sheet = Sheet("Cup #e234567: L-game, rated", columns, lines)
    (painted,) = interleaved([Side("painted", lambda: paint_sheet(sheet), 1)], budget)
    limit = Series("limit", (LIMIT,) * len(painted.seconds))
    return [Row("12 players, 7 rounds", "picture", painted, limit, cost=True, rate=False, goal=Goal(below=1))]
