"""An independent, slow solver of the L-game, which plays every turn of every arrangement by the rules alone."""

from __future__ import annotations

from collections import deque
from functools import cache
from itertools import combinations

from engine.lgame.table_engine import made_move, names, pairs_in, solution
from rules.core import Seat
from rules.lgame import LPosition, Move, Options
from rules.lgame.board import FULL, PLACEMENTS, bits


def arrangements(options: Options) -> list[LPosition]:
    return [
        LPosition(options, Seat.S1, own.mask, other.mask, low | high)
        for own in PLACEMENTS
        for other in PLACEMENTS
        if not own.mask & other.mask
        for low, high in combinations(bits(FULL & ~(own.mask | other.mask)), 2)
    ]


Key = tuple[int, int, int]


def key_of(position: LPosition) -> Key:
    mover, other = position.to_move, Seat(1 - position.to_move)
    return (position.cells(mover), position.cells(other), position.neutrals)


@cache
def distances(options: Options) -> dict[Key, int | None]:
    """Plies to the end with best play, even where the seat to move loses; None: a draw."""
    before: dict[Key, list[Key]] = {}
    left: dict[Key, int] = {}
    found: dict[Key, int] = {}
    for position in arrangements(options):
        here = key_of(position)
        turns = position.legal_moves()
        left[here] = len(turns)
        if not turns:
            found[here] = 0
        for turn in turns:
            after = position.play(turn)
            if after.mirrored:
                found[here] = 1
            else:
                before.setdefault(key_of(after), []).append(here)
    queue = deque(sorted(found, key=found.__getitem__))
    while queue:
        here = queue.popleft()
        plies = found[here]
        for earlier in before.get(here, ()):
            if earlier in found:
                continue
            left[earlier] -= 1
            if plies % 2 == 0 or left[earlier] == 0:
                found[earlier] = plies + 1
                queue.append(earlier)
    return {here: found.get(here) for here in left}


def plies_to_end(position: LPosition) -> int | None:
    """By the engine's solution: even where the seat to move loses, odd where it wins, None in a draw."""
    return solution(position.options).distance(*names(position))


def best_moves(position: LPosition) -> list[Move]:
    """By the engine's solution: every turn that keeps the value and the distance."""
    best = solution(position.options).best(*names(position))
    return [made_move(place, position.neutrals, pair) for place, pairs in best for pair in pairs_in(pairs)]
