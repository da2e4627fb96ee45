"""Proofs in plain Python: in how many plies a side can force its win, when it hurries and the other side holds out.

Every step is tried, save where what is in sight is certain; nothing is judged. `solver.hpp` is the same in C++.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from engine.breakthrough.engine_base import SideBoard, side_boards
from engine.core import BudgetExhausted
from rules.breakthrough import BreakthroughPosition, Options, Variant
from rules.core import Seat

MOST: Final = 200  # plies; more than any game takes on a board that can be solved
_KEPT: Final = 400_000  # bounds that are remembered, of some 200 bytes each
_EVERY: Final = 256  # positions between two looks at the clock

_Key: TypeAlias = tuple[bool, bool, int, int]


class Solver:
    """The proofs of one kind of board, with what they have in common."""

    def __init__(self, options: Options) -> None:
        self._boards: Final = side_boards(options.grid.files, options.grid.ranks)
        self._misere: Final = options.variant is Variant.MISERE
        self._wins: Final[dict[_Key, int]] = {}  # plies within which a side wins
        self._fails: Final[dict[_Key, int]] = {}  # plies within which it cannot
        self._made = 0
        self._stopped: Callable[[int], bool] = lambda _: False

    def solve(
        self, position: BreakthroughPosition, stopped: Callable[[int], bool]
    ) -> tuple[int, Sequence[int]] | None:
        """Return the plies to the end with best play, negative where the side to move loses, and its steps.

        None where it was stopped before that was known; `stopped` takes the positions made so far.
        """
        own, foe, _ = position.state
        board = self._boards[0 if position.to_move is Seat.S1 else 1]
        self._stopped, self._made = stopped, 0
        try:
            for plies in range(1, MOST):
                wins = (
                    plies % 2 == 1
                ) is not self._misere  # the last ply is the winner's; in misère it is the loser's
                if self._within(board, own, foe, wins, plies):
                    steps = list(self._line(board, own, foe, wins, plies))
                    return plies if wins else -plies, steps
        except BudgetExhausted:
            pass
        return None

    def _line(self, board: SideBoard, own: int, foe: int, wins: bool, plies: int) -> Iterator[int]:
        while plies:
            left = (
                plies - 1 if wins else plies - 2
            )  # which the winner's step makes do with, and the loser's does not
            steps = board.steps(own, foe)
            step = next(
                (
                    step
                    for step in steps
                    if self._within(board.foe, foe & ~step, own ^ step, not wins, left) is wins
                ),
                steps[-1],
            )
            yield step
            own, foe, board, wins, plies = foe & ~step, own ^ step, board.foe, not wins, plies - 1

    def _within(  # noqa: PLR0911 - one for each way to know
        self, board: SideBoard, own: int, foe: int, wins: bool, plies: int
    ) -> bool:
        """Return whether the side to move (`wins`), or the other one, can force its win within so many plies."""
        enemy = board.foe
        if foe & enemy.goal[0] or not own:
            return wins is self._misere
        if plies < self._fewest(board, own, foe, wins=wins):
            return False
        if not self._misere and (end := _in_sight(board, own, foe)):
            if (end > 0) is not wins:
                return False
            if abs(end) <= plies:
                return True
        key = board.up, wins, own, foe
        if self._wins.get(key, MOST) <= plies:
            return True
        if self._fails.get(key, 0) >= plies:
            return False
        self._made += 1
        if self._made % _EVERY == 0 and self._stopped(self._made):
            raise BudgetExhausted
        steps = self._steps(board, own, foe)
        after = (self._within(enemy, foe & ~step, own ^ step, not wins, plies - 1) for step in steps)
        won = any(after) if wins else all(after)
        known = self._wins if won else self._fails
        if len(known) >= _KEPT:
            known.clear()
        known[key] = plies
        return won

    def _fewest(self, board: SideBoard, own: int, foe: int, *, wins: bool) -> int:
        # Of the side that would win: the way of its foremost man, or as many captures; in misère, of the other side.
        first = wins is not self._misere
        steps = (
            min(board.nearest(own), foe.bit_count())
            if first
            else min(board.foe.nearest(foe), own.bit_count())
        )
        return 2 * steps - first

    def _steps(self, board: SideBoard, own: int, foe: int) -> list[int]:
        if not self._misere and (threats := foe & board.foe.goal[1]):
            return board.captures(own, threats)  # any other step loses at once
        steps = board.steps(own, foe)
        return steps[::-1] if self._misere else steps


def _in_sight(board: SideBoard, own: int, foe: int) -> int:
    """Return the plies in which the side to move wins at the latest, or negative ones to its loss; 0 if nothing is certain."""
    if own & board.goal[1]:
        return 1
    if threats := foe & board.foe.goal[1]:
        return -2 if threats & threats - 1 or not board.hits(own) & threats else 0
    return 3 if board.arrivals(own, foe) else 0
