"""Boards as people see them, in files to look at. `python -m tests.render.text.golden` writes them anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from render import ascii_board, emoji_board, fits
from rules.core import Area, Diagram, Grid, Kind, Mark, Piece, Seat, Sign, Zone, sq
from tests.render.text.reading import breakthrough, klopodavka, lgame, squares

FOLDER: Final = Path(__file__).parent / "boards"


def _candidates(text: str) -> tuple[Mark, ...]:
    pairs = (pair.split("=") for pair in text.split())
    return tuple(Mark(Sign.CANDIDATE, sq(square), label) for square, label in pairs)


def _headquarters() -> Diagram:
    sides = squares("a4 b4 a5 b5 a6 b6"), squares("i5 j5 i6 j6 i7 j7")
    bugs = [Piece(Kind.BUG, (cell,), Seat(seat)) for seat, cells in enumerate(sides) for cell in cells]
    bugs += [Piece(Kind.BUG, (cell,), Seat.S1) for cell in squares("c5 d6 e7")]
    return Diagram(
        Grid(10, 10),
        (*bugs, Piece(Kind.WALL, squares("f7"), Seat.S1), Piece(Kind.WALL, squares("d5"), Seat.S2)),
        tuple(Area(Zone.HEADQUARTERS, cells, Seat(seat)) for seat, cells in enumerate(sides)),
        (Mark(Sign.ENTERED, sq("e7")), Mark(Sign.CRUSHED, sq("f7"))),
    )


CASES: Final[Mapping[str, Diagram]] = {
    "lgame-start": lgame(moved=False),
    "lgame-turn": lgame(),
    "lgame-painted": lgame(painted=True),
    "lgame-candidates": lgame(marks=_candidates("d4=1,2 d3=3")),
    "breakthrough-turn": breakthrough(),
    "breakthrough-choice": breakthrough(marks=(Mark(Sign.PICKED, sq("d3")), *_candidates("c4=1 d4=2 e4=3"))),
    "breakthrough-goal": replace(
        breakthrough(5, 8), areas=(Area(Zone.GOAL, squares("a8 b8 c8 d8 e8"), Seat.S1),)
    ),
    "klopodavka-two": klopodavka(10, 10, 2, full=0.4),
    "klopodavka-ten": replace(klopodavka(12, 12, 10), out=frozenset({Seat.S4, Seat.S10})),
    "klopodavka-candidates": replace(
        klopodavka(8, 8, 2, full=0.2), marks=_candidates("a1=1 b1=2 c4=9 d4=10 e4=11 h8=12")
    ),
    "klopodavka-headquarters": _headquarters(),
    "klopodavka-cylinder": replace(klopodavka(12, 8, 3), joined_files=True),
    "klopodavka-torus": replace(klopodavka(9, 11, 4), joined_files=True, joined_ranks=True),
    "klopodavka-tournament": klopodavka(20, 30, 4, full=0.3),
    "klopodavka-largest": replace(klopodavka(26, 30, 10), joined_files=True, joined_ranks=True),
}


def page(diagram: Diagram) -> str:
    parts = [ascii_board(diagram).text, ascii_board(diagram, flipped=True).text]
    if fits(diagram):
        parts += [emoji_board(diagram).text, emoji_board(diagram, flipped=True).text]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    for name, diagram in CASES.items():
        (FOLDER / f"{name}.txt").write_text(page(diagram), encoding="utf-8")
