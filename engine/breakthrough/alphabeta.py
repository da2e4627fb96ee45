"""Principal variation search below the root, with a transposition table and quiescence search.

A score is for the side to move. Beyond +-PROVED it is certain: WIN less the plies to the end, which is then no further
than that. What is pruned by judgement (late moves, quiet leaves) gives a guess, never a proof. `search.hpp` is the same kind of
search in C++.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.breakthrough.engine_base import PROVED, WIN, SideBoard, side_boards
from engine.breakthrough.evaluation import Evaluation, PatternWeights
from engine.core import BudgetExhausted

ENDLESS: Final = 32000
DEEPEST: Final = 120

_AT_LEAST, _AT_MOST, _EXACT = 1, 2, 3

_KEPT: Final = 200_000  # positions in the table; each takes some 300 bytes
_MARGIN: Final = 110  # in each step from the leaves a quiet move gains so little more
_QUIET_PLIES: Final = 6


class PrincipalVariationSearch:
    """Searches below the root on boards of one size, with its transposition table, history and killers."""

    def __init__(self, files: int, ranks: int, weights: PatternWeights, *, misere: bool) -> None:
        self._boards: Final = side_boards(files, ranks)
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

    def _begin(self, nodes: int | None, poll: Callable[[int], bool] | None) -> None:
        self._table.clear()
        self._history.clear()
        self._killers = [0] * (2 * DEEPEST + 64)
        self._nodes = 0
        self._limit = nodes if nodes is not None else 1 << 62
        self._look_at = min(256, self._limit)
        self._poll = poll

    def _count(self) -> None:
        """Count a position, or raise BudgetExhausted: no nodes are left, or `poll` says to stop."""
        if self._nodes >= self._look_at:
            self._look()
        self._nodes += 1

    def _look(self) -> None:
        if self._nodes >= self._limit or (self._poll is not None and self._poll(self._nodes)):
            raise BudgetExhausted
        self._look_at = min(self._nodes + 256, self._limit)

    def _search(  # noqa: C901, PLR0911, PLR0912, PLR0915, PLR0917 - runs a million times: calls would double its time
        self,
        board: SideBoard,
        own: int,
        foe: int,
        alpha: int,
        beta: int,
        depth: int,
        ply: int,
        may_pass: bool,
    ) -> int:
        if self._nodes >= self._look_at:
            self._look()
        self._nodes += 1
        enemy = board.foe
        misere = self._misere
        if foe & enemy.goal[0]:
            return WIN - ply if misere else ply - WIN
        sure = board.certain(own, foe, misere=misere)
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
            return self._quiesce(board, own, foe, alpha, beta, ply, 0)
        if ply >= DEEPEST:
            return self._score(own, foe, up=board.up)

        full = beta - alpha > 1
        hinted = 0
        key = (own << self._shift | foe) << 1 | board.up
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
            standing = self._score(own, foe, up=board.up)
            if depth <= 3 and standing - 2 * _MARGIN * depth >= beta:
                return standing
            if may_pass and depth >= 3 and standing >= beta:
                # Even if it were the opponent's turn again: steps seldom hurt the side that makes them.
                score = -self._search(enemy, foe, own, -beta, 1 - beta, depth - 3, ply + 1, False)
                if score >= beta:
                    return beta if score >= PROVED else score

        steps, left_out = self._candidates(board, own, foe, threats, arrivals)
        self._sort(steps, foe, hinted, ply)
        best = -ENDLESS if not left_out else ply + (2 if threats else 4) - WIN
        best_step = 0
        before = alpha
        tried = 0
        near = board.goal[1] | board.goal[2]
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
        self, board: SideBoard, own: int, foe: int, threats: int, arrivals: int
    ) -> tuple[list[int], bool]:
        """Return the steps that can matter, and whether others were left out, which lose to an arrival."""
        empty = board.squares ^ own ^ foe
        if self._misere:
            # Steps to the far rank lose at once: only where there is nothing else.
            inside = ~board.goal[0]
            return board.captures(own, foe & inside) + board.quiets(own, empty & inside) or board.steps(
                own, foe
            ), False
        if threats:
            return board.captures(own, threats), True
        if arrivals:
            # The man steps to such a square and then home, unless it is taken or met, or we are nearer to our goal.
            ahead = board.goal[1]
            prey = foe & (board.foe.goal[2] | ahead)
            return board.captures(own, prey) + board.quiets(own, empty & (arrivals | ahead)), True
        return board.captures(own, foe) + board.quiets(own, empty), False

    def _sort(self, steps: list[int], foe: int, hinted: int, ply: int) -> None:
        """Sort in place: the hinted step, captures as they come, killers, then by history."""
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
        self, board: SideBoard, own: int, foe: int, alpha: int, beta: int, ply: int, plies: int
    ) -> int:
        """Search captures until nothing hangs, and answers to a man about to arrive.

        In misère any capture but home may be good, and nothing is urgent.
        """
        enemy = board.foe
        misere = self._misere
        threats = 0 if misere else foe & enemy.goal[1]
        arrivals = 0 if misere or threats or plies >= _QUIET_PLIES else enemy.arrivals(foe, own)
        if threats or arrivals:
            best = ply + (2 if threats else 4) - WIN
            steps, _ = self._candidates(board, own, foe, threats, arrivals)
        else:
            best = self._score(own, foe, up=board.up)
            if best >= beta or plies >= _QUIET_PLIES:
                return best
            alpha = max(alpha, best)
            if misere:
                prey = foe & ~board.goal[0]
            else:
                # Undefended men, and men that have come far.
                far = enemy.goal[2] | enemy.goal[3] if len(enemy.goal) > 5 else enemy.goal[2]
                prey = foe & (~enemy.hits(foe) | far)
            steps = board.captures(own, prey)
        for step in steps:
            mine, theirs = own ^ step, foe & ~step
            if self._nodes >= self._look_at:
                self._look()
            self._nodes += 1
            score = enemy.certain(theirs, mine, misere=misere)
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
