"""Evaluation of a position: the sum of small patterns, each with a weight learned by self-play.

The board is seen by the side to move, its home rank below. Two kinds of patterns cover it at every place: bricks of three
files by two ranks, and crosses of a cell with its four diagonal neighbours. The sum so counts where men stand, which are
guarded, which can be taken and which side is to move. `eval.hpp` is the same sum in C++.

The weights were learned on boards of about 8x8; a larger board has more places for patterns. Empty places count a little
for the side to move; so the excess of an empty board over one of 8x8 is subtracted, or the side to move would seem ahead
on every large board.

Men are bitboards as in the rules: square (file, rank) is bit `rank * (files + 1) + file`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from rules.breakthrough import Options

FILE: Final = Path(__file__).with_name("weights.json")

BRICKS: Final = 3**6
BRICK_RANKS: Final = 7
BRICK_FILES: Final = 3
CROSSES: Final = 3**5
CROSS_RANKS: Final = 8
CROSS_FILES: Final = 4

SHIFT: Final = 3  # weights are so many bits finer than scores
LOGIT: Final = 128  # the score that multiplies the odds of winning by e
MOST: Final = 12000  # the largest score of a guess


@dataclass(frozen=True, slots=True)
class PatternWeights:
    """What each pattern adds to a score, for one kind of game; docs/engines.md says how they were found."""

    # Patterns of three files by two ranks, for 7 places of the ranks and 3 of the files.
    bricks: tuple[int, ...]
    # Patterns of a cell and the four diagonally beside it, for 8 places of the rank and 4 of the file.
    crosses: tuple[int, ...]


KINDS: Final = ("classic", "classic 8x8", "misere", "misere 8x8")
"""The kinds that have weights: each variant, and each on the most played board."""


def weights_for(options: Options) -> PatternWeights:
    """Return the weights of a board and variant."""
    kind = f"{options.variant} {options.grid}"
    return weights(kind if kind in KINDS else options.variant.value)


@cache
def weights(kind: str) -> PatternWeights:
    """Return the weights of one of the kinds."""
    found = json.loads(FILE.read_text(encoding="ascii"))[kind]
    return PatternWeights(tuple(found["bricks"]), tuple(found["crosses"]))


def from_ends(at: int, places: int, classes: int) -> int:
    """Return a place counted from the nearer of two ends, so that boards of all sizes share weights."""
    cap = (classes - 1) // 2
    return min(at, cap) if 2 * at < places - 1 else classes - 1 - min(places - 1 - at, cap)


USUAL: Final = (8, 8)  # files and ranks of the board whose scores are not corrected
_KEPT: Final = 60_000  # sums of three ranks cached for each place; each takes some 150 bytes
_Row = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


class Evaluation:
    """Scores positions on boards of one size."""

    def __init__(self, files: int, ranks: int, weights: PatternWeights) -> None:
        self._files: Final = files
        self._ranks: Final = ranks
        self._stride: Final = files + 1
        self._wide: Final = max(1, files - 2)
        self._mask: Final = (1 << 3 * self._stride) - 1
        self._read: Final[dict[tuple[int, int], _Row]] = {}
        self._level: Final = _of_nothing(files, ranks, weights) - _of_nothing(*USUAL, weights)
        starts, edges = _from_edges(files)
        self._bricks: Final = [
            [
                _part(weights.bricks, from_ends(rank, ranks - 1, BRICK_RANKS) * BRICK_FILES + at, BRICKS)
                for at in starts
            ]
            for rank in range(ranks - 1)
        ]
        self._crosses: Final = [
            [
                _part(weights.crosses, from_ends(rank, ranks, CROSS_RANKS) * CROSS_FILES + at, CROSSES)
                for at in edges
            ]
            for rank in range(ranks)
        ]
        # For each side, each three neighbouring ranks: where they begin, and the sums of what has been seen there.
        self._places: Final = tuple(
            tuple(
                ((rank - 1) * self._stride, _Sums(self, rank if up else ranks - 1 - rank, up))
                for rank in range(1, ranks - 1)
            )
            for up in (False, True)
        )

    def of(self, own: int, foe: int, *, up: bool) -> int:
        """Return the score for the side to move, which goes to higher ranks if it is `up`, without search."""
        mask = self._mask
        total = -self._level
        for shift, sums in self._places[up]:
            total += sums[own >> shift & mask, foe >> shift & mask]
        score = total >> SHIFT
        return score if -MOST <= score <= MOST else MOST if score > 0 else -MOST

    def three_ranks(self, own: int, foe: int, rank: int, *, up: bool) -> int:
        """Return the weights counted with three ranks, around `rank` as the side to move sees it."""
        low, here, high = (self._row(own, foe, at) for at in ((0, 1, 2) if up else (2, 1, 0)))
        total = _brick(self._bricks[rank - 1], low, here) + _cross(self._crosses[rank], low, here, high)
        if rank == 1:
            total += _cross(self._crosses[0], self._row(0, 0, 0), low, here)
        if rank == self._ranks - 2:
            total += _brick(self._bricks[rank], here, high)
            total += _cross(self._crosses[rank + 1], here, high, self._row(0, 0, 0))
        return total

    def _row(self, own: int, foe: int, at: int) -> _Row:
        mask = (1 << self._files) - 1
        key = (own >> at * self._stride & mask, foe >> at * self._stride & mask)
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = self._made(*key)
        return found

    def _made(self, own: int, foe: int) -> _Row:
        files, wide = self._files, self._wide
        cells = [(own >> file & 1) + 2 * (foe >> file & 1) for file in range(files)]
        around = [0, *cells, 0, 0]
        halves = []
        for start in range(wide):
            a, b, c = around[start + 1 : start + 4]
            halves.append(a + 3 * b + 9 * c if start <= wide - 1 - start else c + 3 * b + 9 * a)
        beside = []
        for file in range(files):
            left, right = around[file], around[file + 2]
            beside.append(left + 3 * right if file <= files - 1 - file else right + 3 * left)
        return tuple(halves), tuple(cells), tuple(beside)


def _of_nothing(files: int, ranks: int, weights: PatternWeights) -> int:
    starts, edges = _from_edges(files)
    bricks = [from_ends(rank, ranks - 1, BRICK_RANKS) * BRICK_FILES for rank in range(ranks - 1)]
    crosses = [from_ends(rank, ranks, CROSS_RANKS) * CROSS_FILES for rank in range(ranks)]
    return sum(weights.bricks[(rank + at) * BRICKS] for rank in bricks for at in starts) + sum(
        weights.crosses[(rank + at) * CROSSES] for rank in crosses for at in edges
    )


def _from_edges(files: int) -> tuple[list[int], list[int]]:
    wide = max(1, files - 2)
    starts = [min(at, wide - 1 - at, BRICK_FILES - 1) for at in range(wide)]
    return starts, [min(at, files - 1 - at, CROSS_FILES - 1) for at in range(files)]


class _Sums(dict[tuple[int, int], int]):
    __slots__ = ("_of", "_rank", "_up")

    def __init__(self, of: Evaluation, rank: int, up: bool) -> None:
        self._of = of
        self._rank = rank
        self._up = up

    def __missing__(self, key: tuple[int, int]) -> int:
        if len(self) >= _KEPT:
            self.clear()
        total = self[key] = self._of.three_ranks(*key, self._rank, up=self._up)
        return total


def _part(numbers: Sequence[int], place: int, size: int) -> tuple[int, ...]:
    return tuple(numbers[place * size : (place + 1) * size])


def _brick(tables: Sequence[Sequence[int]], low: _Row, high: _Row) -> int:
    return sum(table[a + 27 * b] for table, a, b in zip(tables, low[0], high[0], strict=True))


def _cross(tables: Sequence[Sequence[int]], low: _Row, here: _Row, high: _Row) -> int:
    parts = zip(tables, here[1], low[2], high[2], strict=True)
    return sum(table[cell + 3 * below + 27 * above] for table, cell, below, above in parts)
