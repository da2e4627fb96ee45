"""Alpha-beta in plain Python: iterative deepening, principal variation search, a table of positions.

A score is for the side to move. Beyond +-PROVED it is certain: WIN less the plies to the end, which is then no further
than that. What is left out by judgement (late moves, quiet leaves) leaves a guess behind, never a proof. `search.hpp` is
the same kind of search in C++.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from engine.breakthrough.evaluation import Evaluation
from engine.breakthrough.ground import PROVED, WIN, Ground, grounds
from engine.breakthrough.weights import MOST, Weights

ENDLESS: Final = 32000
DEEPEST: Final = 120
SOON: Final = 5
"""Plies within which the quickest win is found, where some win is."""

_AT_LEAST, _AT_MOST, _EXACT = 1, 2, 3

_KEPT: Final = 200_000  # positions in the table; each takes some 300 bytes
_MARGIN: Final = 110  # in each step from the leaves a quiet move gains so little more
_QUIET_PLIES: Final = 6
_WINDOW: Final = 40


class Spent(Exception):
    """The budget is used up."""


@dataclass(frozen=True, slots=True)
class Line:
    """A first step with its score and what is expected after it, as bits of the men before and after each step."""

    score: int
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to: the deepest look that was finished, and the best lines, the best first."""

    depth: int
    nodes: int
    lines: tuple[Line, ...]


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


class Search:
    """Searches boards of one size, one question at a time."""

    def __init__(self, files: int, ranks: int, weights: Weights, *, misere: bool) -> None:
        self._grounds: Final = grounds(files, ranks)
        self._misere: Final = misere
        self._score: Final = Evaluation(files, ranks, weights).of
        self._shift: Final = (files + 1) * ranks
        self._table: dict[int, tuple[int, int, int, int]] = {}
        self._history: dict[int, int] = {}
        self._killers: list[int] = []
        self._nodes = 0
        self._limit = 0
        self._look_at = 0
        self._poll: Callable[[int], bool] | None = None

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
        report: Callable[[Found], None] | None = None,
    ) -> Found:
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
        self._table.clear()
        self._history.clear()
        self._killers = [0] * (2 * DEEPEST + 64)
        self._nodes = 0
        self._limit = nodes if nodes is not None else 1 << 62
        self._look_at = min(256, self._limit)
        self._poll = poll
        found = Found(0, 0, ())
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
        except Spent:
            if not found.lines:
                root.sort(key=_rank, reverse=True)
                found = self._taken(root, most, 0)
            elif most == 1 and improved:
                # A better first step that an unfinished depth has found is taken.
                root.sort(key=lambda move: move.step == improved[-1], reverse=True)
                found = self._taken(root, most, found.depth)
        return Found(found.depth, self._nodes, found.lines)

    def _taken(self, root: Sequence[_Root], most: int, depth: int) -> Found:
        lines = tuple(Line(move.score, move.line or (move.step,)) for move in root[:most])
        return Found(depth, self._nodes, lines)

    def _count(self) -> None:
        """Count a position."""
        if self._nodes >= self._look_at:
            self._look()
        self._nodes += 1

    def _look(self) -> None:
        if self._nodes >= self._limit or (self._poll is not None and self._poll(self._nodes)):
            raise Spent
        self._look_at = min(self._nodes + 256, self._limit)

    def _glance(self, ground: Ground, own: int, foe: int, step: int) -> int:
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
        ground: Ground,
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

    def _aspire(self, ground: Ground, mine: int, theirs: int, depth: int, guess: int) -> int:
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

    def _line(self, ground: Ground, own: int, foe: int, depth: int) -> list[int]:
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

    def _search(  # noqa: C901, PLR0911, PLR0912, PLR0915, PLR0917 - runs a million times: calls would double its time
        self, ground: Ground, own: int, foe: int, alpha: int, beta: int, depth: int, ply: int, may_pass: bool
    ) -> int:
        if self._nodes >= self._look_at:
            self._look()
        self._nodes += 1
        enemy = ground.foe
        misere = self._misere
        if foe & enemy.goal[0]:
            return WIN - ply if misere else ply - WIN
        sure = ground.certain(own, foe, misere=misere)
        if sure:
            return sure - ply if sure > 0 else sure + ply
        alpha = max(alpha, ply + 1 - WIN)
        beta = min(beta, WIN - ply - 1)
        if alpha >= beta:
            return alpha
        threats = 0 if misere else foe & enemy.goal[1]
        if threats:
            depth += 1  # one or two steps are left to choose from
        if depth <= 0:
            return self._quiesce(ground, own, foe, alpha, beta, ply, 0)
        if ply >= DEEPEST:
            return self._score(own, foe, up=ground.up)

        full = beta - alpha > 1
        hinted = 0
        key = (own << self._shift | foe) << 1 | ground.up
        entry = self._table.get(key)
        if entry is not None:
            known, bound, score, hinted = entry
            won = bound & _AT_LEAST and score >= PROVED
            lost = bound & _AT_MOST and score <= -PROVED
            if known >= depth or won or lost:
                if won:
                    score -= ply
                elif lost:
                    score += ply
                elif abs(score) >= PROVED:
                    score = score - ply if score > 0 else score + ply
                if bound == _EXACT and (won or lost or not full):
                    return score
                if not full and (
                    (bound & _AT_LEAST and score >= beta) or (bound & _AT_MOST and score <= alpha)
                ):
                    return score

        arrivals = 0 if threats or misere else enemy.arrivals(foe, own)
        hot = bool(threats or arrivals)
        standing = 0
        judged = not full and not hot and not misere and -PROVED < beta < PROVED
        if judged:
            standing = self._score(own, foe, up=ground.up)
            if depth <= 3 and standing - 2 * _MARGIN * depth >= beta:
                return standing
            if may_pass and depth >= 3 and standing >= beta:
                # Even if it were the opponent's turn again: steps seldom hurt the one who makes them.
                score = -self._search(enemy, foe, own, -beta, 1 - beta, depth - 3, ply + 1, False)
                if score >= beta:
                    return beta if score >= PROVED else score

        steps, left_out = self._candidates(ground, own, foe, threats, arrivals)
        self._sort(steps, foe, hinted, ply)
        best = -ENDLESS if not left_out else ply + (2 if threats else 4) - WIN
        best_step = 0
        before = alpha
        tried = 0
        near = ground.goal[1] | ground.goal[2]
        history = self._history
        for step in steps:
            quiet = not (hot or step & foe or step & near)
            if quiet and judged and tried and best > -PROVED:
                hope = standing + _MARGIN * depth + 60
                if depth <= 3 and hope <= alpha:
                    best = max(best, hope)
                    continue
                if depth <= 3 and tried > 4 + 3 * depth * depth:
                    best = max(best, min(standing, alpha))
                    continue
            mine, theirs = own ^ step, foe & ~step
            if not tried:
                score = -self._search(enemy, theirs, mine, -beta, -alpha, depth - 1, ply + 1, True)
            else:
                less = 0
                if quiet and depth >= 3 and tried >= 3 and alpha < PROVED:  # else only a quicker win would do
                    less = 1 + (tried >= 9) + (depth >= 6)
                    if full:
                        less -= 1
                score = -self._search(
                    enemy, theirs, mine, -alpha - 1, -alpha, depth - 1 - less, ply + 1, True
                )
                if score > alpha and less:
                    score = -self._search(enemy, theirs, mine, -alpha - 1, -alpha, depth - 1, ply + 1, True)
                if alpha < score < beta:
                    score = -self._search(enemy, theirs, mine, -beta, -alpha, depth - 1, ply + 1, True)
            tried += 1
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    best_step = step
                    if alpha >= beta:
                        if not step & foe:
                            if self._killers[2 * ply] != step:
                                self._killers[2 * ply + 1] = self._killers[2 * ply]
                                self._killers[2 * ply] = step
                            history[step] = history.get(step, 0) + depth * depth
                        break
        bound = _AT_LEAST if best >= beta else _EXACT if best > before else _AT_MOST
        if len(self._table) >= _KEPT:
            self._table.clear()
        kept = best
        if best >= PROVED:
            kept = best + ply
        elif best <= -PROVED:
            kept = best - ply
        self._table[key] = (depth, bound, kept, best_step or hinted)
        return best

    def _candidates(
        self, ground: Ground, own: int, foe: int, threats: int, arrivals: int
    ) -> tuple[list[int], bool]:
        """The steps that can matter, and whether others were left out, which lose to an arrival."""
        empty = ground.squares ^ own ^ foe
        if self._misere:
            # Steps to the far rank lose at once: only where there is nothing else.
            inside = ~ground.goal[0]
            return ground.captures(own, foe & inside) + ground.quiets(own, empty & inside) or ground.steps(
                own, foe
            ), False
        if threats:
            return ground.captures(own, threats), True
        if arrivals:
            # He steps to such a square and then home. His man is taken, or met, or something is nearer to our goal.
            ahead = ground.goal[1]
            prey = foe & (ground.foe.goal[2] | ahead)
            return ground.captures(own, prey) + ground.quiets(own, empty & (arrivals | ahead)), True
        return ground.captures(own, foe) + ground.quiets(own, empty), False

    def _sort(self, steps: list[int], foe: int, hinted: int, ply: int) -> None:
        """The hinted step, captures as they come, killers, and then what was good elsewhere."""
        history = self._history
        first, second = self._killers[2 * ply], self._killers[2 * ply + 1]

        def worth(step: int) -> int:
            if step == hinted:
                return 1 << 40
            if step & foe:
                return 1 << 30
            if step == first:
                return 1 << 29
            if step == second:
                return 1 << 28
            return history.get(step, 0)

        steps.sort(key=worth, reverse=True)

    def _quiesce(  # noqa: PLR0917 - keywords cost time
        self, ground: Ground, own: int, foe: int, alpha: int, beta: int, ply: int, plies: int
    ) -> int:
        """Captures only, until nothing hangs; and answers to whoever is about to arrive."""
        enemy = ground.foe
        if self._misere:
            return self._score(own, foe, up=ground.up)
        threats = foe & enemy.goal[1]
        arrivals = 0 if threats or plies >= _QUIET_PLIES else enemy.arrivals(foe, own)
        if threats or arrivals:
            best = ply + (2 if threats else 4) - WIN
            steps, _ = self._candidates(ground, own, foe, threats, arrivals)
        else:
            best = self._score(own, foe, up=ground.up)
            if best >= beta or plies >= _QUIET_PLIES:
                return best
            alpha = max(alpha, best)
            # Men that nobody avenges, and men that have come far.
            far = enemy.goal[2] | enemy.goal[3] if len(enemy.goal) > 5 else enemy.goal[2]
            steps = ground.captures(own, foe & (~enemy.hits(foe) | far))
        for step in steps:
            mine, theirs = own ^ step, foe & ~step
            if self._nodes >= self._look_at:
                self._look()
            self._nodes += 1
            score = enemy.certain(theirs, mine, misere=False)
            if score:
                score = ply + 1 - score if score > 0 else -score - ply - 1
            else:
                score = -self._quiesce(enemy, theirs, mine, -beta, -alpha, ply + 1, plies + 1)
            if score > best:
                best = score
                alpha = max(alpha, score)
                if alpha >= beta:
                    break
        return best


def _rank(move: _Root) -> int:
    return move.rank


def _later(sure: int) -> int:
    """A certain score, seen from one ply before."""
    return sure - 1 if sure > 0 else sure + 1
