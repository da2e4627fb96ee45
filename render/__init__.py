"""Diagrams made visible. Sees the rules' contract only, and no game by name."""

from render.text.ascii import ASCII, PHONE_COLUMNS, ascii_board
from render.text.board import Alphabet, Entry, TextBoard, seat_symbol, seat_symbols
from render.text.emoji import EMOJI, PHONE_LINE, emoji_board, fits
from render.text.facts import Group, Rim, What, areas, pieces, rows

__all__ = [
    "ASCII",
    "EMOJI",
    "PHONE_COLUMNS",
    "PHONE_LINE",
    "Alphabet",
    "Entry",
    "Group",
    "Rim",
    "TextBoard",
    "What",
    "areas",
    "ascii_board",
    "emoji_board",
    "fits",
    "pieces",
    "rows",
    "seat_symbol",
    "seat_symbols",
]
