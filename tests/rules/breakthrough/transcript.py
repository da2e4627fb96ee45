"""A game as a page to read: what was typed, what came of it, and the board after each move."""

from __future__ import annotations

import re

from rules.breakthrough import GAME, BreakthroughPosition
from rules.core import AmbiguousMove, Highlights, RulesError, Sign, Square

_TYPED = re.compile(r"^(?:white|black)> (.*)$", re.MULTILINE)
_SIDES = ("white", "black")


def rewrite(page: str) -> str:
    """The same page made again from its heading, its options and what was typed."""
    heading, options, *_ = page.split("\n", 2)
    position = GAME.start(GAME.choose(dict(word.split(":") for word in options.split()[1:])))
    lines = [heading, options, "", *_board(position, {})]
    for typed in _TYPED.findall(page):
        lines += ["", f"{_SIDES[position.to_move]}> {typed}"]
        try:
            (move,) = GAME.notation.parse(typed, position)
        except AmbiguousMove as refused:
            lines.append(f"  {' or '.join(map(str, refused.candidates))}?")
            continue
        except RulesError as refused:
            lines.append(f"  {refused}")
            continue
        diagram = GAME.draw(position.play(move), Highlights(last=(move,), before=position))
        marks = {mark.square: "x" if mark.sign is Sign.CRUSHED else "." for mark in diagram.marks}
        lines.append(f"  {move}, {GAME.say(position, move).key.rpartition('.')[2]}")
        position = position.play(move)
        lines += _board(position, marks)
    if outcome := position.outcome:
        lines += ["", f"{outcome.reason.value}: {_SIDES[outcome.winners[0]]} wins"]
    else:
        lines += ["", f"{_SIDES[position.to_move]} to move: {' '.join(map(str, position.legal_moves()))}"]
    return "\n".join(lines) + "\n"


def _board(position: BreakthroughPosition, marks: dict[Square, str]) -> list[str]:
    """Ranks from the top; a mark stands after its square: `.` left or entered, `x` where a man was taken."""
    grid = position.options.grid
    rows = []
    for rank in reversed(range(grid.ranks)):
        squares = [Square(file, rank) for file in range(grid.files)]
        cells = (_man(position, square) + marks.get(square, " ") for square in squares)
        rows.append(f"{rank + 1:4} {''.join(cells)}".rstrip())
    rows.append("     " + " ".join(chr(97 + file) for file in range(grid.files)))
    return [*rows, f"     {GAME.notation.format_position(position)}"]


def _man(position: BreakthroughPosition, square: Square) -> str:
    owner = position.at(square)
    return "-" if owner is None else "WB"[owner]
