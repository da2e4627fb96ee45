"""The native core, where it was built: the same search on sets of a fixed size."""

from __future__ import annotations

import time
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Final

from engine.core import Budget, Clock, EngineKind, Meter, SearchListener
from engine.klopodavka.engine_base import KlopodavkaEngine, RankedTurn, TreeResult
from engine.klopodavka.evaluation import FeatureWeights
from engine.klopodavka.tree import BEAM, BeamWidths
from engine.native import load
from rules.klopodavka import KlopodavkaPosition
from rules.klopodavka.options import Variant
from rules.klopodavka.ruleset import Ruleset

if TYPE_CHECKING:
    from engine.klopodavka import native

VERSION: Final = 4
"""The version of the module's interface; a module built from an older source is not used."""

_MOST: Final = 2**63
"""Nodes of a search without a limit of nodes."""


def core_module() -> ModuleType | None:
    """Return the compiled module; None where it is switched off, not built, or cannot be loaded."""
    return load("klopodavka", VERSION)


class NativeEngine(KlopodavkaEngine):
    """Searches whole turns in C++."""

    name = "klopodavka-native"
    kind = EngineKind.NATIVE

    def __init__(
        self,
        module: ModuleType,
        clock: Clock = time.monotonic,
        by: FeatureWeights | None = None,
        shape: BeamWidths = BEAM,
    ) -> None:
        super().__init__(clock, by, shape)
        self._core: Final = lru_cache(maxsize=16)(self._made)
        self._module: Final = module

    def fits(self, position: KlopodavkaPosition) -> bool:
        """Return True for positions of the game: no board is larger than the core's largest sets."""
        return isinstance(position, KlopodavkaPosition)

    def search(
        self, position: KlopodavkaPosition, budget: Budget, most: int, listener: SearchListener
    ) -> TreeResult:
        meter = Meter(budget, self._clock, listener)
        core = self.at(position)
        shape = self._shape
        branches, sure, depth, nodes = core.search(
            budget.nodes or _MOST,
            budget.depth or 0,
            most,
            (shape.root, shape.reply),
            meter.stopped,
        )
        return TreeResult(
            [
                RankedTurn(joined(cells), value, sure, visits, [joined(turn) for turn in line])
                for cells, value, sure, visits, line in branches
            ],
            sure,
            depth,
            nodes,
        )

    def at(self, position: KlopodavkaPosition) -> native.Core:
        """Return the core set to a position."""
        core = self._core(position.ruleset)
        occupancy = position.occupancy
        core.set(
            [words(cells) for cells in occupancy.bugs],
            [words(cells) for cells in occupancy.walls],
            position.seat,
            position.plies_left,
            position.gone,
        )
        return core

    def _made(self, ruleset: Ruleset) -> native.Core:
        board, chosen = ruleset.options.board, ruleset.options
        core: native.Core = self._module.Core(
            board.files,
            board.ranks,
            ruleset.actions,
            len(ruleset.sides),
            (
                chosen.topology.joined_files,
                chosen.topology.joined_ranks,
                ruleset.anchored,
                ruleset.fenced,
                chosen.variant is Variant.BASES,
            ),
            [words(cells) for cells in ruleset.homes],
            words(ruleset.soft),
            self.weights(ruleset).flat(),
        )
        return core


def words(cells: int) -> list[int]:
    """Return a set as words of 64 bits, the lowest first."""
    found = []
    while cells:
        found.append(cells & 0xFFFF_FFFF_FFFF_FFFF)
        cells >>= 64
    return found


def joined(parts: list[int]) -> int:
    """Return the set of some words."""
    return sum(word << 64 * at for at, word in enumerate(parts))
