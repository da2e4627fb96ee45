"""Replay of a match from its log, beside playing the same moves with nothing around.

A replay reads each entry's text, checks whose ply it is and plays it. The table remembers what it has replayed, so a
whole log is read once, and then only what is new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bench.measure import Budget, Row, Side, interleaved
from bench.playouts import logged, playouts
from play.replay import Replay
from rules import GAMES
from rules.breakthrough import GAME as BREAKTHROUGH
from rules.core import AnyGame
from rules.klopodavka import GAME as KLOPODAVKA
from rules.lgame import GAME as LGAME

PLIES: Final = 100

MATCHES: Final[Sequence[tuple[AnyGame, Mapping[str, str]]]] = (
    (LGAME, {}),
    (BREAKTHROUGH, {"board": "10x10"}),
    (KLOPODAVKA, {}),
)


def rows(budget: Budget) -> Sequence[Row]:
    """Three rows for each game: a log replayed from the start, one that is remembered, and one with a new ply."""
    return [row for game, chosen in MATCHES for row in _rows(game, chosen, budget)]


def _rows(game: AnyGame, chosen: Mapping[str, str], budget: Budget) -> list[Row]:
    played = next(playouts(game, chosen, least=PLIES, most=PLIES))
    match = logged(played, "bench2")
    before = replace(match, log=match.log[:-1], revision=match.revision - 1)

    warm = Replay(GAMES)
    if warm.positions(match).positions[:-1] != played.positions:
        raise ValueError(f"{game.key}: the log does not replay to the same positions")

    def cold() -> None:
        Replay(GAMES).positions(match)

    def remembered() -> None:
        warm.positions(match)

    known = warm.positions(before)

    def one_more() -> None:
        warm.keep(before, known)
        warm.positions(match)

    def bare() -> None:
        position = played.positions[0]
        for move in played.moves:
            position = position.play(move)

    replayed, bare_plies = interleaved((Side("replay", cold, PLIES), Side("play", bare, PLIES)), budget)
    again, more, whole = interleaved(
        (Side("replay", remembered, 1), Side("replay", one_more, 1), Side("play, 100 plies", bare, 1)), budget
    )
    name = f"{game.key} {PLIES} plies"
    return [
        Row(f"{name}, cold", "plies", replayed, bare_plies, cost=True),
        Row(f"{name}, remembered", "match", again, whole, cost=True, rate=False),
        Row(f"{name}, one new", "match", more, whole, cost=True, rate=False),
    ]
