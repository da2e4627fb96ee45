"""The specialist in plain Python: any board, any variant, any number of players."""

from __future__ import annotations

from engine.core import Budget, Kind, Listener, Meter
from engine.klopodavka.searching import Branch, Found, Searching
from engine.klopodavka.state import State
from engine.klopodavka.tree import Tree
from rules.klopodavka import KlopodavkaPosition


class PythonEngine(Searching):
    """Searches whole turns on integers as bitboards."""

    name = "klopodavka-python"
    kind = Kind.PYTHON

    def fits(self, position: KlopodavkaPosition) -> bool:
        """Every position of the game."""
        return isinstance(position, KlopodavkaPosition)

    def search(self, position: KlopodavkaPosition, budget: Budget, most: int, listener: Listener) -> Found:
        """Search a position that goes on."""
        meter = Meter(budget, self._clock, listener)
        tree = Tree(
            State.of(position), self.weights(position.ruleset), meter, self._shape, depth=budget.depth
        )
        tree.grow(most)
        branches = [
            Branch(node.cells, node.value, node.sure, node.visits, tree.line(node))
            for node in tree.ranked(most)
        ]
        return Found(branches, tree.depth, meter.nodes)
