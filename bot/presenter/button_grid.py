"""A board made of buttons, for platforms whose messages have keyboards.

The label of a button that can be pressed names its cell, so that it is understood when it is read aloud.
"""

from __future__ import annotations

from typing import Final

from bot.presenter.selection import PartialMove, PickTarget, Selection, leaves, touchable
from bot.view import ButtonGrid, SquareButton
from render import EMOJI, rows
from rules.core import AnyGame, Diagram, Grid, Picks, Sign, Square, sq

MOST_FILES: Final = 8  # keys in a row, at most: Telegram's bound
MOST_KEYS: Final = 80  # keys in all, so that others have room under them: Telegram takes 100
EMPTY: Final = "·"  # where nothing stands and nothing can be chosen
TARGET: Final = "•"  # where nothing stands and something can be chosen


def fits(board: Grid) -> bool:
    """Whether a whole board can be keys."""
    return board.files <= MOST_FILES and len(board) <= MOST_KEYS


def grid(
    game: AnyGame, target: PickTarget, partial: PartialMove, diagram: Diagram, *, flipped: bool = False
) -> tuple[ButtonGrid | None, frozenset[str]]:
    """A half-made move as keys, and the tokens of the steps that are among them.

    A board that is too large is shown by the region that was picked; before one is, there are no keys. The diagram is the
    board as it is shown above the keys.
    """
    shown, corner = diagram.grid, Square(0, 0)
    if not fits(shown):
        region = picked_region(partial)
        if region is None:
            return None, frozenset()
        corner, far = region
        shown = Grid(far.file - corner.file + 1, far.rank - corner.rank + 1)
    if not fits(shown):
        return None, frozenset()
    selections, tokens = _choices(game, partial)
    if not selections:
        return None, frozenset()
    cells = _Cells(target, diagram, selections, partial)
    lines = [
        tuple(cells.at(Square(at.file + corner.file, at.rank + corner.rank)) for at in row)
        for row in rows(shown, flipped=flipped)
    ]
    return ButtonGrid(tuple(lines)), tokens


def picked_region(partial: PartialMove) -> tuple[Square, Square] | None:
    """The corners of the region that was picked last."""
    low, dash, high = (
        partial.selection.tokens[-1].partition("-") if partial.selection.tokens else ("", "", "")
    )
    if not dash or any(step.picks is Picks.REGION for step in partial.steps):
        return None
    corners = sq(low), sq(high)
    inside = all(
        corners[0].file <= square.file <= corners[1].file
        and corners[0].rank <= square.rank <= corners[1].rank
        for step in partial.steps
        for square in step.squares
    )
    return corners if inside else None


def _choices(game: AnyGame, partial: PartialMove) -> tuple[dict[Square, Selection], frozenset[str]]:
    """What touching each square picks; and the steps that need no button beside the keys."""
    if cells := touchable(partial):
        # Which of several placements is meant shows only when all their cells are touched: they keep their buttons.
        cells |= set(partial.selection.taps)
        return {square: partial.selection.tap(square) for square in cells}, frozenset()
    selections: dict[Square, Selection] = {}
    tokens = set()
    for selection, step in leaves(game, partial):
        if len(step.squares) == 1 and step.picks is not Picks.NOTHING:
            selections[step.squares[0]] = selection
            # Of a step inside a region, the region needs no button either.
            tokens.add(selection.tokens[len(partial.selection.tokens)])
    return selections, frozenset(tokens)


class _Cells:
    def __init__(
        self, target: PickTarget, diagram: Diagram, selections: dict[Square, Selection], partial: PartialMove
    ) -> None:
        self._target = target
        self._paths = selections
        self._pieces = {square: piece for piece in diagram.pieces for square in piece.cells}
        marked = {mark.square for mark in diagram.marks if mark.sign is Sign.PICKED}
        # A region that was picked is marked too, and is there to choose from.
        self._picked = (marked - selections.keys()) | set(partial.selection.taps)

    def at(self, square: Square) -> SquareButton:
        name, piece = str(square), self._pieces.get(square)
        stands = EMOJI.symbol(piece.kind, piece.owner) if piece else EMPTY
        data = None
        if selection := self._paths.get(square):
            data = self._target.pick(selection)
            data = data if data.fits else None
        if square in self._picked:
            picked = EMOJI.signs[Sign.PICKED]
            return SquareButton(f"{name}{picked}", picked, data, "picked", name)
        if data is None:
            return SquareButton(stands, stands, None, "free", name)
        label = f"{name}{stands}" if piece else name
        return SquareButton(label, stands if piece else TARGET, data, "choice", name)
