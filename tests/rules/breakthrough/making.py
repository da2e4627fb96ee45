"""Positions and moves for the tests, from texts."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from rules.breakthrough import GAME, BreakthroughPosition, Move
from rules.breakthrough.options import Options
from rules.core import Square


def options(board: str = "8x8", variant: str = "classic") -> Options:
    """A kind of Breakthrough."""
    return GAME.choose({"board": board, "variant": variant})


def start(board: str = "8x8", variant: str = "classic") -> BreakthroughPosition:
    """The start on a board."""
    return GAME.start(options(board, variant))


def position(text: str, variant: str = "classic") -> BreakthroughPosition:
    """The position of a text; the board is as large as the text says."""
    ranks = text.split(" ", 1)[0].split("/")
    numbers = "".join(c if c.isdigit() else " 1 " if c in "wb" else " " for c in ranks[0]).split()
    return GAME.notation.parse_position(text, options(f"{sum(map(int, numbers))}x{len(ranks)}", variant))


def played(position: BreakthroughPosition, *texts: str) -> BreakthroughPosition:
    """The position after some typed moves."""
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
small_boards = st.builds("{}x{}".format, st.integers(2, 9), st.integers(4, 9))
variants = st.sampled_from(["classic", "misere"])


@st.composite
def positions(draw: st.DrawFn, sizes: st.SearchStrategy[str] = boards) -> BreakthroughPosition:
    """A position from a random game, of any length, on any board."""
    position = start(draw(sizes), draw(variants))
    grid = position.options.grid
    # Each ply takes a man one rank ahead, so no game is longer than all men's ways together.
    longest = 4 * grid.files * (grid.ranks - 1)
    return some_way_on(position, draw(st.integers(0, 2**32)), draw(st.integers(0, longest)))[-1]
