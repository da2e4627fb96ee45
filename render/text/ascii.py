"""Boards in plain ASCII, for a font of equal widths.

A cell is a mark, a piece and a bracket: `+a` a bug has come, `[a]` a bug on a base, ` 3).` candidate 3 on an empty
cell. A board too wide for its line gives up brackets, labels and marks, in this order, and notes them below instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from render.text.board import (
    GLUE,
    MESSAGE,
    Alphabet,
    CellText,
    LegendEntry,
    TextBoard,
    draw,
    footer,
    left_over,
    legend,
    per_seat,
)
from render.text.elements import Element, Rim, SquareElements, cells, rows
from rules.core import Diagram, Kind, Sign, Square, Zone

PHONE_COLUMNS: Final = 36
"""Characters of a code block that stand in one line on a phone."""

EMPTY: Final = "."

_WIDE: Final = 10  # files beyond which a row is hard to follow from the left edge alone
_TALL: Final = 16  # ranks, likewise


ASCII: Final = Alphabet(
    # Numbers for tiles as the L-game's sheets have them; a capital is the wall of the same letter's bug; an open
    # and a filled ring for the two sides with men, which needs no language.
    pieces=per_seat(Kind.TILE, "1234567890", "%")
    | per_seat(Kind.DISC, "kmnpqrstuw", "o")
    | per_seat(Kind.MAN, "O@STUVWXYZ", "&")
    | per_seat(Kind.BUG, "abcdefghij", "z")
    | per_seat(Kind.WALL, "ABCDEFGHIJ", "#"),
    zones={Zone.PAINTED: "::", Zone.BASE: "[]", Zone.HEADQUARTERS: "{}", Zone.GOAL: "=="},
    signs={Sign.LEFT: "-", Sign.ENTERED: "+", Sign.CRUSHED: "x", Sign.PICKED: "*", Sign.CANDIDATE: "?"},
    rims={Rim.JOINED_FILES: "<>", Rim.JOINED_RANKS: "^v", Rim.OUT: "!"},
)


@dataclass(frozen=True, slots=True)
class _Form:
    """How many columns a cell has before its piece (for marks) and after it (for brackets)."""

    lead: int
    trail: int

    def width(self, diagram: Diagram) -> int:
        """The length of a rank's line, at the most."""
        margin = len(str(diagram.grid.ranks))
        sides = 1 + diagram.joined_files + (1 + margin if diagram.grid.files > _WIDE else 0)
        return margin + sides + diagram.grid.files * (self.lead + 1 + self.trail)

    def cell(self, cell: SquareElements) -> CellText:
        """A cell in this form."""
        piece = ASCII.symbol(cell.piece.what, cell.piece.owner) if cell.piece else EMPTY
        shown: list[Element] = []
        entries: list[LegendEntry] = []
        if cell.piece:
            shown.append(cell.piece)
            entries.append(LegendEntry(piece, cell.piece.what, cell.piece.owner))
        lead, trail = "", ""
        if self.trail and (zone := cell.zone):
            brackets = ASCII.symbol(zone.what, None)
            lead, trail = brackets[0], brackets[1]
            entries.append(LegendEntry(brackets, zone.what))
            if zone.owner is None or (cell.piece and zone.owner == cell.piece.owner):
                shown.append(zone)
        if self.lead and cell.signs:
            sign = cell.signs[0]
            numbered = sign.what is Sign.CANDIDATE and sign.label and self.lead > 1
            lead = f"{sign.label})" if numbered else ASCII.symbol(sign.what, None)
            if numbered or not sign.label:
                shown.append(sign)
            if not numbered:
                entries.append(LegendEntry(lead, sign.what))
        text = lead.rjust(self.lead) + piece + trail.ljust(self.trail)
        return CellText(text, tuple(fact for fact in cell if fact not in shown), tuple(entries))


def ascii_board(
    diagram: Diagram, *, flipped: bool = False, columns: int = PHONE_COLUMNS, limit: int = MESSAGE
) -> TextBoard:
    """The board in ASCII, in the fullest form that keeps to `columns` a line and `limit` characters, notes included.

    Some form does if it has at most 26 files and 30 ranks and no more marks than a turn leaves.
    """
    told = cells(diagram)
    *forms, plainest = _forms(told.values())
    for form in forms:
        if form.width(diagram) <= columns:
            board = _board(diagram, told, form, flipped=flipped, columns=columns)
            if len(board.text) <= limit:
                return board
    return _board(diagram, told, plainest, flipped=flipped, columns=columns)


def _forms(told: Collection[SquareElements]) -> Iterator[_Form]:
    """The fullest form first. Labels stand apart from the piece on their left, and end in a bracket."""
    label = max((len(sign.label) for cell in told for sign in cell.signs), default=0)
    leads = (label + 2, 1) if label else (1,)
    trails = (1, 0) if any(cell.zone for cell in told) else (0,)
    yield from (_Form(lead, trail) for lead in leads for trail in trails)
    yield _Form(0, 0)


def _board(
    diagram: Diagram, told: Mapping[Square, SquareElements], form: _Form, *, flipped: bool, columns: int
) -> TextBoard:
    drawn = draw(told, form.cell)
    notes = left_over(diagram, told, drawn)
    wrapped = (
        part.replace(GLUE, " ")
        for line in footer(diagram, notes, ASCII)
        for part in wrap(
            line, columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    )
    above: tuple[str, ...] = ()
    if diagram.first:
        above = (*ascii_board(diagram.first, flipped=flipped, columns=columns).rows, "")
    return TextBoard(
        rows=(*above, *_rows(diagram, form, drawn, flipped=flipped)),
        notes=notes,
        footer=tuple(wrapped),
        legend=legend(diagram, drawn.values(), notes, ASCII),
    )


def _rows(diagram: Diagram, form: _Form, drawn: Mapping[Square, CellText], *, flipped: bool) -> Iterator[str]:
    grid = diagram.grid
    board = rows(grid, flipped=flipped)
    margin = len(str(grid.ranks))
    empty = form.cell(SquareElements())
    left, right = tuple(ASCII.rims[Rim.JOINED_FILES]) if diagram.joined_files else (" ", "")
    above, below = tuple(ASCII.rims[Rim.JOINED_RANKS])

    def rim(symbols: str) -> str:
        row = "".join(" " * form.lead + symbol + " " * form.trail for symbol in symbols)
        return f"{'':{margin}} {row}".rstrip()

    letters = rim("".join(str(square)[0] for square in board[0]))
    if grid.ranks > _TALL:
        yield letters
    if diagram.joined_ranks:
        yield rim(above * grid.files)
    for row in board:
        rank = str(row[0].rank + 1)
        line = f"{rank:>{margin}}{left}{''.join([drawn.get(square, empty).text for square in row])}{right}"
        yield f"{line} {rank:>{margin}}" if grid.files > _WIDE else line.rstrip()
    if diagram.joined_ranks:
        yield rim(below * grid.files)
    yield letters
