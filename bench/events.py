"""What an event computes beside the time that it may take: the next Swiss round of 128 players, and tables as pictures.

The round is the slowest of an event. Of a table every cell is filled: a page of a cup after seven rounds, first and after one
more result; and the longest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from random import Random

from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from play.events.standings import GameScore, ScoredGame
from play.events.swiss import MOST_ROUNDS, pair
from render.picture import Sheet, SheetRow, Tone, paint_sheet
from render.picture.sheet import MOST_ROWS

PLAYERS = 128
ROUND_LIMIT = 0.050
"""Seconds that a round may take."""
PICTURE_LIMIT = 0.020
"""Seconds that a picture may take."""

_CELLS = (("+12", Tone.BEST), ("=7", Tone.FAIR), ("–3", Tone.POOR), ("·11", Tone.NONE))


def rows(budget: Budget) -> Sequence[Row]:
    """The slowest round, then a row for each picture."""
    return [_round(budget), *_pictures(budget)]


def _round(budget: Budget) -> Row:
    events = [_history(before) for before in range(MOST_ROUNDS)]
    sides = [
        Side(f"round {number}", lambda history=history: pair(range(PLAYERS), history), 1)  # type: ignore[misc]
        for number, history in enumerate(events, start=1)
    ]
    slowest = max(interleaved(sides, budget), key=lambda series: series.median)
    return _limited(f"{PLAYERS} players, slowest of {MOST_ROUNDS}", "round", slowest, ROUND_LIMIT)


def _pictures(budget: Budget) -> list[Row]:
    fresh = count()
    pages = {
        "12 players, all lines new": lambda: _sheet(12, 12, next(fresh)),
        "12 players, after one more result": lambda: _sheet(12, 2, next(fresh)),
        "20 people, all lines new": lambda: _sheet(MOST_ROWS, MOST_ROWS, next(fresh)),
    }
    sides = [Side(what, lambda made=made: paint_sheet(made()), 1) for what, made in pages.items()]  # type: ignore[misc]
    return [_limited(series.name, "picture", series, PICTURE_LIMIT) for series in interleaved(sides, budget)]


def _limited(what: str, unit: str, series: Series, limit: float) -> Row:
    beside = Series("limit", (limit,) * len(series.seconds))
    return Row(what, unit, series, beside, cost=True, rate=False, goal=Goal(below=1))


def _history(rounds: int) -> list[ScoredGame[int]]:
    random, history = Random(15), list[ScoredGame[int]]()
    for _ in range(rounds):
        scores = [GameScore.FIRST, GameScore.DRAW, GameScore.SECOND]
        history += [
            replace(game, score=random.choice(scores)) for game in pair(range(PLAYERS), history).games
        ]
    return history


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
