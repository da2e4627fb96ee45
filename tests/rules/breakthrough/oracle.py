"""Breakthrough once more, as plainly as it can be put: a dictionary of men. Slow, and right by reading."""

from __future__ import annotations

from dataclasses import dataclass

from rules.breakthrough import BreakthroughPosition

Cell = tuple[int, int]
Step = tuple[Cell, Cell, bool]


@dataclass(frozen=True)
class Board:
    """Men by cell, `w` or `b`; whose move it is; the size of the board; which way round it is won."""

    men: dict[Cell, str]
    to_move: str
    files: int
    ranks: int
    misere: bool

    @property
    def other(self) -> str:
        return "b" if self.to_move == "w" else "w"

    @property
    def winner(self) -> str | None:
        """Who has won: the last rank first, then men."""
        reached = {
            colour
            for (_, rank), colour in self.men.items()
            if rank == (self.ranks - 1 if colour == "w" else 0)
        }
        lost = {"w", "b"} - set(self.men.values())
        if not reached and not lost:
            return None
        ahead = reached.pop() if reached else ({"w", "b"} - lost).pop()
        behind = "b" if ahead == "w" else "w"
        return behind if self.misere else ahead

    def steps(self) -> set[Step]:
        """Every legal move: from, to, and whether it takes a man."""
        if self.winner:
            return set()
        ahead = 1 if self.to_move == "w" else -1
        found = set()
        for (file, rank), colour in self.men.items():
            if colour != self.to_move:
                continue
            for to_file in (file - 1, file, file + 1):
                to = (to_file, rank + ahead)
                if not (0 <= to[0] < self.files and 0 <= to[1] < self.ranks):
                    continue
                holder = self.men.get(to)
                if holder is None or (holder == self.other and to_file != file):
                    found.add(((file, rank), to, holder is not None))
        return found

    def play(self, step: Step) -> Board:
        start, end, _ = step
        men = {cell: colour for cell, colour in self.men.items() if cell != start} | {end: self.to_move}
        return Board(men, self.other, self.files, self.ranks, self.misere)


def start(files: int, ranks: int) -> Board:
    """Two ranks of men on each side."""
    men = {(file, rank): "w" for file in range(files) for rank in (0, 1)}
    men |= {(file, ranks - 1 - rank): "b" for file in range(files) for rank in (0, 1)}
    return Board(men, "w", files, ranks, misere=False)


def perft(board: Board, depth: int) -> int:
    """The number of legal sequences of so many plies."""
    return 1 if depth == 0 else sum(perft(board.play(step), depth - 1) for step in board.steps())


def of(position: BreakthroughPosition) -> Board:
    """The same position, read from what it says of each square."""
    grid = position.options.grid
    holders = {(square.file, square.rank): position.at(square) for square in grid}
    men = {cell: "wb"[seat] for cell, seat in holders.items() if seat is not None}
    misere = position.options.variant == "misere"
    return Board(men, "wb"[position.to_move], grid.files, grid.ranks, misere)
