"""Breakthrough once more, as plainly as it can be put: a dictionary of men. Slow, and right by reading."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.breakthrough.options import Options
from rules.core import Square

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


def start_board(files: int, ranks: int) -> Board:
    men = {(file, rank): "w" for file in range(files) for rank in (0, 1)}
    men |= {(file, ranks - 1 - rank): "b" for file in range(files) for rank in (0, 1)}
    return Board(men, "w", files, ranks, misere=False)


def perft(board: Board, depth: int) -> int:
    return 1 if depth == 0 else sum(perft(board.play(step), depth - 1) for step in board.steps())


def of(position: BreakthroughPosition) -> Board:
    grid = position.options.grid
    holders = {(square.file, square.rank): position.at(square) for square in grid}
    men = {cell: "wb"[seat] for cell, seat in holders.items() if seat is not None}
    misere = position.options.variant == "misere"
    return Board(men, "wb"[position.to_move], grid.files, grid.ranks, misere)


# Positions and moves for the tests, from texts.


def options(board: str = "8x8", variant: str = "classic") -> Options:
    return GAME.choose({"board": board, "variant": variant})


def start(board: str = "8x8", variant: str = "classic") -> BreakthroughPosition:
    return GAME.start(options(board, variant))


def position(text: str, variant: str = "classic") -> BreakthroughPosition:
    """The position of a text; the board is as large as the text says."""
    ranks = text.split(" ", 1)[0].split("/")
    numbers = "".join(c if c.isdigit() else " 1 " if c in "wb" else " " for c in ranks[0]).split()
    return GAME.notation.parse_position(text, options(f"{sum(map(int, numbers))}x{len(ranks)}", variant))


def played(position: BreakthroughPosition, *texts: str) -> BreakthroughPosition:
    for text in texts:
        (move,) = GAME.notation.parse(text, position)
        position = position.play(move)
    return position


def some_way_on(position: BreakthroughPosition, seed: int, plies: int) -> list[BreakthroughPosition]:
    """A random game: the position, and those after each of up to so many plies."""
    chance = random.Random(seed)
    line = [position]
    while len(line) <= plies and not line[-1].outcome:
        line.append(line[-1].play(chance.choice(line[-1].legal_moves())))
    return line


def every_move(position: BreakthroughPosition) -> list[Move]:
    """Every step that could be asked for: any square to any square, as a capture or not."""
    squares: list[Square] = list(position.options.grid)
    return [Move(start, end, taken) for start in squares for end in squares for taken in (False, True)]


boards = st.builds("{}x{}".format, st.integers(2, 26), st.integers(4, 26))
variants = st.sampled_from(["classic", "misere"])


@st.composite
def positions(draw: st.DrawFn, sizes: st.SearchStrategy[str] = boards) -> BreakthroughPosition:
    """A position from a random game, of any length, on any board."""
    position = start(draw(sizes), draw(variants))
    grid = position.options.grid
    # Each ply takes a man one rank ahead, so no game is longer than all men's ways together.
    longest = 4 * grid.files * (grid.ranks - 1)
    return some_way_on(position, draw(st.integers(0, 2**32)), draw(st.integers(0, longest)))[-1]
