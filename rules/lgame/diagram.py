"""The L-game's board as data."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core import Area, Arrow, Diagram, Kind, Mark, Picks, Piece, Seat, Sign, Square, Zone, take
from rules.lgame.board import GRID, LYING, squares
from rules.lgame.fork import fork
from rules.lgame.moves import Move
from rules.lgame.position import LPosition


def draw(
    position: LPosition,
    /,
    *,
    last: Sequence[Move] = (),
    before: LPosition | None = None,
    candidates: Sequence[Move] = (),
    picked: Sequence[str] = (),
) -> Diagram:
    """The board as data; see `rules.core.game.Draw`."""
    marks = _candidates(candidates) + _picked(position, picked)
    arrows: tuple[Arrow, ...] = ()
    for move in last:
        if _stands(position, move):
            marks = _last(move, before) + marks
            arrows = tuple(map(Arrow, squares(move.lifted), squares(move.put)))
    painted = position.options.painted
    return Diagram(
        grid=GRID,
        pieces=(
            Piece(Kind.TILE, squares(position.first), Seat.S1),
            Piece(Kind.TILE, squares(position.second), Seat.S2),
            *(Piece(Kind.DISC, (square,)) for square in squares(position.neutrals)),
        ),
        areas=(Area(Zone.PAINTED, squares(painted)),) if painted else (),
        marks=marks,
        arrows=arrows,
        scores=position.scores,
    )


def _stands(position: LPosition, move: Move) -> bool:
    """Whether the pieces are where the move left them: a block in the scoring variant sends them to the start."""
    mover = Seat.S1 if position.to_move else Seat.S2
    return position.cells(mover) == move.cells and not move.put & ~position.neutrals


def _last(move: Move, before: LPosition | None) -> tuple[Mark, ...]:
    old = before.cells(before.to_move) if before else 0
    entered = move.cells & ~old | move.put
    left = (old | move.lifted) & ~(move.cells | move.put) if before else 0
    return tuple(
        Mark(sign, square)
        for sign, mask in ((Sign.LEFT, left), (Sign.ENTERED, entered))
        for square in squares(mask)
    )


def _picked(position: LPosition, path: Sequence[str]) -> tuple[Mark, ...]:
    steps = [take(fork(position, path[:n]), token) for n, token in enumerate(path)]
    return tuple(
        Mark(Sign.PICKED, square)
        for step in steps
        if step.picks is not Picks.REGION
        for square in step.squares
    )


def _candidates(moves: Sequence[Move]) -> tuple[Mark, ...]:
    """Numbers on the squares by which the candidates differ: their feet, or else their neutrals' squares."""
    numbers: dict[Square, list[int]] = {}
    for number, move in enumerate(moves, 1):
        for square in _telling(move, moves):
            numbers.setdefault(square, []).append(number)
    return tuple(Mark(Sign.CANDIDATE, square, _label(found)) for square, found in numbers.items())


def _telling(move: Move, moves: Sequence[Move]) -> tuple[Square, ...]:
    foot = (LYING[move.cells].foot,)
    shifting = [other for other in moves if other.lifted]
    told: tuple[Square, ...] = ()
    if any(other.cells != move.cells for other in moves):
        told += foot
    if move.lifted and any(other.lifted != move.lifted for other in shifting):
        told += squares(move.lifted)
    if move.put and any(other.lifted == move.lifted and other.put != move.put for other in shifting):
        told += squares(move.put)
    return told or foot


def _label(numbers: Sequence[int]) -> str:
    """The numbers in at most 3 characters: `1`, `1,2`, `1-4`; or the first of many, `1+`."""
    first, last = numbers[0], numbers[-1]
    texts = [",".join(map(str, numbers))]
    if len(numbers) == last - first + 1:
        texts.append(f"{first}-{last}")
    return next((text for text in texts if len(text) <= 3), f"{first}+")
