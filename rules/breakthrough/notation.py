"""Moves and positions as text: `a2-a3`, `a2xb3`, and shorter."""

from __future__ import annotations

import re
from typing import Final

from rules.breakthrough.legality import refusal, unreachable
from rules.breakthrough.moves import Move
from rules.breakthrough.options import Options
from rules.breakthrough.position import BreakthroughPosition
from rules.core import (
    AmbiguousMove,
    BadNotation,
    Legality,
    Notation,
    Seat,
    Spelling,
    Square,
    fold,
    fold_move,
    quoted,
)

_NAME: Final = r"[a-z][0-9]{1,2}"
# On boards of 24 files and more x is also a file. It is no riddle: a letter x before a digit is the file, any other
# the sign. The colon is how captures are written in Ukrainian and Russian.
_MOVE: Final = re.compile(rf"(?P<start>{_NAME}) ?(?P<sign>[-x:]?) ?(?P<end>{_NAME})\Z", re.ASCII)
_TARGET: Final = re.compile(rf"(?P<sign>[x:]?) ?(?P<end>{_NAME})\Z", re.ASCII)
_SEVERAL: Final = re.compile(rf"(?:[-x:,; ]*{_NAME}){{3,}}[,; ]*\Z", re.ASCII)
_POSITION: Final = re.compile(r"(?P<men>\S+) (?P<to_move>[wb])\Z", re.ASCII)

# The longest text, 26x26 with all men and as many gaps as can be, comes to some 305 characters.
_MAX_POSITION: Final = 400


class BreakthroughNotation(Notation[BreakthroughPosition, Move, Options]):
    """`a2-a3`, a capture `a2xb3`; a position is its layout and `w` or `b` for the side to move."""

    __slots__ = ()

    def parse(self, text: str, position: BreakthroughPosition) -> tuple[Move, ...]:
        """The one legal move that typed text asks for.

        Read are `a2-a3`, `a2a3`, `a2 a3`, the same for a capture or with `x` or `:` in between, and the target alone
        when one man only can go there.
        """
        folded = fold_move(text)
        grid = position.options.grid
        if found := _MOVE.match(folded):
            start, end = grid.find(found["start"]), grid.find(found["end"])
            return (self._move(position, start, end, claimed=found["sign"] in {"x", ":"}),)
        if found := _TARGET.match(folded):
            return (self._to(position, grid.find(found["end"]), quoted(text), claimed=bool(found["sign"])),)
        if _SEVERAL.match(folded):
            raise BadNotation(Spelling.ONE_MOVE_ONLY)
        raise BadNotation(Spelling.NOT_A_MOVE, text=quoted(text))

    def _move(self, position: BreakthroughPosition, start: Square, end: Square, *, claimed: bool) -> Move:
        """The move between two squares; `claimed` if it was written as a capture."""
        for move in position.legal_moves():
            if (move.start, move.end) == (start, end) and (move.captures or not claimed):
                return move
        raise refusal(position.state, Move(start, end, claimed), over=position.outcome is not None)

    def _to(self, position: BreakthroughPosition, end: Square, text: str, *, claimed: bool) -> Move:
        candidates = [m for m in position.legal_moves() if m.end == end and (m.captures or not claimed)]
        if len(candidates) > 1:
            candidates.sort(key=lambda move: move.start)
            raise AmbiguousMove(Legality.SEVERAL_FIT, candidates, text=text, count=len(candidates))
        if not candidates:
            over = position.outcome is not None
            raise unreachable(position.state, end, captures=claimed, over=over)
        return candidates[0]

    def steps(self, move: Move) -> tuple[str, ...]:
        return str(move.start), str(move.end)

    def parse_position(self, text: str, options: Options) -> BreakthroughPosition:
        text = fold(text, limit=_MAX_POSITION)
        found = _POSITION.match(text)
        if not found:
            raise BadNotation(Spelling.NOT_A_POSITION, text=quoted(text))
        return BreakthroughPosition.of(options, found["men"], Seat.S1 if found["to_move"] == "w" else Seat.S2)

    def format_position(self, position: BreakthroughPosition) -> str:
        return f"{position.layout} {'w' if position.to_move is Seat.S1 else 'b'}"
