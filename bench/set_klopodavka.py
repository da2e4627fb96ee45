"""Klopodavka without bitboards: the standard game on sets of (file, rank), twice.

`SetKlopodavka` is written straight from the rules and is meant to be read. `QuickSets` is what becomes of it in the
hands of a programmer who wants it quick and stays with sets. The bitboards of `rules.klopodavka` are measured beside both.
They know legal actions and how to play one; who cannot act is for the caller to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Self, TypeAlias

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
