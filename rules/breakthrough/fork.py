"""Picking a move in two steps: the man, then where he goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from rules.breakthrough.moves import Move
from rules.breakthrough.position import BreakthroughPosition
from rules.core import Fork, IllegalMove, Legality, Picks, Square, Step, narrow, take

_MAN = "breakthrough.fork.man"
_TARGET = "breakthrough.fork.target"


def fork(position: BreakthroughPosition, chosen: Sequence[str]) -> Fork[Move]:
    """Where a half-made move can go. More than 25 men, on boards wider than 12, are narrowed down by region first."""
    if position.outcome:
        raise IllegalMove(Legality.GAME_OVER)
    men, ways_of = _choices(position)
    steps, left = narrow(men, chosen)
    asked: Fork[Move] = Fork(_MAN, steps)
    if not left:
        return asked
    man = take(asked, left[0])
    ways = ways_of[man.squares[0]]
    targets: Fork[Move] = Fork(
        _TARGET, tuple(Step(token, Picks.CELLS, (move.end,)) for token, move in ways.items())
    )
    if len(left) == 1:
        return targets
    done = Fork(_TARGET, move=ways[take(targets, left[1]).token])
    if len(left) > 2:
        take(done, left[2])  # nothing leads on from a finished move
    return done


@lru_cache(maxsize=16)
def _choices(
    position: BreakthroughPosition,
) -> tuple[tuple[Step, ...], Mapping[Square, Mapping[str, Move]]]:
    """Return the men that can go, and where each can; a page asks for all forks of a position one after the other."""
    ways: dict[Square, dict[str, Move]] = {}
    for move in sorted(position.legal_moves(), key=lambda move: (move.start, move.end)):
        ways.setdefault(move.start, {})[str(move.end)] = move
    return tuple(Step(str(start), Picks.PIECE, (start,)) for start in ways), ways
