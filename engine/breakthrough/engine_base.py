"""What both engines share: bitboards of one side with the ends that are certain without search, and results.

Men are bitboards as in the rules: square (file, rank) is bit `rank * (files + 1) + file`, and the spare bit of each rank
is never a square. A step is the two bits it changes, of the man before and after. `board.hpp` and `search.hpp` are the
same in C++.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.breakthrough.evaluation import KINDS, LOGIT, weights_for
from engine.core import (
    SILENT,
    Budget,
    Clock,
    Engine,
    EngineKind,
    GameValue,
    Meter,
    Proof,
    SearchListener,
    SearchResult,
    value_of,
)
from engine.native import load
from rules.breakthrough import BreakthroughPosition, Move, Options, Variant
from rules.core import Grid, Seat

if TYPE_CHECKING:
    from engine.breakthrough import native


WIN: Final = 30000  # the score of a game that is won; each ply to the end takes one off
PROVED: Final = 29000  # scores beyond this, or below its opposite, are certain
_NEVER: Final = 99


class SideBoard:
    """A board as one side sees it."""

    __slots__ = (
        "_columns",
        "_cones",
        "_files",
        "_ranks",
        "_stride",
        "_ways",
        "_wings",
        "foe",
        "goal",
        "squares",
        "up",
    )

    foe: SideBoard  # the board as the other side sees it

    def __init__(self, files: int, ranks: int, *, up: bool) -> None:
        self._files = files
        self._ranks = ranks
        self._stride = stride = files + 1
        self._wings, self._ways = (stride - 1, stride + 1), (stride - 1, stride, stride + 1)
        self.up = up  # whether the side goes to higher ranks: White
        row = (1 << files) - 1
        self.squares = sum(row << rank * stride for rank in range(ranks))  # all squares
        order = range(ranks - 1, -1, -1) if up else range(ranks)
        # The ranks by their distance from the goal, the far rank first.
        self.goal = tuple(row << rank * stride for rank in order)
        self._cones: dict[int, int] = {}
        self._columns: dict[int, int] = {}

    def hits(self, men: int) -> int:
        """Return the squares that men of this side attack."""
        stride = self._stride
        if self.up:
            return (men << stride - 1 | men << stride + 1) & self.squares
        return (men >> stride + 1 | men >> stride - 1) & self.squares

    def captures(self, own: int, prey: int) -> list[int]:
        """Return the steps that take some of the prey, those nearest to their goal first."""
        return sorted(self._entering(own, prey, self._wings), reverse=not self.up)

    def quiets(self, own: int, empty: int) -> list[int]:
        """Return the steps to some empty squares."""
        return self._entering(own, empty, self._ways)

    def _entering(self, own: int, squares: int, ways: tuple[int, ...]) -> list[int]:
        found = []
        for by in ways:
            if self.up:
                targets = own << by & squares
                while targets:
                    low = targets & -targets
                    found.append(low | low >> by)
                    targets ^= low
            else:
                targets = own >> by & squares
                while targets:
                    low = targets & -targets
                    found.append(low | low << by)
                    targets ^= low
        return found

    def steps(self, own: int, foe: int) -> list[int]:
        """Return all legal steps while the game goes on, captures first."""
        return self.captures(own, foe) + self.quiets(own, self.squares ^ own ^ foe)

    def arrivals(self, own: int, foe: int) -> int:
        """Return the squares before the goal that can be entered now without being taken there."""
        runners = own & self.goal[2]
        if not runners:
            return 0
        straight = runners << self._stride if self.up else runners >> self._stride
        entered = self.hits(runners) & ~own | straight & ~(own | foe)
        return entered & self.squares & ~self.foe.hits(foe)

    def nearest(self, men: int) -> int:
        """Return the ranks between the foremost man and the goal."""
        if self.up:
            return self._ranks - 1 - (men.bit_length() - 1) // self._stride
        return ((men & -men).bit_length() - 1) // self._stride

    def runner(self, own: int, foe: int, limit: int) -> int:
        """Return the distance of the foremost man that cannot be stopped, up to `limit` ranks from the goal."""
        for distance in range(self.nearest(own), limit + 1):
            men = own & self.goal[distance]
            while men:
                low = men & -men
                if self.runs(low, own, foe):
                    return distance
                men ^= low
        return _NEVER

    def runs(self, man: int, own: int, foe: int) -> bool:
        """Return whether a man that walks straight on cannot be stopped, even if the opponent moves first."""
        return not foe & self._cone(man) and not own & self._columns[man]

    def _cone(self, man: int) -> int:
        found = self._cones.get(man)
        if found is None:
            found = column = 0
            rank, file = divmod(man.bit_length() - 1, self._stride)
            for ahead in range(1, self._ranks):
                at = rank + ahead if self.up else rank - ahead
                if not 0 <= at < self._ranks:
                    break
                aside = (ahead + 1) // 2
                for near in range(max(0, file - aside), min(self._files - 1, file + aside) + 1):
                    found |= 1 << at * self._stride + near
                column |= 1 << at * self._stride + file
            self._cones[man] = found
            self._columns[man] = column
        return found

    def certain(self, own: int, foe: int, *, misere: bool) -> int:  # noqa: PLR0911 - one for each kind of end
        """Return the certain score for the side to move, with no man on a far rank; 0 if none is certain.

        A man before the goal arrives. An opponent's man there has to be taken at once. A man that enters a square before
        the goal and cannot be taken there wins, and so does a man that cannot be met on its way.
        """
        if not own:
            return WIN if misere else -WIN
        if misere:
            return 0
        if own & self.goal[1]:
            return WIN - 1
        threats = foe & self.foe.goal[1]
        if threats:
            return 2 - WIN if threats & threats - 1 or not self.hits(own) & threats else 0
        if self.arrivals(own, foe):
            return WIN - 3
        mine, theirs = self.nearest(own), self.foe.nearest(foe)
        if mine <= theirs:
            far = self.runner(own, foe, theirs)
            return WIN + 1 - 2 * far if far <= theirs else 0
        far = self.foe.runner(foe, own, mine - 1)
        return 2 * far - WIN if far < mine else 0


@lru_cache(maxsize=64)
def side_boards(files: int, ranks: int) -> tuple[SideBoard, SideBoard]:
    """Return the board as White and as Black sees it."""
    white, black = SideBoard(files, ranks, up=True), SideBoard(files, ranks, up=False)
    white.foe, black.foe = black, white
    return white, black


Lines: TypeAlias = Sequence[tuple[int, Sequence[int]]]  # for each principal variation its score and its steps
_ONLY: Final = 4  # plies to look ahead where there is one legal step


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search."""

    position: BreakthroughPosition  # the root
    budget: Budget  # its depth and nodes; `stopped` watches the time
    most: int  # how many lines are wanted
    seed: int  # chooses between equally good steps
    stopped: Callable[[], bool]  # asked whether to stop
    # Takes depth, nodes and lines of each finished depth; None where no listener follows.
    report: Callable[[int, int, Lines], None] | None


class BreakthroughEngine(Engine[BreakthroughPosition, Move]):
    """An engine that searches Breakthrough. The rules check every step it names."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def fits(self, position: BreakthroughPosition) -> bool:
        """Return whether there are weights for the variant; any board is."""
        return position.options.variant.value in KINDS

    def think(
        self,
        position: BreakthroughPosition,
        budget: Budget,
        *,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> SearchResult[Move]:
        """Return the step it would play; where only one is legal it looks ahead only a little."""
        if len(position.legal_moves()) == 1:
            budget = replace(budget, depth=min(budget.depth or _ONLY, _ONLY))
        return super().think(position, budget, seed=seed, listener=listener)

    def ranked(
        self,
        position: BreakthroughPosition,
        budget: Budget,
        *,
        most: int,
        seed: int = 0,
        listener: SearchListener = SILENT,
    ) -> Sequence[SearchResult[Move]]:
        """Return the best steps. What is proved ends at the latest after the plies told."""
        self.check(position)
        self._prepare(position.options)  # before the time of the search begins
        meter = Meter(budget, self._clock, listener)

        def report(depth: int, nodes: int, lines: Lines) -> None:
            listener.better(self._result(position, *lines[0], depth, nodes))

        depth, nodes, lines = self._search(
            SearchRequest(
                position,
                budget,
                most,
                seed,
                meter.stopped,
                None if listener is SILENT else report,
            )
        )
        return [self._result(position, score, steps, depth, nodes) for score, steps in lines]

    def solve(
        self, position: BreakthroughPosition, budget: Budget, *, listener: SearchListener = SILENT
    ) -> SearchResult[Move] | None:
        """See `Engine`; a depth limits nothing."""
        self.check(position)
        meter = Meter(budget, self._clock, listener)
        found = self._solved(position, lambda made: made >= meter.nodes_left or meter.stopped())
        if found is None:
            return None
        plies, steps = found
        score = WIN - plies if plies > 0 else -plies - WIN
        result = self._result(position, score, steps, abs(plies), 0)
        assert result.proof is not None, "solved"  # noqa: S101
        return replace(result, proof=replace(result.proof, exact=True))

    @abstractmethod
    def _solved(
        self, position: BreakthroughPosition, stopped: Callable[[int], bool]
    ) -> tuple[int, Sequence[int]] | None:
        """Return the plies to the end with best play, negative where the side to move loses, and its steps.

        None if it was stopped, by the positions made so far.
        """

    @abstractmethod
    def _prepare(self, options: Options) -> None:
        """Make what searches a kind of board, where it is not kept."""

    @abstractmethod
    def _search(self, request: SearchRequest) -> tuple[int, int, Lines]:
        """Return depth, nodes and the best lines."""

    @abstractmethod
    def _step(self, move: Move, grid: Grid) -> int:
        """Return a move as a step of a line."""

    def _result(
        self, position: BreakthroughPosition, score: int, steps: Sequence[int], depth: int, nodes: int
    ) -> SearchResult[Move]:
        line = []
        here, grid = position, position.options.grid
        for step in steps:
            move = next((move for move in here.legal_moves() if self._step(move, grid) == step), None)
            if move is None:
                break
            line.append(move)
            here = here.play(move)
        proof = None
        if abs(score) >= PROVED:
            proof = Proof(GameValue.WIN if score > 0 else GameValue.LOSS, WIN - abs(score))
        value = value_of(math.tanh(score / (2 * LOGIT)), proof)
        return SearchResult(tuple(line[:1]), value, proof, tuple(line), depth, nodes, 0, self.name)


VERSION: Final = 2  # the version of the module's interface; a module built from an older source is not used
_MEGABYTES: Final = 32  # of the table of positions, for each kind of board
_LONGEST: Final = 200  # plies of a proof
_KINDS: Final = 3  # kinds of boards that are remembered


class NativeEngine(BreakthroughEngine):
    """Searches with `native.cpp`, which lets other threads run meanwhile."""

    name = "breakthrough-native"
    kind = EngineKind.NATIVE

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._core = lru_cache(maxsize=_KINDS)(core)

    def forget(self) -> None:
        """See `Engine`."""
        self._core.cache_clear()

    def _prepare(self, options: Options) -> None:
        self._core(options)

    def _search(self, request: SearchRequest) -> tuple[int, int, Lines]:
        position, budget, report = request.position, request.budget, request.report
        return self._core(position.options).think(
            *packed(position),
            depth=budget.depth or 0,
            nodes=budget.nodes or 0,
            most=request.most,
            seed=request.seed & (1 << 64) - 1,
            poll=lambda _nodes: request.stopped(),
            report=(lambda answer: report(*answer)) if report is not None else None,
        )

    def _solved(
        self, position: BreakthroughPosition, stopped: Callable[[int], bool]
    ) -> tuple[int, Sequence[int]] | None:
        plies, steps = self._core(position.options).solve(*packed(position), most=_LONGEST, poll=stopped)
        return (plies, steps) if steps else None

    def _step(self, move: Move, grid: Grid) -> int:
        return grid.index(move.start) | grid.index(move.end) << 10 | move.captures << 20


def available() -> bool:
    """Return whether the native core was built and may be used."""
    return load("breakthrough", VERSION) is not None


def core(options: Options, megabytes: int = _MEGABYTES) -> native.Core:
    """Return a native core for a kind of board; ImportError where it was not built."""
    from engine.breakthrough import native  # noqa: PLC0415 - there only where it was built

    grid, of = options.grid, weights_for(options)
    misere = options.variant is Variant.MISERE
    return native.Core(grid.files, grid.ranks, misere, list(of.bricks), list(of.crosses), megabytes)


def packed(position: BreakthroughPosition) -> tuple[int, int, int]:
    """Return White's men and Black's, without the gaps between ranks of the rules; and 0 if White is to move, else 1."""
    grid = position.options.grid
    row = (1 << grid.files) - 1
    white, black = (
        sum((men >> rank * (grid.files + 1) & row) << rank * grid.files for rank in range(grid.ranks))
        for men in position.men
    )
    return white, black, 0 if position.to_move is Seat.S1 else 1
