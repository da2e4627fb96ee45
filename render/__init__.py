"""Diagrams made visible. Sees the rules' contract only, and no game by name."""

from render.text.ascii import ASCII, PHONE_COLUMNS, ascii_board
from render.text.board import Alphabet, seat_symbol, seat_symbols
from render.text.elements import Group, Rim, areas, pieces, rows
from render.text.emoji import EMOJI, PHONE_LINE, emoji_board, fits

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
