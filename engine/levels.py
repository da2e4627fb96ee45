"""Levels: how strongly an engine plays, and the mistakes of the weak ones.

A weak level makes some of its turns in haste, the weaker the level the more, and the others with a search as small as
the level. In haste it plays like a person who does not look twice. A few plies come to mind: those that take something
and those beside the last move sooner than others. Of them it plays the one after which the board looks best to it, so it
grabs what is defended, and what the opponent can do next is overlooked.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeVar

from engine.core import SILENT, Budget, Engine, Level, SearchListener, SearchResult, made_turn
from rules.core import AnyGame, Position, Square, sq

P = TypeVar("P", bound=Position[Any])
M = TypeVar("M")

LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: Level(Budget(seconds=2.5, nodes=400, depth=1), haste=1.0, ideas=2),
        2: Level(Budget(seconds=2.5, nodes=600, depth=1), haste=0.7, ideas=3),
        3: Level(Budget(seconds=2.5, nodes=1_000, depth=2), haste=0.4, ideas=4),
        4: Level(Budget(seconds=2.5, nodes=1_600), haste=0.2, ideas=5),
        5: Level(Budget(seconds=2.5, nodes=2_500), haste=0.08, ideas=6),
        6: Level(Budget(seconds=3.0, nodes=4_000)),
        7: Level(Budget(seconds=3.0, nodes=18_000)),
        8: Level(Budget(seconds=3.0)),
    }
)
"""The levels of a game whose specialist names no others.

However slow the engine, no level takes longer than the next: it has no more nodes and no more seconds.
"""

_NEAR: Final = 3.0
"""How much sooner a ply comes to mind that is beside the last move."""
_SQUARE: Final = re.compile(r"[a-z]\d+")


def choose_turn(
    game: AnyGame,
    engine: Engine[P, M],
    position: P,
    level: Level,
    *,
    last: Sequence[str] = (),
    seed: int = 0,
    listener: SearchListener = SILENT,
) -> SearchResult[M]:
    """Return the turn that a level plays; `last` is the notation of the plies before it, where they are known."""
    engine.check(position)
    # The same in every process, and not the same in every position.
    apart = f"{position.to_move.number}.{position.plies_left}.{len(position.legal_moves())}"
    chance = random.Random(f"{seed} {apart}")  # noqa: S311 - a game, no secret
    if chance.random() >= level.haste:
        return engine.think(position, level.care, seed=seed, listener=listener)
    near = frozenset(_around(_named(" ".join(last))))
    turn = made_turn(position, lambda here: _hasty_ply(game, here, level, near, chance))
    return SearchResult(turn, 0.0, None, turn, depth=0, nodes=0, playouts=0, engine=engine.name)


def _hasty_ply(
    game: AnyGame, position: P, level: Level, near: frozenset[Square], chance: random.Random
) -> Any:
    def comes_to_mind(ply: Any) -> float:
        weight = 1.0
        if near and not near.isdisjoint(_named(game.notation.format(ply))):
            weight *= _NEAR
        if game.takes(position, ply):
            weight *= level.greed
        return math.log(chance.random() or 1e-9) / weight

    considered = sorted(position.legal_moves(), key=comes_to_mind, reverse=True)[
        : int(level.ideas + chance.random())
    ]
    return max(considered, key=lambda ply: at_sight(game, position, ply))


def at_sight(game: AnyGame, position: Position[Any], ply: Any) -> float:
    """Return how the board looks to the seat to move after a ply, from -1 to 1, without a thought for the reply."""
    after, seat = position.play(ply), position.to_move
    if (outcome := after.outcome) is None:
        return game.evaluate(after, seat)
    return 0.0 if outcome.drawn else 1.0 if seat in outcome.winners else -1.0


def _named(notation: str) -> list[Square]:
    return [sq(name) for name in _SQUARE.findall(notation)]


def _around(squares: Iterable[Square]) -> Iterable[Square]:
    return (Square(file + by, rank + up) for file, rank in squares for by in (-1, 0, 1) for up in (-1, 0, 1))
