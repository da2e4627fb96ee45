"""Boards as a grid of emoji, for chats in any font: one emoji a cell, coordinates on the right and below.

Ranks stand on the right as plain numbers, where their width moves nothing. What a cell cannot show is noted below.
All symbols of cells are wide single characters with emoji presentation by default, so that no client and no terminal
draws one of them narrower than the rest. Meanings are told by shape as well as by colour, and were looked at on dark
and light ground: the plain white and black circles, which vanish on one of them, are not among the pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from render.text import (
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
from rules.core import Diagram, Kind, Seat, Sign, Zone

PHONE_LINE: Final = 13  # emoji that stand in one line of a chat on a phone

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
    **{chr(ord("A") + at): f"{chr(_LETTER_A + at)}{APART}" for at in range(26)},
}
"""The labels of candidates that are emoji, numbers and letters; others are noted."""


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
    over = cell.signs[0] if cell.signs else None
    if over and over.what is Sign.CANDIDATE and over.label in NUMBERS:
        return CellText(NUMBERS[over.label], _without(cell, over))
    if cell.piece and not (over and over.what in {Sign.CANDIDATE, Sign.PICKED}):
        return _piece(cell, cell.piece)
    over = over or cell.zone
    if over is None:
        return CellText(_NOTHING.text, _without(cell))
    symbol = EMOJI.symbol(over.what, None)
    return CellText(symbol, _without(cell, over if _plain(over) else None), (LegendEntry(symbol, over.what),))


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
    return tuple(fact for fact in cell if fact not in shown)
