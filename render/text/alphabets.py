"""The alphabets of text boards: plain ASCII for a font of equal widths, and emoji.

A cell is a mark, a piece and a bracket: `+a` a bug has come, `[a]` a bug on a base, ` 3).` candidate 3 on an empty
cell. A board too wide for its line gives up brackets, labels and marks, in this order, and notes them below instead.

Boards as a grid of emoji, for chats in any font: one emoji a cell, coordinates on the right and below.

Ranks stand on the right as plain numbers, where their width moves nothing. What a cell cannot show is noted below.
All symbols of cells are wide single characters with emoji presentation by default, so that no client and no terminal
draws one of them narrower than the rest. Meanings are told by shape as well as by colour, and were looked at on dark
and light ground: the plain white and black circles, which vanish on one of them, are not among the pieces.
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
    Element,
    ElementKind,
    LegendEntry,
    Rim,
    SquareElements,
    TextBoard,
    cells,
    draw,
    footer,
    left_over,
    legend,
    per_seat,
    rims,
    rows,
)
from rules.core import Diagram, Kind, Seat, Sign, Square, Zone

PHONE_COLUMNS: Final = 36
"""Characters of a code block that stand in one line on a phone."""

EMPTY_ASCII: Final = "."

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
        piece = ASCII.symbol(cell.piece.what, cell.piece.owner) if cell.piece else EMPTY_ASCII
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


PHONE_LINE: Final = 13
"""Emoji that stand in one line of a chat on a phone."""

EMPTY: Final = ("\N{BLACK MEDIUM SMALL SQUARE}", "\N{WHITE MEDIUM SMALL SQUARE}")
"""Squares where nothing is: the shade of a1, and the other. One of the two shows on any ground."""

APART: Final = "\N{ZERO WIDTH SPACE}"
"""Between the letters below the board: two of them in a row would be a country's flag."""

_NOTHING: Final = CellText("")
_LETTER_A: Final = ord("\N{REGIONAL INDICATOR SYMBOL LETTER A}")


EMOJI: Final = Alphabet(
    # In the colours of the pictures. A live bug is a creature, and its wall a thing; the last seat is black or white there.
    pieces=per_seat(Kind.TILE, "🟧🔵🟩💜🔺🟫🧡🟪💚🔻", "🔳")
    | per_seat(Kind.DISC, "🍏🍋🍒🍑🥝🥥🍉🍈🍐🍊", "⭕")
    | per_seat(Kind.MAN, "🌕🟣🏀🎾🏈🥎🏐🎱⚽🏉", "🗿")
    | per_seat(Kind.BUG, "🐞🦋🐝🐸🐷🦊🐻🐳🐭🐼", "🐾")
    | per_seat(Kind.WALL, "🟥🔷🍯🌲🌸🎃📦🧊🪨🎹", "🧱"),
    zones={Zone.PAINTED: "🟨", Zone.BASE: "🏠", Zone.HEADQUARTERS: "🏰", Zone.GOAL: "🏁"},
    signs={Sign.LEFT: "💨", Sign.ENTERED: "📍", Sign.CRUSHED: "💥", Sign.PICKED: "✅", Sign.CANDIDATE: "❓"},
    rims={Rim.JOINED_FILES: "↔️", Rim.JOINED_RANKS: "↕️", Rim.OUT: "💀"},
)

TOGETHER: Final[Mapping[tuple[ElementKind, Kind, Seat | None], str]] = {
    (Sign.ENTERED, Kind.MAN, Seat.S1): "🌝",
    (Sign.ENTERED, Kind.MAN, Seat.S2): "🔮",
    (Zone.PAINTED, Kind.TILE, Seat.S1): "🔶",
    (Zone.PAINTED, Kind.TILE, Seat.S2): "💠",
    (Zone.PAINTED, Kind.DISC, None): "🎯",
}
"""A piece and a sign or a zone in one symbol: the same thing in another guise."""

NUMBERS: Final[Mapping[str, str]] = {
    **{
        str(digit): f"{digit}\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}"
        for digit in range(1, 10)
    },
    "10": "\N{KEYCAP TEN}",
}
"""The labels of candidates that are emoji; others are noted."""


def emoji_board(diagram: Diagram, *, flipped: bool = False) -> TextBoard:
    """The board as emoji; `flipped` is how the side at the top sees it. Ask `fits` first."""
    told = cells(diagram)
    drawn = draw(told, _cell)
    notes = left_over(diagram, told, drawn)
    board = rows(diagram.grid, flipped=flipped)
    lines = [
        "".join([drawn.get(at, _NOTHING).text or EMPTY[(at.file + at.rank) % 2] for at in row])
        + f" {row[0].rank + 1}"
        for row in board
    ]
    letters = APART.join(chr(_LETTER_A + square.file) for square in board[0])
    edges = "".join(EMOJI.rims[rim] for rim in rims(diagram))
    above = (*emoji_board(diagram.first, flipped=flipped).rows, "") if diagram.first else ()
    return TextBoard(
        rows=(*above, *lines, f"{letters} {edges}".rstrip(" ")),
        notes=notes,
        footer=tuple(line.replace(GLUE, " ") for line in footer(diagram, notes, EMOJI)),
        legend=legend(diagram, drawn.values(), notes, EMOJI),
    )


def fits(diagram: Diagram, *, line: int = PHONE_LINE, limit: int = MESSAGE) -> bool:
    """Whether the board as emoji stands in one message, in lines of `line` emoji.

    A rank's number takes the place of one emoji, and so does each sign of joined edges in the line below.
    """
    grid = diagram.grid
    if grid.files + max(1, len(rims(diagram))) > line:
        return False
    # At the most, and far below the limit as a rule: 3 units for a cell or a letter, 4 for a rank's number, and 20
    # for a note with its square, of which a mark can make two (itself and the piece it hides).
    told = 2 * len(diagram.marks) + sum(len(area.cells) for area in diagram.areas) + len(diagram.out)
    if (grid.ranks + 1) * (3 * grid.files + 4) + 20 * told <= limit:
        return True
    return len(emoji_board(diagram).text.encode("utf-16-le")) // 2 <= limit


def _cell(cell: SquareElements) -> CellText:
    first = cell.signs[0] if cell.signs else None
    if first and (first.what is Sign.CANDIDATE or first.what is Sign.PICKED):
        return _choice(cell, first)
    if cell.piece:
        return _piece(cell, cell.piece)
    over = first or cell.zone
    if over is None:
        return CellText(_NOTHING.text, _without(cell))
    symbol = EMOJI.symbol(over.what, None)
    return CellText(symbol, _without(cell, over if _plain(over) else None), (LegendEntry(symbol, over.what),))


def _choice(cell: SquareElements, sign: Element) -> CellText:
    if sign.what is Sign.CANDIDATE and sign.label in NUMBERS:
        return CellText(NUMBERS[sign.label], _without(cell, sign))
    symbol = EMOJI.symbol(sign.what, None)
    return CellText(symbol, _without(cell, sign if _plain(sign) else None), (LegendEntry(symbol, sign.what),))


def _piece(cell: SquareElements, piece: Element) -> CellText:
    kind = Kind(piece.what)
    for over in (*cell.signs, *cell.zones):
        symbol = TOGETHER.get((over.what, kind, piece.owner))
        if symbol and _plain(over):
            return CellText(
                symbol, _without(cell, piece, over), (LegendEntry(symbol, over.what, piece.owner, kind),)
            )
    symbol = EMOJI.symbol(kind, piece.owner)
    return CellText(symbol, _without(cell, piece), (LegendEntry(symbol, kind, piece.owner),))


def _plain(over: Element) -> bool:
    """Whether a sign or a zone has no owner or label, of which a single symbol could tell nothing."""
    return over.owner is None and not over.label


def _without(cell: SquareElements, *shown: Element | None) -> tuple[Element, ...]:
    """What of a cell is hidden when this is shown."""
    return tuple(fact for fact in cell if fact not in shown)
