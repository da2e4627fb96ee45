"""The engines, native and in plain Python: the turns of a search become search results; and the figures of the levels.

A node is a state that the search makes, of which a turn has hundreds. The nodes of level 7 are few enough for plain
Python, which makes some 50 000 in a second.
"""

from __future__ import annotations

import math
import random
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Final

from engine.core import (
    SILENT,
    Budget,
    Clock,
    Engine,
    EngineKind,
    GameValue,
    Level,
    Meter,
    Proof,
    SearchListener,
    SearchResult,
    value_of,
)
from engine.klopodavka.evaluation import DECIDED, LEARNED, FeatureWeights, evaluate, weights
from engine.klopodavka.state import SearchState
from engine.klopodavka.tree import BEAM, BeamWidths, TurnTree, every_turn, in_order
from engine.native import load
from rules.klopodavka import KlopodavkaPosition, Move
from rules.klopodavka.options import Variant
from rules.klopodavka.reach import Ruleset

if TYPE_CHECKING:
    from engine.klopodavka import native


ALIKE: Final = 0.02
"""Turns whose values differ by less count as equal, and the seed chooses; in the unit of `evaluate`."""

_SAME: Final = 1e-9  # the same for turns that decide the game


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """A turn of the root and its evaluation."""

    cells: int  # what it acts on
    value: float  # for the seat that plays it, in the unit of `evaluate`
    sure: bool  # whether the value is certain
    visits: int  # how often the search came back to it
    line: Sequence[int]  # the cells of the turns expected after it


@dataclass(frozen=True, slots=True)
class TreeResult:
    """The ranked turns, the best first; whether the position's value is certain; the depth in turns; the nodes made."""

    branches: Sequence[RankedTurn]
    sure: bool
    depth: int
    nodes: int


class KlopodavkaEngine(Engine[KlopodavkaPosition, Move]):
    """Answers with the turns that its `search` finds."""

    def __init__(
        self, clock: Clock = time.monotonic, by: FeatureWeights | None = None, shape: BeamWidths = BEAM
    ) -> None:
        self._clock: Final = clock
        self._given: Final = by
        self._shape: Final = shape

    def fits(self, position: KlopodavkaPosition) -> bool:
        return isinstance(position, KlopodavkaPosition)

    def weights(self, ruleset: Ruleset) -> FeatureWeights:
        """Return the feature weights for a kind of game."""
        return self._given or weights(ruleset)

    @abstractmethod
    def search(
        self, position: KlopodavkaPosition, budget: Budget, most: int, listener: SearchListener
    ) -> TreeResult:
        """Search a position that fits and goes on; judge `most` turns with equal care."""

    def think(
        self,
        position: KlopodavkaPosition,
        budget: Budget,
        *,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> SearchResult[Move]:
        """Return the turn it would play, by the seed among turns of equal value."""
        self.check(position)
        found = self.search(position, budget, 1, listener)
        branches = _open_first(position, found)
        best = branches[0]
        alike = [
            branch
            for branch in branches
            if branch.sure == best.sure
            and abs(best.value - branch.value) < (ALIKE if abs(best.value) < DECIDED else _SAME)
            and 2 * branch.visits >= best.visits
        ]
        chosen = random.Random(seed).choice(alike)  # noqa: S311 - a game, no secret
        return self._best(position, chosen, found)

    def ranked(
        self,
        position: KlopodavkaPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """Return the best turns; the seed decides nothing here."""
        del seed
        self.check(position)
        found = self.search(position, budget, most, listener)
        best, *others = _open_first(position, found)[:most]
        return [
            self._best(position, best, found),
            *(self._result(position, branch, found) for branch in others),
        ]

    def _best(
        self, position: KlopodavkaPosition, branch: RankedTurn, found: TreeResult
    ) -> SearchResult[Move]:
        # The position is lost or drawn only where no turn was left out.
        if branch.value <= 0 and not found.sure:
            branch = replace(branch, sure=False)
        return self._result(position, branch, found)

    def _result(
        self, position: KlopodavkaPosition, branch: RankedTurn, found: TreeResult
    ) -> SearchResult[Move]:
        turn, line, here = _led(position, branch)
        proof = None
        if branch.sure:
            result = GameValue((branch.value > 0) - (branch.value < 0))
            proof = Proof(result, _most_actions(position, branch, len(turn), here) if result else 0)
        value = value_of(math.tanh((branch.value + self._level(position, found)) / 2), proof)
        return SearchResult(tuple(turn), value, proof, tuple(line), found.depth, found.nodes, 0, self.name)

    def _level(self, position: KlopodavkaPosition, found: TreeResult) -> float:
        # What to add to the values of a search so that they tell the chances. All were taken with the same seat to move. On
        # boards larger than those the weights were learned on, and among many players, having the move still counts too much
        # where turns are long, edges are joined or headquarters begin; so the end of the best line is evaluated as if no
        # seat had it. With more than two sides the line is one turn of one's own, to which all others still answer: half of what
        # it gains counts.
        ruleset = position.ruleset
        if len(ruleset.homes) == 2 and len(ruleset.options.board) <= LEARNED:
            return 0.0
        branch = next((each for each in found.branches if abs(each.value) < DECIDED), None)
        if branch is None:
            return 0.0
        _, _, here = _led(position, branch)
        side, even_weights = ruleset.side[position.seat], self.weights(ruleset).even
        even = evaluate(SearchState.of(here), side, even_weights)
        if len(ruleset.sides) > 2 and abs(even) < DECIDED:
            even = (even + evaluate(SearchState.of(position), side, even_weights)) / 2
        return even - branch.value if abs(even) < DECIDED else 0.0


def _open_first(position: KlopodavkaPosition, found: TreeResult) -> Sequence[RankedTurn]:
    # A turn that is proved to lose is never played while another is open: refuted ones come last, and where all found are
    # refuted and some were left out, one of those comes first.
    refuted = [branch for branch in found.branches if branch.sure and branch.value < 0]
    still_open = [branch for branch in found.branches if not (branch.sure and branch.value < 0)]
    if not still_open and not found.sure:
        known = {branch.cells for branch in refuted}
        another = next((cells for cells in every_turn(SearchState.of(position)) if cells not in known), None)
        if another is not None:
            still_open = [RankedTurn(another, 0.0, False, 0, [])]
    return [*still_open, *refuted]


def _led(
    position: KlopodavkaPosition, branch: RankedTurn
) -> tuple[list[Move], list[Move], KlopodavkaPosition]:
    turn = played(position, branch.cells)
    line, here = list(turn), position
    for move in turn:
        here = here.play(move)
    for cells in branch.line:
        more = played(here, cells)
        for move in more:
            here = here.play(move)
        line += more
    return turn, line, here


def _most_actions(
    position: KlopodavkaPosition, branch: RankedTurn, first: int, end: KlopodavkaPosition
) -> int:
    # The line has the most turns that the loser can make of it, but another defence may end with a longer turn. An end that
    # is only counted on comes at the latest when both have made all their actions.
    state = SearchState.of(position)
    most = sum((state.ever[seat] & state.open_to(seat)).bit_count() for seat in range(len(state.ever)))
    return min(most, first + position.ruleset.actions * len(branch.line)) if end.outcome else most


def played(position: KlopodavkaPosition, cells: int) -> list[Move]:
    """Return the actions of a turn, in an order in which all are reached in time."""
    board, moves, live = position.ruleset.board, position.ruleset.moves, position.occupancy.live
    return [
        (moves.crushes if bit & live else moves.puts)[board.listed(bit)[0]]
        for bit in in_order(SearchState.of(position), cells)
    ]


VERSION: Final = 4  # the version of the module's interface; a module built from an older source is not used
_MOST: Final = 2**63  # nodes of a search without a limit of nodes


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

    def search(
        self, position: KlopodavkaPosition, budget: Budget, most: int, listener: SearchListener
    ) -> TreeResult:
        meter = Meter(budget, self._clock, listener)
        core = self.at(position)
        shape = self._shape
        found, sure, depth, nodes = core.search(
            budget.nodes or _MOST, budget.depth or 0, most, (shape.root, shape.reply), meter.stopped
        )
        branches = [
            RankedTurn(joined(cells), value, proved, visits, [joined(turn) for turn in line])
            for cells, value, proved, visits, line in found
        ]
        return TreeResult(branches, sure, depth, nodes)

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
        joined_edges = (chosen.topology.joined_files, chosen.topology.joined_ranks)
        flags = (*joined_edges, ruleset.anchored, ruleset.fenced, chosen.variant is Variant.BASES)
        homes = [words(cells) for cells in ruleset.homes]
        numbers = (board.files, board.ranks, ruleset.actions, len(ruleset.sides))
        core: native.Core = self._module.Core(
            *numbers, flags, homes, words(ruleset.soft), self.weights(ruleset).flat()
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


class PythonEngine(KlopodavkaEngine):
    """Searches whole turns on integers as bitboards."""

    name = "klopodavka-python"
    kind = EngineKind.PYTHON

    def search(
        self, position: KlopodavkaPosition, budget: Budget, most: int, listener: SearchListener
    ) -> TreeResult:
        meter = Meter(budget, self._clock, listener)
        tree = TurnTree(
            SearchState.of(position), self.weights(position.ruleset), meter, self._shape, depth=budget.depth
        )
        tree.grow(most)
        branches = [
            RankedTurn(node.cells, node.value, node.sure, node.visits, tree.line(node))
            for node in tree.ranked(most)
        ]
        return TreeResult(branches, tree.root.sure, tree.depth, meter.nodes)


_GREED: Final = 1.0
LEVELS: Final[Mapping[int, Level]] = MappingProxyType(
    {
        1: Level(Budget(nodes=150, depth=1, seconds=0.6), haste=1.0, ideas=1.3, greed=_GREED),
        2: Level(Budget(nodes=150, depth=1, seconds=0.6), haste=0.635, ideas=1.5, greed=_GREED),
        3: Level(Budget(nodes=500, seconds=0.6), haste=0.45, ideas=2.0, greed=_GREED),
        4: Level(Budget(nodes=1_100, seconds=0.6), haste=0.3, ideas=2.5, greed=_GREED),
        5: Level(Budget(nodes=2_000, seconds=0.6), haste=0.2, ideas=3.0, greed=_GREED),
        6: Level(Budget(nodes=3_600, seconds=0.75), haste=0.11, ideas=4.0, greed=_GREED),
        7: Level(Budget(nodes=8_000, seconds=0.75), haste=0.03, ideas=5.0, greed=_GREED),
        8: Level(Budget(seconds=3.0)),
    }
)
