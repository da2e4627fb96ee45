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
