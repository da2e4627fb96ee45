"""Boards and variants to try everything on, positions that arise there."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.breakthrough.engine_base import SideBoard, available, core, packed, side_boards
from engine.breakthrough.evaluation import Evaluation, weights_for
from rules.breakthrough import BreakthroughPosition, Options, Variant
from rules.core import Seat
from tests.rules.breakthrough.oracle import start

# Boards and variants to try everything on, positions that arise there, and both ways to search them.


SMALL: Final = (
    "2x4",
    "3x4",
    "4x4",
    "3x5",
    "5x5",
    "4x6",
    "6x6",
    "7x7",
    "8x8",
    "5x12",
    "16x4",
    "9x7",
    "10x6",
    "4x16",
)
"""Boards of up to 64 squares."""

LARGE: Final = ("9x8", "9x9", "10x10", "12x9", "11x12", "12x20", "17x16", "26x5", "26x26")
"""Boards of more; the native core has sets of up to 128, 256 and 704 squares for them."""

VARIANTS: Final = tuple(variant.value for variant in Variant)


def games(board: str, variant: str, count: int) -> Iterator[BreakthroughPosition]:
    """Every position before the end of some random games, each with its own liking for captures."""
    for seed in range(count):
        chance = random.Random(f"{board} {variant} {seed}")
        fierce = chance.random()
        here = start(board, variant)
        while here.outcome is None:
            yield here
            legal = here.legal_moves()
            captures = [move for move in legal if move.captures]
            here = here.play(chance.choice(captures if captures and chance.random() < fierce else legal))


@dataclass(frozen=True, slots=True)
class Way:
    """One way to work things out: in Python, or in the native core."""

    name: str
    evaluate: Callable[[BreakthroughPosition], int]
    certain: Callable[[BreakthroughPosition], int]
    perft: Callable[[BreakthroughPosition, int], int]


@cache
def _evaluation(options: Options) -> Evaluation:
    grid = options.grid
    return Evaluation(grid.files, grid.ranks, weights_for(options))


def _sides(here: BreakthroughPosition) -> tuple[int, int]:
    white, black = here.men
    return (white, black) if here.to_move is Seat.S1 else (black, white)


def _in_python() -> Way:
    def ground(here: BreakthroughPosition) -> SideBoard:
        return side_boards(here.options.grid.files, here.options.grid.ranks)[here.to_move]

    return Way(
        "python",
        lambda here: _evaluation(here.options).of(*_sides(here), up=here.to_move is Seat.S1),
        lambda here: ground(here).certain(*_sides(here), misere=here.options.variant is Variant.MISERE),
        lambda here, depth: perft(ground(here), *_sides(here), depth),
    )


def _natively() -> Way:
    made = cache(lambda options: core(options, 1))
    return Way(
        "native",
        lambda here: made(here.options).evaluate(*packed(here)),
        lambda here: made(here.options).certain(*packed(here)),
        lambda here, depth: made(here.options).perft(*packed(here), depth),
    )


@cache
def ways() -> list[Way]:
    """The ways there are: without a compiler there is one."""
    return [_in_python(), *([_natively()] if available() else [])]


@cache
def solved(here: BreakthroughPosition) -> tuple[bool, int]:
    """Whether the side to move wins, and in how many plies when the winner hurries and the loser holds out."""
    if here.outcome is not None:
        return here.to_move in here.outcome.winners, 0
    ends = [solved(here.play(move)) for move in here.legal_moves()]
    lost = [plies for won, plies in ends if not won]
    return (True, 1 + min(lost)) if lost else (False, 1 + max(plies for _, plies in ends))


def perft(board: SideBoard, own: int, foe: int, depth: int) -> int:
    """Count the legal sequences of so many steps; shorter ones that end the game do not count."""
    if depth == 0:
        return 1
    if foe & board.foe.goal[0]:
        return 0
    steps = board.steps(own, foe)
    if depth == 1:
        return len(steps)
    return sum(perft(board.foe, foe & ~step, own ^ step, depth - 1) for step in steps)


def positions(seed: int) -> Iterator[BreakthroughPosition]:
    """Positions of games between people who take what they can, like to run, and see nothing coming."""
    while True:
        chance = random.Random(f"forced {seed}")
        seed += 1
        here = start("8x8", "classic")
        while here.outcome is None:
            yield here
            moves = list(here.legal_moves())
            up = here.to_move is Seat.S1
            weights = [
                (6 if move.captures else 1) * (1.2 ** (move.end.rank if up else 7 - move.end.rank))
                for move in moves
            ]
            here = here.play(chance.choices(moves, weights)[0])
