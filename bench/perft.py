"""Perft of the three games through `Position`, in nodes a second: leaves counted, beside every leaf played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.measure import Budget, Row, Side, interleaved
from rules.breakthrough import GAME as BREAKTHROUGH
from rules.breakthrough.position import Mover
from rules.core import AnyGame, Position
from rules.klopodavka import GAME as KLOPODAVKA
from rules.lgame import GAME as LGAME


@dataclass(frozen=True, slots=True)
class Count:
    """A perft whose result is known."""

    game: AnyGame
    chosen: Mapping[str, str]
    depth: int
    nodes: int

    @property
    def name(self) -> str:
        """What the table calls it."""
        return " ".join((self.game.key, *self.chosen.values(), f"depth {self.depth}"))


COUNTS: Final = (
    Count(LGAME, {}, 2, 7_956),
    Count(LGAME, {"variant": "sudden-death"}, 2, 32_452),
    Count(BREAKTHROUGH, {"board": "8x8"}, 4, 256_036),
    Count(KLOPODAVKA, {"board": "10x10", "actions": "3"}, 7, 96_915),
)
"""Deep enough to leave the start, shallow enough for many samples."""


def rows(budget: Budget) -> Sequence[Row]:
    """A row for each game."""
    return [_row(count, budget) for count in COUNTS]


def _row(count: Count, budget: Budget) -> Row:
    start = count.game.start(count.game.choose(count.chosen))
    for found in (perft(start, count.depth), played(start, count.depth)):
        if found != count.nodes:
            raise ValueError(f"{count.name}: {found} nodes, not {count.nodes}")
    ours, peer = interleaved(
        (
            Side("counted", lambda: perft(start, count.depth), count.nodes),
            Side("every leaf played", lambda: played(start, count.depth), count.nodes),
        ),
        budget,
    )
    return Row(count.name, "nodes", ours, peer)


def perft(position: Position[Any], depth: int) -> int:
    """The number of legal sequences of `depth` plies; shorter ones that end the game do not count."""
    if depth == 0:
        return 1
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)


def played(position: Position[Any], depth: int) -> int:
    """Perft that makes the position of every leaf, where `perft` counts the moves that lead there."""
    if depth == 0:
        return 1
    return sum(played(position.play(move), depth - 1) for move in position.legal_moves())


def perft_of_integers(mover: Mover, own: int, foe: int, depth: int) -> int:
    """The same number for Breakthrough, on plain integers: what the generator does without positions."""
    if depth == 0:
        return 1
    legal = mover.legal(own, foe)
    if depth == 1:
        return legal.bit_count()
    total = 0
    for move in mover.moves(legal, foe):
        _, _, flip, _, taken = move.bits
        total += perft_of_integers(mover.next, foe ^ taken, own ^ flip, depth - 1)
    return total
