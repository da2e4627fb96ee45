"""Tables as pictures, every cell filled: a page of a cup after seven rounds, first and after one more result; the longest one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from render.picture import Sheet, SheetRow, Tone, paint_sheet
from render.picture.sheet import MOST_ROWS

LIMIT = 0.020
"""Seconds that a picture may take."""

_CELLS = (("+12", Tone.BEST), ("=7", Tone.FAIR), ("–3", Tone.POOR), ("·11", Tone.NONE))


def rows(budget: Budget) -> Sequence[Row]:
    """A row a picture, beside the time that it may take."""
    fresh = count()
    pages = {
        "12 players, all lines new": lambda: _sheet(12, 12, next(fresh)),
        "12 players, after one more result": lambda: _sheet(12, 2, next(fresh)),
        "20 people, all lines new": lambda: _sheet(MOST_ROWS, MOST_ROWS, next(fresh)),
    }
    sides = [Side(what, lambda made=made: paint_sheet(made()), 1) for what, made in pages.items()]  # type: ignore[misc]
    painted = interleaved(sides, budget)
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


def _sheet(people: int, new: int, call: int) -> Sheet:
    lines = tuple(
        SheetRow(
            f"{number}. ▲ player {call if number <= new else number}",
            tuple(_CELLS[(number + at) % 4] for at in range(7)),
            "3.5",
            number == 1,
        )
        for number in range(1, people + 1)
    )
    return Sheet("Cup #e234567: L-game, rated", tuple(map(str, range(1, 8))), lines)
