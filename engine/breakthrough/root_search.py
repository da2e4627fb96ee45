"""Alpha-beta in plain Python: looks through the steps of a position, deeper each time, until its budget is spent.

What is behind a step is searched by `alphabeta`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from engine.breakthrough.alphabeta import DEEPEST, ENDLESS, BudgetExhausted, PrincipalVariationSearch
from engine.breakthrough.bitboards import PROVED, WIN, SideBoard
from engine.breakthrough.weights import MOST

SOON: Final = 5
"""Plies within which the quickest win is found, where some win is."""

_WINDOW: Final = 40


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A first step with its score and what is expected after it, as bits of the men before and after each step."""

    score: int
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RootResult:
    """What a search came to: the deepest look that was finished, and the best lines, the best first."""

    depth: int
    nodes: int
    lines: tuple[ScoredLine, ...]


@dataclass(slots=True)
class _Root:
    """A move that could be played."""

    step: int
    bonus: int  # from the seed, so that moves that are as good are chosen by chance
    score: int = -MOST
    line: tuple[int, ...] = ()

    @property
    def rank(self) -> int:
        """What the order goes by."""
        return self.score if abs(self.score) >= PROVED else self.score + self.bonus

    def settled(self, depth: int) -> bool:
        """Whether a deeper search would change nothing: it is proved, and no win of those looked for is nearer."""
        return self.score <= -PROVED or (self.score >= PROVED and depth >= min(SOON, WIN - self.score))


class RootSearch(PrincipalVariationSearch):
    """Searches boards of one size, one question at a time."""

    def think(
        self,
        white: int,
        black: int,
        *,
        up: bool,
        depth: int | None = None,
        nodes: int | None = None,
        most: int = 1,
        seed: int = 0,
        poll: Callable[[int], bool] | None = None,
        report: Callable[[RootResult], None] | None = None,
    ) -> RootResult:
        """The best steps, each with a score of its own.

        Args:
            white: White's men.
            black: Black's men.
            up: Whether White is to move.
            depth: Plies to look ahead at most.
            nodes: Positions to make at most.
            most: How many lines are wanted.
            seed: Chooses between steps that are as good.
            poll: Asked now and then with the nodes so far, whether to stop.
            report: Told of every depth that is finished.
        """
        own, foe = (white, black) if up else (black, white)
        ground = self._grounds[0 if up else 1]
        chance = random.Random(seed)  # noqa: S311 - a game, no secret
        root = [_Root(step, chance.randrange(4)) for step in ground.steps(own, foe)]
        chance.shuffle(root)
        most = max(1, min(most, len(root)))
        self._begin(nodes, poll)
        found = RootResult(0, 0, ())
        improved: list[int] = []
        try:
            for move in root:
                self._count()
                move.score = self._glance(ground, own, foe, move.step)
            root.sort(key=_rank, reverse=True)
            found = self._taken(root, most, 0)
            for goal in range(1, min(depth or DEEPEST, DEEPEST) + 1):
                improved.clear()
                self._look_through(ground, own, foe, root, goal, most, improved)
                root.sort(key=_rank, reverse=True)
                found = self._taken(root, most, goal)
                if report:
                    report(found)
                if all(move.settled(goal) for move in root[:most]):
                    break
        except BudgetExhausted:
            if not found.lines:
                root.sort(key=_rank, reverse=True)
                found = self._taken(root, most, 0)
            elif most == 1 and improved:
                # A better first step that an unfinished depth has found is taken.
                root.sort(key=lambda move: move.step == improved[-1], reverse=True)
                found = self._taken(root, most, found.depth)
        return RootResult(found.depth, self._nodes, found.lines)

    def _taken(self, root: Sequence[_Root], most: int, depth: int) -> RootResult:
        lines = tuple(ScoredLine(move.score, move.line or (move.step,)) for move in root[:most])
        return RootResult(depth, self._nodes, lines)

    def _glance(self, ground: SideBoard, own: int, foe: int, step: int) -> int:
        """A first score of a root move, for the order."""
        own, foe = own ^ step, foe & ~step
        if own & ground.goal[0]:
            return 1 - WIN if self._misere else WIN - 1
        sure = ground.foe.certain(foe, own, misere=self._misere)
        if sure:
            return _later(-sure)
        return -self._score(foe, own, up=not ground.up)

    def _look_through(  # noqa: PLR0917 - one caller
        self,
        ground: SideBoard,
        own: int,
        foe: int,
        root: Sequence[_Root],
        depth: int,
        most: int,
        improved: list[int],
    ) -> None:
        """Search every root move so deep; only those that can be among the best get a score of their own."""
        best: list[int] = []
        for move in root:
            mine, theirs = own ^ move.step, foe & ~move.step
            if len(best) < most:
                if most == 1 and depth >= 4 and abs(move.score) < PROVED:
                    score = self._aspire(ground, mine, theirs, depth, move.score)
                else:
                    score = -self._search(ground.foe, theirs, mine, -ENDLESS, ENDLESS, depth - 1, 1, True)
            else:
                alpha = best[-1] if abs(best[-1]) >= PROVED else best[-1] - move.bonus
                score = -self._search(ground.foe, theirs, mine, -alpha - 1, -alpha, depth - 1, 1, True)
                if score > alpha:
                    score = -self._search(ground.foe, theirs, mine, -ENDLESS, -alpha, depth - 1, 1, True)
                if score <= alpha:
                    move.score = score if score <= -PROVED else min(score, alpha) - 1000  # of the order alone
                    continue
            move.score = score
            move.line = (move.step, *self._line(ground.foe, theirs, mine, depth - 1))
            best.append(move.rank)
            best.sort(reverse=True)
            del best[most:]
            improved.append(move.step)

    def _aspire(self, ground: SideBoard, mine: int, theirs: int, depth: int, guess: int) -> int:
        """A window around what the depth before has found."""
        low, high, width = guess - _WINDOW, guess + _WINDOW, 3 * _WINDOW
        while True:
            score = -self._search(ground.foe, theirs, mine, -high, -low, depth - 1, 1, True)
            if score <= low > -ENDLESS:
                low = -ENDLESS if width > 2000 else guess - width
            elif score >= high < ENDLESS:
                high = ENDLESS if width > 2000 else guess + width
            else:
                return score
            width *= 4

    def _line(self, ground: SideBoard, own: int, foe: int, depth: int) -> list[int]:
        """What the table expects to be played."""
        line: list[int] = []
        while depth > 0 and not foe & ground.foe.goal[0]:
            entry = self._table.get((own << self._shift | foe) << 1 | ground.up)
            if entry is None or not entry[3]:
                break
            step = entry[3]
            line.append(step)
            own, foe, ground, depth = foe & ~step, own ^ step, ground.foe, depth - 1
        return line


def _rank(move: _Root) -> int:
    return move.rank


def _later(sure: int) -> int:
    """A certain score, seen from one ply before."""
    return sure - 1 if sure > 0 else sure + 1
