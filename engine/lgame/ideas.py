"""The named strategies of the L-game.

Keep out of the corners. Leave a neutral on one of the eight killer cells, those of the border that are no corner. With
the own L and a neutral, block a 3 x 3 square in a corner, or with the own L half of the board, and let the other
neutral take from the opponent what is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from engine.core import GameValue, Idea, SearchResult
from rules.core import Mark, Phrase, Seat, Sign, Square
from rules.lgame import LPosition, Move
from rules.lgame.board import AXES, FULL, GRID, fitting, images, mask_of, squares

CORNERS: Final = mask_of(map(GRID.square, (0, 3, 12, 15)))
_MIDDLE: Final = mask_of(map(GRID.square, (5, 6, 9, 10)))
_REPLIES: Final = frozenset(
    {"mirror", "last", "square", "square-last", "half", "half-last"}
    | {"killer", "flip", "out-of-corner", "points"}
)
"""What is worth a word to the other side."""

KEYS: Final = {"lgame.reply.{}": (_REPLIES,)}
"""The keys that this module puts together, by their template: the members of each hole."""
_MIRRORED: Final = images(AXES)
_POINTS: Final = "lgame.idea.points"
_WINNING: Final = {
    "lgame.idea.square": "lgame.idea.square-last",
    "lgame.idea.half": "lgame.idea.half-last",
}
"""Blocks that leave the opponent's L nowhere to go."""
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
    """Return the strategy behind a turn: what it blocks, else where a neutral goes, else what it leaves; None without one."""
    move = result.turn[0]
    seat = position.to_move
    after = position.play(move)
    found = _won(position, after, move)
    found = found or next(chain(_closed(position, move), _placed(position, move, result)), None)
    if found is None:
        return None
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
        for block, mask in _closed(position, move):
            return _WINNING[block], mask
        return "lgame.idea.last", _other(position)
    return None


def _placed(position: LPosition, move: Move, result: SearchResult[Move]) -> Iterator[tuple[str, int]]:
    """Yield what can be said of the places that a turn takes and leaves, the weightiest first."""
    own, foe = position.cells(position.to_move), _other(position)
    neutrals = position.neutrals ^ move.lifted | move.put
    if move.put & KILLERS and _room(move, neutrals) < _room(move, position.neutrals):
        yield "lgame.idea.killer", KILLERS
    if move.cells in _MIRRORED[own]:
        yield "lgame.idea.flip", own
    if own & CORNERS and not move.cells & CORNERS:
        yield "lgame.idea.out-of-corner", CORNERS
    if foe & CORNERS and result.proof and result.proof.result is GameValue.WIN:
        yield "lgame.idea.cornered", foe & CORNERS
    if not move.cells & CORNERS:
        yield "lgame.idea.no-corner", CORNERS
    if (move.cells & _MIDDLE).bit_count() > 1:
        yield "lgame.idea.room", _MIDDLE


def _room(move: Move, neutrals: int) -> int:
    """Return how many places the opponent's L finds beside a move's L and some neutrals."""
    return len(fitting(move.cells | neutrals))


def _idea(key: str, mask: int, **fields: int) -> Idea:
    name = key.rpartition(".")[2]
    reply = Phrase(f"lgame.reply.{name}", dict(fields)) if name in _REPLIES else None
    marks = tuple(Mark(Sign.PICKED, square) for square in squares(mask))
    return Idea(Phrase(key, dict(fields)), marks, reply)


def _other(position: LPosition) -> int:
    return position.cells(Seat.S1 if position.to_move else Seat.S2)


def _closed(position: LPosition, move: Move) -> Iterator[tuple[str, int]]:
    """Yield the parts of the board that a turn closes to the opponent, those first that the opponent's L is outside of."""
    foe = _other(position)
    before = fitting(position.cells(position.to_move) | position.neutrals)
    neutrals = position.neutrals ^ move.lifted | move.put
    left = fitting(move.cells | neutrals)
    parts = [
        ("lgame.idea.square", mask)
        for mask in SQUARES
        if (move.cells & mask).bit_count() >= 3 and neutrals & mask
    ]
    parts += [("lgame.idea.half", mask) for mask in HALVES if not move.cells & ~mask]
    for key, mask in sorted(parts, key=lambda part: (part[1] & foe).bit_count()):
        if _shut(mask, left, foe) and not _shut(mask, before, foe):
            yield key, mask


def _shut(mask: int, places: Iterable[int], foe: int) -> bool:
    """Return whether the opponent's L can go nowhere inside a part of the board, and has one cell in it at most."""
    return (mask & foe).bit_count() < 2 and not any(not cells & ~mask for cells in places)
