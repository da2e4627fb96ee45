"""The specialist in plain Python: any board, any variant, any number of players."""

from __future__ import annotations

from engine.core import Budget, EngineKind, Meter, SearchListener
from engine.klopodavka.engine_base import KlopodavkaEngine, RankedTurn, TreeResult
from engine.klopodavka.state import State
from engine.klopodavka.tree import TurnTree
from rules.klopodavka import KlopodavkaPosition


class PythonEngine(KlopodavkaEngine):
    """Searches whole turns on integers as bitboards."""

    name = "klopodavka-python"
    kind = EngineKind.PYTHON

    def fits(self, position: KlopodavkaPosition) -> bool:
        return isinstance(position, KlopodavkaPosition)

    def search(
        self, position: KlopodavkaPosition, budget: Budget, most: int, listener: SearchListener
    ) -> TreeResult:
        meter = Meter(budget, self._clock, listener)
        tree = TurnTree(
            State.of(position), self.weights(position.ruleset), meter, self._shape, depth=budget.depth
        )
        tree.grow(most)
        branches = [
            RankedTurn(node.cells, node.value, node.sure, node.visits, tree.line(node))
            for node in tree.ranked(most)
        ]
        return TreeResult(branches, tree.root.sure, tree.depth, meter.nodes)
