"""The named strategies of the L-game.

Keep out of the corners. Leave a neutral on one of the eight killer cells, those of the border that are no corner. With
the own L and a neutral, block a 3 x 3 square in a corner, or with the own L half of the board, and let the other
neutral take from the opponent what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.core import GameValue, Idea, SearchResult
from rules.core import Mark, Phrase, Seat, Sign, Square
from rules.lgame import LPosition, Move
from rules.lgame.board import FULL, GRID, fitting, mask_of, squares

CORNERS: Final = mask_of(map(GRID.square, (0, 3, 12, 15)))
_MIDDLE: Final = mask_of(map(GRID.square, (5, 6, 9, 10)))
_POINTS: Final = "lgame.idea.points"
KILLERS: Final = FULL & ~(CORNERS | _MIDDLE)


def _blocks(files: int, ranks: int, places: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(
        mask_of(Square(file + at, rank + up) for at in range(files) for up in range(ranks))
        for file, rank in places
    )


SQUARES: Final = _blocks(3, 3, ((0, 0), (0, 1), (1, 0), (1, 1)))
"""The four squares of 3 x 3, each in a corner."""
HALVES: Final = (*_blocks(4, 2, ((0, 0), (0, 2))), *_blocks(2, 4, ((0, 0), (2, 0))))
"""The four halves of the board at its edges."""


def idea_of(position: LPosition, result: SearchResult[Move]) -> Idea | None:
    """Return the strategy behind a turn: what it blocks, else where a neutral goes, else what it leaves."""
    move = result.turn[0]
    seat = position.to_move
    after = position.play(move)
    found = _won(position, after, move) or next(_closed(position, move), None)
    if found is None:
        found = _placed(position, move, result)
    key, mask = found
    count = after.scores[seat] - position.scores[seat] if after.scores else 0
    return _idea(key, mask, **({"count": count} if key == _POINTS else {}))


def _won(position: LPosition, after: LPosition, move: Move) -> tuple[str, int] | None:
    seat = position.to_move
    if after.mirrored:
        return "lgame.idea.mirror", move.cells
    if after.scores and after.scores[seat] > position.scores[seat]:
        return _POINTS, position.options.painted
    if after.outcome:  # the opponent's L has nowhere to go
        return "lgame.idea.last", _other(position)
    return None


def _placed(position: LPosition, move: Move, result: SearchResult[Move]) -> tuple[str, int]:
    neutrals = position.neutrals ^ move.lifted | move.put
    if move.put & KILLERS and _room(move, neutrals) < _room(move, position.neutrals):
        return "lgame.idea.killer", KILLERS
    if position.cells(position.to_move) & CORNERS and not move.cells & CORNERS:
        return "lgame.idea.out-of-corner", CORNERS
    if _other(position) & CORNERS and result.proof and result.proof.result is GameValue.WIN:
        return "lgame.idea.cornered", _other(position) & CORNERS
    if not move.cells & CORNERS:
        return "lgame.idea.no-corner", CORNERS
    return "lgame.idea.room", _MIDDLE


def _room(move: Move, neutrals: int) -> int:
    """Return how many places the opponent's L finds beside a move's L and some neutrals."""
    return len(fitting(move.cells | neutrals))


def _idea(key: str, mask: int, **fields: int) -> Idea:
    return Idea(Phrase(key, dict(fields)), tuple(Mark(Sign.PICKED, square) for square in squares(mask)))


def _other(position: LPosition) -> int:
    return position.cells(Seat.S1 if position.to_move else Seat.S2)


def _closed(position: LPosition, move: Move) -> Iterator[tuple[str, int]]:
    """Yield the parts of the board that a turn closes to the opponent."""
    foe = _other(position)
    before = fitting(position.cells(position.to_move) | position.neutrals)
    neutrals = position.neutrals ^ move.lifted | move.put
    left = fitting(move.cells | neutrals)
    for mask in SQUARES:
        inside = (move.cells & mask).bit_count() >= 3 and neutrals & mask
        if inside and _shut(mask, left, foe) and not _shut(mask, before, foe):
            yield "lgame.idea.square", mask
    for mask in HALVES:
        if not move.cells & ~mask and _shut(mask, left, foe) and not _shut(mask, before, foe):
            yield "lgame.idea.half", mask


def _shut(mask: int, places: Iterable[int], foe: int) -> bool:
    """Return whether the opponent's L can go nowhere inside a part of the board."""
    return not any(not cells & ~mask for cells in places if cells != foe)
