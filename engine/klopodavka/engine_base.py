"""What the engines of this game have in common: what a search found, as thoughts."""

from __future__ import annotations

import math
import random
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.core import SILENT, Budget, Clock, Engine, GameValue, Proof, SearchListener, SearchResult
from engine.klopodavka.evaluation import DECIDED, FeatureWeights, evaluate, weights
from engine.klopodavka.state import State
from engine.klopodavka.tree import BEAM, BeamWidths
from engine.klopodavka.turns import in_order
from rules.klopodavka import KlopodavkaPosition, Move
from rules.klopodavka.ruleset import Ruleset

ALIKE: Final = 0.02
"""Turns whose values differ by less are as good, and the seed chooses; in the unit of `evaluate`."""

LEARNED: Final = 100
"""Cells of the board on which two players played the games that the weights were learned from."""

_SAME: Final = 1e-9
"""The same of turns that decide the game."""

_NEARLY: Final = 0.999
"""The value of a result that is believed and not proved."""


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """A turn that a search looked at.

    Attributes:
        cells: What it acts on.
        value: What it is worth to who makes it, in the unit of `evaluate`.
        sure: Whether that is certain.
        visits: How often the search came back to it.
        line: The cells of the turns expected after it.
    """

    cells: int
    value: float
    sure: bool
    visits: int
    line: Sequence[int]


@dataclass(frozen=True, slots=True)
class TreeResult:
    """What a search found: turns, the best first; how many turns deep it went; the nodes it made."""

    branches: Sequence[RankedTurn]
    depth: int
    nodes: int


class KlopodavkaEngine(Engine[KlopodavkaPosition, Move]):
    """Answers with what some search finds."""

    def __init__(
        self, clock: Clock = time.monotonic, by: FeatureWeights | None = None, shape: BeamWidths = BEAM
    ) -> None:
        self._clock: Final = clock
        self._given: Final = by
        self._shape: Final = shape

    def weights(self, ruleset: Ruleset) -> FeatureWeights:
        """What features are worth in a kind of game."""
        return self._given or weights(ruleset)

    @abstractmethod
    def search(
        self, position: KlopodavkaPosition, budget: Budget, most: int, listener: SearchListener
    ) -> TreeResult:
        """Search a position that fits and goes on; `most` turns are to be judged with equal care."""

    def think(
        self,
        position: KlopodavkaPosition,
        budget: Budget,
        *,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> SearchResult[Move]:
        """The turn it would play."""
        self._check(position)
        found = self.search(position, budget, 1, listener)
        best = found.branches[0]
        alike = [
            branch
            for branch in found.branches
            if branch.sure == best.sure
            and abs(best.value - branch.value) < (ALIKE if abs(best.value) < DECIDED else _SAME)
            and 2 * branch.visits >= best.visits
        ]
        return self._result(position, random.Random(seed).choice(alike), found)  # noqa: S311 - a game, no secret

    def ranked(
        self,
        position: KlopodavkaPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """The best turns; the seed decides nothing here."""
        del seed
        self._check(position)
        found = self.search(position, budget, most, listener)
        return [self._result(position, branch, found) for branch in found.branches[:most]]

    def _check(self, position: KlopodavkaPosition) -> None:
        if not self.fits(position) or position.outcome:
            raise ValueError("there is nothing to play")

    def _result(
        self, position: KlopodavkaPosition, branch: RankedTurn, found: TreeResult
    ) -> SearchResult[Move]:
        turn, line, here = _led(position, branch)
        proof = None
        value = branch.value + self._level(position, found)
        value = max(-_NEARLY, min(_NEARLY, math.tanh(value / 2)))
        if branch.sure:
            result = (
                GameValue.WIN if branch.value > 0 else GameValue.LOSS if branch.value < 0 else GameValue.DRAW
            )
            value = float(result)
            proof = Proof(result, len(line) + _counted(here) if result else 0)
        return SearchResult(tuple(turn), value, proof, tuple(line), found.depth, found.nodes, 0, self.name)

    def _level(self, position: KlopodavkaPosition, found: TreeResult) -> float:
        """What has to be added to the values that a search compared, for them to say how good the chances are.

        All of them were taken with the same seat to move. On larger boards than the weights were learned on, and among
        many, having the move or not counts far too much; so the end of the best line is looked at as if nobody had it.
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


def _led(
    position: KlopodavkaPosition, branch: RankedTurn
) -> tuple[list[Move], list[Move], KlopodavkaPosition]:
    """A turn, the play expected with it, and where that leads."""
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


def _counted(position: KlopodavkaPosition) -> int:
    """Actions to the end, at most, where it is decided by counting: all that both can make."""
    if position.outcome:
        return 0
    state = State.of(position)
    return sum((state.ever[seat] & state.open_to(seat)).bit_count() for seat in range(len(state.ever)))


def played(position: KlopodavkaPosition, cells: int) -> list[Move]:
    """The actions of a turn, in an order in which all are reached in time."""
    board, moves, live = position.ruleset.board, position.ruleset.moves, position.occupancy.live
    return [
        (moves.crushes if bit & live else moves.puts)[board.listed(bit)[0]]
        for bit in in_order(State.of(position), cells)
    ]
