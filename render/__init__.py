"""Diagrams made visible. Sees the rules' contract only, and no game by name."""

from render.text.alphabets import ASCII, EMOJI, PHONE_COLUMNS, PHONE_LINE, ascii_board, emoji_board, fits
from render.text.board import Alphabet, Group, Rim, areas, pieces, rows, seat_symbol, seat_symbols

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
