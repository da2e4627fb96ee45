"""The engine in plain Python: principal variation search with a transposition table, deepened iteratively at the root.

A score is for the side to move. Beyond +-PROVED it is certain: WIN less the plies to the end, which is then no further
than that. What is pruned by judgement (late moves, quiet leaves) gives a guess, never a proof. `search.hpp` is the same
kind of search in C++.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import Final, TypeAlias

from engine.breakthrough.engine_base import (
    PROVED,
    WIN,
    BreakthroughEngine,
    Lines,
    SearchRequest,
    SideBoard,
    side_boards,
)
from engine.breakthrough.evaluation import MOST, Evaluation, weights_for
from engine.breakthrough.solver import Solver
from engine.core import BudgetExhausted, Clock, EngineKind
from rules.breakthrough import BreakthroughPosition, Move, Options, Variant
from rules.breakthrough.position import bit
from rules.core import Grid, Seat

ENDLESS: Final = 32000
DEEPEST: Final = 120

_AT_LEAST, _AT_MOST, _EXACT = 1, 2, 3

_KEPT: Final = 200_000  # positions in the table; each takes some 300 bytes
_MARGIN: Final = 110  # in each step from the leaves a quiet move gains so little more
_AHEAD: Final = 60  # in each step from the leaves so much beyond what is wanted is enough
_AHEAD_DEPTH: Final = 7  # and how far from the leaves that holds
_LATE_DEPTH: Final = 6  # up to here quiet moves after the first few are left out
_QUIET_PLIES: Final = 6


SOON: Final = 5  # plies within which the quickest win is found, where some win is
_WINDOW: Final = 40

_Node: TypeAlias = tuple[SideBoard, int, int]
"""The board as the side to move sees it, its men, and the other side's."""


@dataclass(slots=True)
class _RootStep:
    step: int
    bonus: int  # from the seed: chooses between equally good steps
    score: int = -MOST
    line: tuple[int, ...] = ()
    exact: bool = True  # else the score is only known to be no higher

    @property
    def lost(self) -> bool:
        return self.score <= -PROVED

    @property
    def rank(self) -> int:
        if abs(self.score) >= PROVED:
            return self.score
        return self.score + (self.bonus if self.exact else -1000)

    def settled(self, depth: int) -> bool:
        return self.lost or (self.score >= PROVED and depth >= min(SOON, WIN - self.score))


_rank: Final = attrgetter("rank")


class PrincipalVariationSearch:
    """Searches boards of one kind, one position at a time, with its transposition table, history and killers."""

    def __init__(self, options: Options) -> None:
        files, ranks = options.grid.files, options.grid.ranks
        self._boards: Final = side_boards(files, ranks)
        self._misere: Final = options.variant is Variant.MISERE
        self._score: Final = Evaluation(files, ranks, weights_for(options)).of
        self._stride: Final = files + 1
        self._shift: Final = (files + 1) * ranks
        self._table: dict[int, tuple[int, int, int, int]] = {}
        self._last = (0, 0, False)  # where the last search began
        self._history: dict[int, int] = {}
        self._killers: list[int] = []
        # What the positions of the line that is searched are worth without looking ahead.
        self._stands: Final = [0] * (DEEPEST + 64)
        self._nodes = 0

    def search(self, request: SearchRequest) -> tuple[int, int, Lines]:
        """Return the deepest finished depth, the nodes, and the best lines; a step is the two bits that it changes."""
        own, foe, _ = request.position.state
        board = self._boards[0 if request.position.to_move is Seat.S1 else 1]
        chance = random.Random(request.seed)  # noqa: S311 - a game, no secret
        root = [_RootStep(step, chance.randrange(4)) for step in board.steps(own, foe)]
        chance.shuffle(root)
        most = max(1, min(request.most, len(root)))
        self._begin(request.budget.nodes, request.stopped)
        if not self._follows(own, foe, up=board.up):
            self._table.clear()
        self._last = (own, foe, board.up)
        self._stands[0] = self._score(own, foe, up=board.up)
        depth = 0
        improved: list[int] = []
        finished: list[_RootStep] = []  # the root steps as the deepest finished search left them
        try:
            for step in root:
                if self._nodes >= self._look_at:
                    self._look()
                self._nodes += 1
                step.score = self._glance(board, own, foe, step.step)
            root.sort(key=_rank, reverse=True)
            finished = [replace(step) for step in root]
            for goal in range(1, min(request.budget.depth or DEEPEST, DEEPEST) + 1):
                improved.clear()
                self._deepen((board, own, foe), root, goal, most, improved)
                root.sort(key=_rank, reverse=True)
                finished, depth = [replace(step) for step in root], goal
                if request.report is not None:
                    request.report(*self._taken(root, most, depth))
                if all(step.settled(depth) for step in root[:most]):
                    break
        except BudgetExhausted:
            _take_up(root, finished, improved[-1] if most == 1 and improved else 0)
        return self._taken(root, most, depth)

    def _taken(self, root: Sequence[_RootStep], most: int, depth: int) -> tuple[int, int, Lines]:
        return depth, self._nodes, [(step.score, step.line or (step.step,)) for step in root[:most]]

    def _glance(self, board: SideBoard, own: int, foe: int, step: int) -> int:
        own, foe = own ^ step, foe & ~step
        if own & board.goal[0]:
            return 1 - WIN if self._misere else WIN - 1
        sure = board.foe.certain(foe, own, misere=self._misere)
        if sure:
            return 1 - sure if sure > 0 else -sure - 1  # seen from one ply before
        return -self._score(foe, own, up=not board.up)

    def _deepen(
        self, here: _Node, root: Sequence[_RootStep], depth: int, most: int, improved: list[int]
    ) -> None:
        board, own, foe = here
        best: list[int] = []
        for step in root:
            mine, theirs = own ^ step.step, foe & ~step.step
            if len(best) == most and step.lost and step.score <= best[-1]:
                continue
            if len(best) < most:
                if most == 1 and depth >= 4 and abs(step.score) < PROVED:
                    score = self._aspire(board, mine, theirs, depth, step.score)
                else:
                    score = -self._search(board.foe, theirs, mine, -ENDLESS, ENDLESS, depth - 1, 1, True)
            else:
                alpha = best[-1] if abs(best[-1]) >= PROVED else best[-1] - step.bonus
                score = -self._search(board.foe, theirs, mine, -alpha - 1, -alpha, depth - 1, 1, True)
                if score > alpha:
                    score = -self._search(board.foe, theirs, mine, -ENDLESS, -alpha, depth - 1, 1, True)
                if score <= alpha:
                    step.score = score if score <= -PROVED else min(score, alpha)
                    step.exact = False
                    continue
            step.score, step.exact = score, True
            step.line = (step.step, *self._line(board.foe, theirs, mine, depth - 1))
            best.append(step.rank)
            best.sort(reverse=True)
            del best[most:]
            improved.append(step.step)

    def _aspire(self, board: SideBoard, mine: int, theirs: int, depth: int, guess: int) -> int:
        # How soon a refuted step loses is not asked: the others get the time.
        low, high, width = guess - _WINDOW, guess + _WINDOW, 3 * _WINDOW
        while True:
            score = -self._search(board.foe, theirs, mine, -high, -low, depth - 1, 1, True)
            if score <= -PROVED:
                return score
            if score <= low > -ENDLESS:
                low = -ENDLESS if width > 2000 else guess - width
            elif score >= high < ENDLESS:
                high = ENDLESS if width > 2000 else guess + width
            else:
                return score
            width *= 4

    def _line(self, board: SideBoard, own: int, foe: int, depth: int) -> list[int]:
        line: list[int] = []
        while depth > 0 and not foe & board.foe.goal[0]:
            entry = self._table.get((own << self._shift | foe) << 1 | board.up)
            if entry is None or not entry[3]:
                break
            step = entry[3]
            line.append(step)
            own, foe, board, depth = foe & ~step, own ^ step, board.foe, depth - 1
        return line

    def _follows(self, own: int, foe: int, *, up: bool) -> bool:
        """Return whether a match that stood where the last search began stands here two plies later.

        It then goes on with what it remembers. Anything else forgets: what a search finds depends on its match alone.
        """

        def stepped(before: int, now: int, *, up: bool) -> bool:
            came, gone = now & ~before, before & ~now
            ahead = gone << self._stride if up else gone >> self._stride
            return came.bit_count() == 1 and bool(came & (ahead | ahead << 1 | ahead >> 1))

        was_own, was_foe, was_up = self._last
        return was_up is up and stepped(was_own, own, up=up) and stepped(was_foe, foe, up=not up)

    def _begin(self, nodes: int | None, stopped: Callable[[], bool]) -> None:
        self._history.clear()
        self._killers = [0] * (2 * DEEPEST + 64)
        self._nodes = 0
        self._limit = nodes if nodes is not None else 1 << 62
        self._look_at = min(256, self._limit)
        self._stopped = stopped

    def _look(self) -> None:
        if self._nodes >= self._limit or self._stopped():
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
        standing = 0 if hot else self._score(own, foe, up=board.up)
        self._stands[ply] = ENDLESS if hot else standing
        rising = not hot and ply >= 2 and standing > self._stands[ply - 2]  # since the side's last step
        judged = not full and not hot and not misere and -PROVED < beta < PROVED
        if judged:
            if depth <= _AHEAD_DEPTH and standing - _AHEAD * (depth - rising) >= beta:
                return standing
            if may_pass and depth >= 3 and standing >= beta:
                # Even if it were the opponent's turn again: steps seldom hurt the side that makes them.
                less = 3 + depth // 4 + min(3, (standing - beta) // _AHEAD)
                score = -self._search(enemy, foe, own, -beta, 1 - beta, depth - less, ply + 1, False)
                if score >= beta:
                    return beta if score >= PROVED else score

        steps, left_out = self._candidates(board, own, foe, threats, arrivals)
        self._sort(steps, foe, hinted, ply)
        best = -ENDLESS if not left_out else ply + (2 if threats else 4) - WIN
        best_step = 0
        before = alpha
        tried = 0
        near = board.goal[0] | board.goal[1] | board.goal[2] | board.goal[3]
        history = self._history
        for step in steps:
            quiet = not (hot or step & foe or step & near)
            if quiet and judged and tried and best > -PROVED:
                hope = standing + _MARGIN * depth + 60
                if depth <= 3 and hope <= alpha:
                    best = max(best, hope)
                    continue
                if depth <= _LATE_DEPTH and tried > (4 + 2 * depth * depth) // (1 if rising else 2):
                    best = max(best, min(standing, alpha))
                    continue
            mine, theirs = own ^ step, foe & ~step
            if not tried:
                score = -self._search(enemy, theirs, mine, -beta, -alpha, depth - 1, ply + 1, True)
            else:
                less = 0
                # Where `alpha` is a win, only a quicker one would do.
                if depth >= 3 and tried >= 3 and alpha < PROVED and not (hot or step & near):
                    if quiet:
                        less = 1 + (tried >= 9) + (depth >= 6) + (not rising) - full
                    elif not full and step & foe & enemy.hits(foe):
                        less = 1
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
        # Captures until nothing hangs, and answers to a man about to arrive. In misère any capture but home may be good,
        # and nothing is urgent.
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


def _take_up(root: list[_RootStep], finished: Sequence[_RootStep], improved: int) -> None:
    # What an unfinished depth has proved stays proved, and a better first step that it has found is taken; all other scores
    # are those of the depth before. A refuted step comes after all that are not.
    before = {step.step: step for step in finished}
    root[:] = [
        step if abs(step.score) >= PROVED or step.step == improved else before.get(step.step, step)
        for step in root
    ]
    root.sort(key=lambda step: (step.step == improved and not step.lost, step.rank), reverse=True)


class PythonEngine(BreakthroughEngine):
    """Boards of any size, both variants, nothing to build."""

    name = "breakthrough-python"
    kind = EngineKind.PYTHON

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        # The pattern sums are kept for the boards that are played most.
        self._searches = lru_cache(maxsize=4)(PrincipalVariationSearch)
        self._solvers = lru_cache(maxsize=1)(Solver)

    def forget(self) -> None:
        self._searches.cache_clear()
        self._solvers.cache_clear()

    def _solved(
        self, position: BreakthroughPosition, stopped: Callable[[int], bool]
    ) -> tuple[int, Sequence[int]] | None:
        return self._solvers(position.options).solve(position, stopped)

    def _prepare(self, options: Options) -> None:
        self._searches(options)

    def _search(self, request: SearchRequest) -> tuple[int, int, Lines]:
        return self._searches(request.position.options).search(request)

    def _step(self, move: Move, grid: Grid) -> int:
        return bit(grid, move.start) | bit(grid, move.end)
