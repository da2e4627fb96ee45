"""Puzzles drawn from the solution of the classic game: every class of positions that is won or lost and leaves a choice.

Positions that a rotation or a mirror turns into each other are one class, and one puzzle. Left out are the positions won at
once, those lost without a move, and those in which every move loses as soon.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Final

from engine.core import SHORTEST, Puzzle, Task
from engine.lgame.solver import COUNT, MASKS, PAIRS, Solution, solution
from engine.lgame.table_engine import pairs_in
from rules.core import Seat, Square
from rules.lgame import GAME, LPosition
from rules.lgame.board import AXES, GRID, squares


def _turned(square: Square, upright: bool, level: bool, diagonal: bool) -> int:
    """Return the index of a square's image in the axes that are named, one after the other."""
    chosen = zip(AXES, (upright, level, diagonal), strict=False)
    for axis in (axis for axis, wanted in chosen if wanted):
        square = axis(square)
    return GRID.index(square)


_INDEXES: Final = [[_turned(square, *axes) for square in GRID] for axes in product((False, True), repeat=3)]
"""The board in each of its eight rotations and mirror images: where each cell goes."""


@cache  # 48 L's and 120 pairs of neutrals
def _images(mask: int) -> tuple[int, ...]:
    """Return a set of cells turned in each of the eight ways."""
    cells = [GRID.index(square) for square in squares(mask)]
    return tuple(sum(1 << turned[cell] for cell in cells) for turned in _INDEXES)


@cache
def puzzles() -> Sequence[Puzzle]:
    """Return all puzzles, the shortest first; computed in some 0.1 s."""
    options = GAME.choose({})
    solved = solution(options)
    found: dict[tuple[int, int, int], Puzzle] = {}
    for plies, layer in enumerate(solved.layers):
        for key, pairs in layer.items():
            own, other = divmod(key, COUNT)
            for pair in pairs_in(pairs):
                if (task := _task(solved, plies, (own, other, pair))) is None:
                    continue
                neutrals = PAIRS[pair.bit_length() - 1]
                name = min(zip(*map(_images, (MASKS[own], MASKS[other], neutrals)), strict=True))
                if name not in found:
                    position = LPosition(options, Seat.S1, *name)
                    found[name] = Puzzle(task, plies, (), GAME.notation.format_position(position))
    return tuple(found[name] for name in sorted(found, key=lambda name: (found[name].plies, name)))


def _task(solved: Solution, plies: int, arrangement: tuple[int, int, int]) -> Task | None:
    """Return what is to be found in an arrangement that is decided after so many plies; None where it is no puzzle."""
    if plies % 2:
        return Task.WIN if plies >= SHORTEST else None
    other = arrangement[1]
    turns = [
        solved.after(other, place, after)
        for place, pairs in solved.turns(*arrangement)
        for after in pairs_in(pairs)
    ]
    return Task.HOLD if any(left != plies - 1 for left in turns) else None
