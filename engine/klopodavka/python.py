"""The specialist in plain Python: any board, any variant, any number of players."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Final

from engine.core import SILENT, Budget, Clock, Engine, Kind, Listener, Meter, Proof, Result, Thought
from engine.klopodavka.evaluation import Weights, weights
from engine.klopodavka.state import State
from engine.klopodavka.tree import Node, Shape, Tree
from engine.klopodavka.turns import in_order
from rules.klopodavka import KlopodavkaPosition, Move

ALIKE: Final = 0.02
"""Turns whose values differ by less are as good, and the seed chooses; in the unit of `evaluate`."""


class PythonEngine(Engine[KlopodavkaPosition, Move]):
    """Searches whole turns on integers as bitboards."""

    name = "klopodavka-python"
    kind = Kind.PYTHON

    def __init__(
        self, clock: Clock = time.monotonic, by: Callable[[], Weights] = weights, shape: Shape | None = None
    ) -> None:
        self._clock: Final = clock
        self._by: Final = by
        self._shape: Final = shape or Shape()

    def fits(self, position: KlopodavkaPosition) -> bool:
        """Every position of the game."""
        return isinstance(position, KlopodavkaPosition)

    def think(
        self, position: KlopodavkaPosition, budget: Budget, *, seed: int = 0, listener: Listener = SILENT
    ) -> Thought[Move]:
        """The turn it would play."""
        return self._thoughts(position, budget, 1, seed, listener)[0]

    def ranked(
        self,
        position: KlopodavkaPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: Listener = SILENT,
    ) -> Sequence[Thought[Move]]:
        """The best turns."""
        return self._thoughts(position, budget, most, seed, listener)

    def _thoughts(
        self, position: KlopodavkaPosition, budget: Budget, most: int, seed: int, listener: Listener
    ) -> Sequence[Thought[Move]]:
        if position.outcome or not self.fits(position):
            raise ValueError("there is nothing to play")
        meter = Meter(budget, self._clock, listener)
        tree = Tree(State.of(position), self._by(), meter, self._shape, depth=budget.depth)
        tree.grow(most)
        nodes = tree.ranked()
        alike = [node for node in nodes if nodes[0].value - node.value < ALIKE and node.sure == nodes[0].sure]
        if most == 1 and not nodes[0].closed:
            nodes = [random.Random(seed).choice(alike)]  # noqa: S311 - a game, no secret
        return [self._thought(position, node, tree, meter.nodes) for node in nodes[:most]]

    def _thought(self, position: KlopodavkaPosition, node: Node, tree: Tree, nodes: int) -> Thought[Move]:
        turn = played(position, node.cells)
        line, here, last = list(turn), position, turn
        for cells in tree.line(node):
            for move in last:
                here = here.play(move)
            last = played(here, cells)
            line += last
        proof = None
        value = max(-0.999, min(0.999, math.tanh(node.value / 2)))
        if node.sure:
            result = Result.WIN if node.value > 0 else Result.LOSS if node.value < 0 else Result.DRAW
            value = float(result)
            for move in last:
                here = here.play(move)
            proof = Proof(result, len(line) + _counted(here) if result else 0)
        return Thought(tuple(turn), value, proof, tuple(line), tree.depth, nodes, 0, self.name)


def _counted(position: KlopodavkaPosition) -> int:
    """Actions to the end, at most, where it is decided by counting: all that both can make."""
    if position.outcome:
        return 0
    state = State.of(position)
    return sum((state.ever[seat] & state.open_to(seat)).bit_count() for seat in range(len(state.ever)))


def played(position: KlopodavkaPosition, cells: int) -> list[Move]:
    """The actions of a turn, in an order in which all are reached in time."""
    board, moves, live = position.ground.board, position.ground.moves, position.standing.live
    return [
        (moves.crushes if bit & live else moves.puts)[board.listed(bit)[0]]
        for bit in in_order(State.of(position), cells)
    ]
