"""A board made of keys, for platforms whose messages have keyboards."""

from __future__ import annotations

from typing import Final

from bot.presenter.claims import Claims
from bot.presenter.selection import Half, Path, leaves, tappable
from bot.view import Cell, Grid
from render import EMOJI, rows
from rules.core import AnyGame, Diagram, Kind, Picks, Seat, Sign, Square, sq
from rules.core import Grid as Board

MOST_FILES: Final = 8
"""Keys in a row, at most: Telegram's bound."""

MOST_KEYS: Final = 80
"""Keys in all, so that others have room under them: Telegram takes 100."""

EMPTY: Final = "·"
"""Where nothing stands and nothing can be chosen."""

_TAKEN: Final = "×"


def fits(board: Board) -> bool:
    """Whether a whole board can be keys."""
    return board.files <= MOST_FILES and len(board) <= MOST_KEYS


def grid(
    game: AnyGame, claims: Claims, half: Half, diagram: Diagram, *, flipped: bool = False
) -> tuple[Grid | None, frozenset[str]]:
    """A half-made move as keys, and the tokens of the steps that are among them.

    A board that is too large is shown by the region that was picked; before one is, there are no keys.

    Args:
        game: Which.
        claims: What touching a key claims.
        half: How far the move is made.
        diagram: The board as it is shown above the keys.
        flipped: Whether it is shown as the side at the top sees it.
    """
    shown, corner = diagram.grid, Square(0, 0)
    if not fits(shown):
        region = _region(half)
        if region is None:
            return None, frozenset()
        corner, far = region
        shown = Board(far.file - corner.file + 1, far.rank - corner.rank + 1)
    if not fits(shown):
        return None, frozenset()
    paths, tokens = _choices(game, half)
    if not paths:
        return None, frozenset()
    cells = _Cells(claims, diagram, paths, half)
    lines = [
        tuple(cells.at(Square(at.file + corner.file, at.rank + corner.rank)) for at in row)
        for row in rows(shown, flipped=flipped)
    ]
    return Grid(tuple(lines)), tokens


def _region(half: Half) -> tuple[Square, Square] | None:
    """The corners of the region that was picked last."""
    low, dash, high = half.path.tokens[-1].partition("-") if half.path.tokens else ("", "", "")
    if not dash or any(step.picks is Picks.REGION for step in half.steps):
        return None
    corners = sq(low), sq(high)
    inside = all(
        corners[0].file <= square.file <= corners[1].file
        and corners[0].rank <= square.rank <= corners[1].rank
        for step in half.steps
        for square in step.squares
    )
    return corners if inside else None


def _choices(game: AnyGame, half: Half) -> tuple[dict[Square, Path], frozenset[str]]:
    """What touching each square picks; and the steps that need no button beside the keys."""
    if tapped := tappable(half.fork):
        # Which of several placements is meant shows only when all their cells are touched: they keep their buttons.
        there = half.steps if half.path.taps else tapped
        cells = {square for step in there for square in step.squares} | set(half.path.taps)
        return {square: half.path.tap(square) for square in cells}, frozenset()
    paths: dict[Square, Path] = {}
    tokens = set()
    for path, step in leaves(game, half):
        if len(step.squares) == 1 and step.picks is not Picks.NOTHING:
            paths[step.squares[0]] = path
            # Of a step inside a region, the region needs no button either.
            tokens.add(path.tokens[len(half.path.tokens)])
    return paths, frozenset(tokens)


class _Cells:
    """The keys of one board."""

    def __init__(self, claims: Claims, diagram: Diagram, paths: dict[Square, Path], half: Half) -> None:
        self._claims = claims
        self._paths = paths
        self._mover = half.start.to_move
        self._pieces = {square: piece for piece in diagram.pieces for square in piece.cells}
        marked = {mark.square for mark in diagram.marks if mark.sign is Sign.PICKED}
        # A region that was picked is marked too, and is there to choose from.
        self._picked = (marked - paths.keys()) | set(half.path.taps)

    def at(self, square: Square) -> Cell:
        """The key of a square."""
        name, piece = str(square), self._pieces.get(square)
        stands = EMOJI.symbol(piece.kind, piece.owner) if piece else EMPTY
        data = None
        if path := self._paths.get(square):
            data = self._claims.pick(path)
            data = data if data.fits else None
        if square in self._picked:
            return Cell(EMOJI.signs[Sign.PICKED], data, "picked", name)
        if data is None:
            return Cell(stands, None, "free", name)
        if piece is None:
            return Cell(name, data, "choice", name)
        taken = piece.kind is not Kind.DISC and not self._owns(piece.owner)
        return Cell(f"{_TAKEN}{stands}" if taken else stands, data, "choice", name)

    def _owns(self, owner: Seat | None) -> bool:
        return owner == self._mover
