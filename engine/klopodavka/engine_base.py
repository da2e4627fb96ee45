"""What both engines share: the turns of a search become search results."""

from __future__ import annotations

import math
import random
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.core import (
    SILENT,
    Budget,
    Clock,
    Engine,
    GameValue,
    Proof,
    SearchListener,
    SearchResult,
    value_of,
)
from engine.klopodavka.evaluation import DECIDED, LEARNED, FeatureWeights, evaluate, weights
from engine.klopodavka.state import State
from engine.klopodavka.tree import BEAM, BeamWidths
from engine.klopodavka.turns import every_turn, in_order
from rules.klopodavka import KlopodavkaPosition, Move
from rules.klopodavka.ruleset import Ruleset

ALIKE: Final = 0.02
"""Turns whose values differ by less count as equal, and the seed chooses; in the unit of `evaluate`."""

_SAME: Final = 1e-9
"""The same for turns that decide the game."""


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
        """Return the turn to play: the position is lost or drawn only where no turn was left out."""
        if branch.value <= 0 and not found.sure:
            branch = replace(branch, sure=False)
        return self._result(position, branch, found)

    def _result(
        self, position: KlopodavkaPosition, branch: RankedTurn, found: TreeResult
    ) -> SearchResult[Move]:
        turn, line, here = _led(position, branch)
        proof = None
        if branch.sure:
            result = (
                GameValue.WIN if branch.value > 0 else GameValue.LOSS if branch.value < 0 else GameValue.DRAW
            )
            proof = Proof(result, _most_actions(position, branch, len(turn), here) if result else 0)
        value = value_of(math.tanh((branch.value + self._level(position, found)) / 2), proof)
        return SearchResult(tuple(turn), value, proof, tuple(line), found.depth, found.nodes, 0, self.name)

    def _level(self, position: KlopodavkaPosition, found: TreeResult) -> float:
        """Return what to add to the values of a search so that they tell the chances.

        All were taken with the same seat to move. On boards larger than those the weights were learned on, and among
        many players, having the move still counts too much where turns are long, edges are joined or headquarters begin;
        so the end of the best line is evaluated as if no seat had it.
        """
        ruleset = position.ruleset
        if len(ruleset.homes) == 2 and len(ruleset.options.board) <= LEARNED:
            return 0.0
        branch = next((each for each in found.branches if abs(each.value) < DECIDED), None)
        if branch is None:
            return 0.0
        _, _, here = _led(position, branch)
        even = evaluate(
            State.of(here), position.ruleset.side[position.seat], self.weights(position.ruleset).even
        )
        return even - branch.value if abs(even) < DECIDED else 0.0


def _open_first(position: KlopodavkaPosition, found: TreeResult) -> Sequence[RankedTurn]:
    """Return the turns with the refuted ones last; where all are, and some were left out, one of those comes first.

    So a turn that is proved to lose is never played while another is open.
    """
    refuted = [branch for branch in found.branches if branch.sure and branch.value < 0]
    still_open = [branch for branch in found.branches if not (branch.sure and branch.value < 0)]
    if not still_open and not found.sure:
        known = {branch.cells for branch in refuted}
        another = next((cells for cells in every_turn(State.of(position)) if cells not in known), None)
        if another is not None:
            still_open = [RankedTurn(another, 0.0, False, 0, [])]
    return [*still_open, *refuted]


def _led(
    position: KlopodavkaPosition, branch: RankedTurn
) -> tuple[list[Move], list[Move], KlopodavkaPosition]:
    """Return a turn, the line that begins with it, and where that leads."""
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
    """Return the actions within which a proved turn of so many actions ends the game; its line leads to `end`.

    The line has the most turns that the loser can make of it, but another defence may end with a longer turn. An end that
    is only counted on comes at the latest when both have made all their actions.
    """
    most = _counted(position)
    return min(most, first + position.ruleset.actions * len(branch.line)) if end.outcome else most


def _counted(position: KlopodavkaPosition) -> int:
    """Return the most actions to an end that is decided by counting: all that both can make."""
    if position.outcome:
        return 0
    state = State.of(position)
    return sum((state.ever[seat] & state.open_to(seat)).bit_count() for seat in range(len(state.ever)))


def played(position: KlopodavkaPosition, cells: int) -> list[Move]:
    """Return the actions of a turn, in an order in which all are reached in time."""
    board, moves, live = position.ruleset.board, position.ruleset.moves, position.occupancy.live
    return [
        (moves.crushes if bit & live else moves.puts)[board.listed(bit)[0]]
        for bit in in_order(State.of(position), cells)
    ]
