"""Klopodavka's legal actions beside two versions on sets, at the same positions of the middle game.

`reach` is the generator itself, on integers. The `Position` API works reach out while it plays, so listing the moves
of a position that is already there would cost next to nothing: it is measured playing on, and listing after each ply.

`SetKlopodavka` is written straight from the rules, on sets of (file, rank). `QuickSets` has a table of neighbours and joins
whole sets at once, which is about as far as sets go. Both know the standard game only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final, Self, TypeAlias

from bench.measure import Budget, Goal, Row, Side, interleaved
from bench.playouts import Playout, playouts
from rules.klopodavka import GAME, KlopodavkaPosition, Move
from rules.klopodavka.reach import reach

Cell: TypeAlias = tuple[int, int]

_STEPS = [(file, rank) for file in (-1, 0, 1) for rank in (-1, 0, 1) if file or rank]


class SetKlopodavka:
    """A game that goes on.

    Attributes:
        files: How wide the board is.
        ranks: How high it is.
        actions: How many make a turn.
        bugs: The live bugs of each seat.
        walls: The walls that each seat has made.
        seat: Who is to act.
        left: How many actions the turn still has.
    """

    def __init__(
        self,
        size: tuple[int, int],
        actions: int,
        *,
        bugs: Sequence[set[Cell]],
        walls: Sequence[set[Cell]],
        seat: int,
        left: int,
    ) -> None:
        self.files, self.ranks = size
        self.actions = actions
        self.bugs = list(map(set, bugs))
        self.walls = list(map(set, walls))
        self.seat = seat
        self.left = left

    def copy(self) -> Self:
        """Another game that stands as this one does."""
        return type(self)(
            (self.files, self.ranks),
            self.actions,
            bugs=self.bugs,
            walls=self.walls,
            seat=self.seat,
            left=self.left,
        )

    def around(self, cell: Cell) -> set[Cell]:
        """The cells that touch a cell by a side or a corner."""
        file, rank = cell
        return {
            (file + across, rank + up)
            for across, up in _STEPS
            if 0 <= file + across < self.files and 0 <= rank + up < self.ranks
        }

    def chain(self, seat: int) -> set[Cell]:
        """A seat's live bugs, and its walls that are linked to one of them by its walls."""
        chain = set(self.bugs[seat])
        todo = list(chain)
        while todo:
            linked = (self.around(todo.pop()) & self.walls[seat]) - chain
            chain |= linked
            todo += linked
        return chain

    def reach(self, seat: int) -> set[Cell]:
        """The cells that a seat can act on: they touch its chain, and hold no bug of its own and no wall."""
        touched = {near for cell in self.chain(seat) for near in self.around(cell)}
        return touched.difference(self.bugs[seat], *self.walls)

    def legal(self) -> list[tuple[Cell, bool]]:
        """Every legal action of the seat to act: the cell, and whether it crushes the bug there."""
        live = set().union(*self.bugs)
        return [(cell, cell in live) for cell in self.reach(self.seat)]

    def act(self, cell: Cell) -> None:
        """Put a bug on a cell, or crush the one that is there."""
        for bugs in self.bugs:
            if cell in bugs:
                bugs.remove(cell)
                self.walls[self.seat].add(cell)
                break
        else:
            self.bugs[self.seat].add(cell)
        self.left -= 1
        if not self.left:
            self.seat = (self.seat + 1) % len(self.bugs)
            self.left = self.actions


class QuickSets(SetKlopodavka):
    """The same with neighbours from a table, and whole sets joined at once where the plain one goes cell by cell."""

    def reach(self, seat: int) -> set[Cell]:
        """The cells that a seat can act on."""
        around, own = _table(self.files, self.ranks), self.bugs[seat]
        unlinked = set(self.walls[seat])
        touched: set[Cell] = set()
        front = own
        while front:
            near = set().union(*(around[cell] for cell in front))
            touched |= near
            front = near & unlinked
            unlinked -= front
        return touched.difference(own, *self.walls)


@lru_cache(maxsize=8)
def _table(files: int, ranks: int) -> dict[Cell, set[Cell]]:
    board = SetKlopodavka((files, ranks), 1, bugs=(), walls=(), seat=0, left=1)
    return {(file, rank): board.around((file, rank)) for file in range(files) for rank in range(ranks)}


INTEGERS: Final = Goal(at_least=25)
POSITIONS: Final = Goal(at_least=12.5)

BOARDS: Final[Mapping[str, Mapping[str, str]]] = {
    "10x10": {"board": "10x10", "actions": "3"},
    "20x30": {"board": "20x30", "actions": "4"},
}
SETS: Final[Mapping[str, type[SetKlopodavka]]] = {"plain sets": SetKlopodavka, "quick sets": QuickSets}

_GAMES: Final = 6
_STRETCH: Final = 12
"""Plies that are played on from each position: whole turns of both sides, with three actions and with four."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some plies of the middle game, from the same position on bitboards and on sets."""

    position: KlopodavkaPosition
    sets: SetKlopodavka
    moves: tuple[Move, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """Something done on bitboards and on sets; each function returns how many units of it that was."""

    what: str
    unit: str
    name: str
    ours: Callable[[Sequence[Stretch]], int]
    theirs: Callable[[Sequence[Stretch]], int]
    goal: Goal


def rows(budget: Budget) -> Sequence[Row]:
    """For each board and version on sets: the generators, and playing with listing."""
    found: list[Row] = []
    for board, chosen in BOARDS.items():
        games = list(islice(playouts(GAME, chosen, least=8 * _STRETCH), _GAMES))
        stretches = {peer: _stretches(games, kind) for peer, kind in SETS.items()}
        for each in stretches.values():
            _compare(each)
        for work in _WORKS:
            found += _rows(board, work, stretches, budget)
    return found


def _rows(board: str, work: Work, stretches: Mapping[str, Sequence[Stretch]], budget: Budget) -> list[Row]:
    each = next(iter(stretches.values()))
    units = work.ours(each)
    measured, *peers = interleaved(
        [
            Side(work.name, partial(work.ours, each), units),
            *(Side(peer, partial(work.theirs, on_sets), units) for peer, on_sets in stretches.items()),
        ],
        budget,
    )
    return [
        Row(f"{board} {work.what}", work.unit, measured, peer, rate=False, goal=work.goal) for peer in peers
    ]


# The work


def _reach_on_integers(stretches: Sequence[Stretch]) -> int:
    for stretch in stretches:
        ruleset, occupancy, seat, *_ = stretch.position.state
        reach(ruleset, occupancy, seat)
    return len(stretches)


def _reach_on_sets(stretches: Sequence[Stretch]) -> int:
    for stretch in stretches:
        stretch.sets.reach(stretch.sets.seat)
    return len(stretches)


def _play_positions(stretches: Sequence[Stretch]) -> int:
    for stretch in stretches:
        position = stretch.position
        for move in stretch.moves:
            position = position.play(move)
            position.legal_moves()
    return len(stretches) * _STRETCH


def _play_sets(stretches: Sequence[Stretch]) -> int:
    for stretch in stretches:
        sets = stretch.sets.copy()
        for cell in stretch.cells:
            sets.act(cell)
            sets.legal()
    return len(stretches) * _STRETCH


_WORKS: Final = (
    Work("reach", "position", "integers", _reach_on_integers, _reach_on_sets, INTEGERS),
    Work("play and list", "ply", "Position", _play_positions, _play_sets, POSITIONS),
)


# The same positions on both sides


def _stretches(games: Sequence[Playout], kind: type[SetKlopodavka]) -> list[Stretch]:
    """What is played from the quarters of each game: there are bugs and walls, and all seats are in."""
    found = []
    for game in games:
        count = len(game.moves)
        for first in (count // 4, count // 2, 3 * count // 4):
            position: Any = game.positions[first]
            moves = game.moves[first : first + _STRETCH]
            found.append(Stretch(position, _on_sets(position, kind), moves, tuple(map(_cell, moves))))
    return found


def _on_sets(position: KlopodavkaPosition, kind: type[SetKlopodavka]) -> SetKlopodavka:
    grid, occupancy = position.options.board, position.occupancy

    def cells(bits: int) -> set[Cell]:
        return {(square.file, square.rank) for square in position.ruleset.board.listed(bits)}

    return kind(
        (grid.files, grid.ranks),
        position.options.actions,
        bugs=list(map(cells, occupancy.bugs)),
        walls=list(map(cells, occupancy.walls)),
        seat=position.seat,
        left=position.plies_left,
    )


def _cell(move: Move) -> Cell:
    return move.square.file, move.square.rank


def _compare(stretches: Sequence[Stretch]) -> None:
    """Make sure that both versions agree wherever they are measured.

    Raises:
        ValueError: they do not.
    """
    for stretch in stretches:
        position, sets = stretch.position, stretch.sets.copy()
        for move in (None, *stretch.moves):
            if move is not None:
                position = position.play(move)
                sets.act(_cell(move))
            ruleset, occupancy, seat, *_ = position.state
            reached = {
                (square.file, square.rank) for square in ruleset.board.listed(reach(ruleset, occupancy, seat))
            }
            listed = {(_cell(legal), legal.crush) for legal in position.legal_moves()}
            if sets.seat != seat or sets.reach(seat) != reached or set(sets.legal()) != listed:
                raise ValueError(f"the sets disagree at {position!r}")
