"""What people type for a turn, read into what they named. Whether it can be played is not asked here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from rules.core import BadNotation, IllegalMove, Spelling, Square, fold_move
from rules.lgame.board import GRID
from rules.lgame.reasons import Refusal

LETTERS: Final = {ord(typed): read for typed, read in zip("лЛнН", "llnn", strict=True)}
"""RULES: in the L-game these two are L and n; elsewhere н looks like h."""

_WORD: Final = re.compile(r"([a-z][0-9]+)|([ln])(?![0-9])|[ ,-]+", re.ASCII)
SHOWN: Final = 40
"""Characters of a text that a refusal repeats."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A neutral's part of a turn; without a start, whichever neutral can go there."""

    start: Square | None
    end: Square


@dataclass(frozen=True, slots=True)
class TypedTurn:
    """What a text names: squares that stand for an L, and what the neutrals do."""

    named: tuple[Square, ...]
    shifts: tuple[Shift, ...]


def read(text: str) -> TypedTurn:
    """What a typed turn asks for.

    `L`, then squares, then perhaps `n` and one or two squares, perhaps twice. Blanks, commas and hyphens separate and
    mean nothing, the leading `L` may be left out, and case does not matter.

    Raises:
        BadNotation: the text is no turn.
        IllegalMove: it moves a neutral before the L, or a neutral only.
    """
    words = _words(fold_move(text, LETTERS), text)
    if words[:1] == ["n"]:
        first = "l" in words or sum(word not in "ln" for word in words) > 2
        raise IllegalMove(Refusal.NEUTRAL_FIRST if first else Refusal.NEUTRAL_ONLY)
    if words[:1] == ["l"]:
        words = words[1:]
    if "l" in words or not words:
        raise BadNotation(Spelling.NOT_A_MOVE, text=text[:SHOWN])
    parts: list[list[Square]] = [[]]
    for word in words:
        if word == "n":
            parts.append([])
        else:
            parts[-1].append(GRID.find(word))
    named, *shifts = parts
    if not 2 <= len(named) <= 4:
        raise BadNotation(Refusal.CELL_COUNT, count=len(named))
    return TypedTurn(tuple(named), tuple(map(_shift, shifts)))


def _words(folded: str, text: str) -> list[str]:
    words, at = [], 0
    while at < len(folded):
        found = _WORD.match(folded, at)
        if not found:
            raise BadNotation(Spelling.NOT_A_MOVE, text=text[:SHOWN])
        if word := found[1] or found[2]:
            words.append(word[:SHOWN])
        at = found.end()
    return words


def _shift(part: list[Square]) -> Shift:
    if len(part) == 1:
        return Shift(None, part[0])
    if len(part) == 2:
        return Shift(*part)
    raise BadNotation(Refusal.NEUTRAL_UNNAMED)
