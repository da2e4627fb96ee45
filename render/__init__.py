"""Diagrams made visible. Sees the rules' contract only, and no game by name."""

from render.emoji import EMOJI, PHONE_LINE, emoji_board, fits
from render.text import (
    ASCII,
    PHONE_COLUMNS,
    Alphabet,
    Group,
    Rim,
    areas,
    ascii_board,
    pieces,
    rows,
    seat_symbol,
    seat_symbols,
)

__all__ = [
    "ASCII",
    "EMOJI",
    "PHONE_COLUMNS",
    "PHONE_LINE",
    "Alphabet",
    "Group",
    "Rim",
    "areas",
    "ascii_board",
    "emoji_board",
    "fits",
    "pieces",
    "rows",
    "seat_symbol",
    "seat_symbols",
]
