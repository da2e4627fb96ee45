"""Swiss pairing: the next round of an event of 128 players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from bench.measure import Budget, Goal, Row, Series, Side, interleaved
from play.events.standings import GameScore, ScoredGame
from play.events.swiss import MOST_ROUNDS, pair

PLAYERS = 128
LIMIT = 0.050
"""Seconds that a round may take."""


def rows(budget: Budget) -> Sequence[Row]:
    """One row: the slowest round of an event, beside the time that it may take."""
    events = [_history(before) for before in range(MOST_ROUNDS)]
    sides = [
        Side(f"round {number}", lambda history=history: pair(range(PLAYERS), history), 1)  # type: ignore[misc]
        for number, history in enumerate(events, start=1)
    ]
    measured = interleaved(sides, budget)
    slowest = max(measured, key=lambda series: series.median)
    limit = Series("limit", (LIMIT,) * len(slowest.seconds))
    what = f"{PLAYERS} players, slowest of {MOST_ROUNDS}"
    return [Row(what, "round", slowest, limit, cost=True, rate=False, goal=Goal(below=1))]


def _history(rounds: int) -> list[ScoredGame[int]]:
    random, history = Random(15), list[ScoredGame[int]]()
    for _ in range(rounds):
        scores = [GameScore.FIRST, GameScore.DRAW, GameScore.SECOND]
        history += [
            replace(game, score=random.choice(scores)) for game in pair(range(PLAYERS), history).games
        ]
    return history
