"""Klopodavka's legal actions beside two versions on sets, at the same positions of the middle game.

`reach` is the generator itself, on integers. The `Position` API works reach out while it plays, so listing the moves
of a position that is already there would cost next to nothing: it is measured playing on, and listing after each ply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from bench.measure import Budget, Goal, Row, Side, interleaved
from bench.playouts import Playout, playouts
from bench.set_klopodavka import Cell, QuickSets, SetKlopodavka
from rules.klopodavka import GAME, KlopodavkaPosition, Move
from rules.klopodavka.reach import reach

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
