"""Levels, ideas and puzzles of the L-game.

Puzzles are every class of the solution that leaves a choice. Positions that a rotation or a mirror turns into each other
are one class, and one puzzle. Left out are the positions won at once, those lost without a move, and those in which every
move loses as soon.

Ideas are the named strategies. Keep out of the corners. Leave a neutral on one of the eight killer cells, those of the
border that are no corner. With the own L and a neutral, block a 3 x 3 square in a corner, or with the own L half of the
board, and let the other neutral take from the opponent what is left.

Where the tables answer, a level is set by its haste and by the plies that it sees (`depth`); time and nodes do not
matter. The game for points is searched; its levels have nodes, so that they play the same on every machine, and seconds
only for very slow ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, compress, product
from typing import Final

from engine.core import SHORTEST, Budget, GameValue, Idea, Level, Puzzle, SearchResult, Task
from engine.lgame.table_engine import CORNERS, COUNT, MASKS, PAIRS, Solution, pairs_in, solution
from rules.core import Mark, Phrase, Seat, Sign, Square
from rules.lgame import GAME, LPosition, Move
from rules.lgame.board import AXES, FULL, GRID, fitting, images, mask_of, squares
from rules.lgame.options import Variant


def _turned(square: Square, axes: tuple[bool, ...]) -> int:
    for axis in compress(AXES, axes):
        square = axis(square)
    return GRID.index(square)


_INDEXES: Final = [[_turned(square, axes) for square in GRID] for axes in product((False, True), repeat=3)]
"""The board in each of its eight rotations and mirror images: where each cell goes."""


@cache  # 48 L's and 120 pairs of neutrals
def _images(mask: int) -> tuple[int, ...]:
    cells = [GRID.index(square) for square in squares(mask)]
    return tuple(sum(1 << turned[cell] for cell in cells) for turned in _INDEXES)


@cache
def puzzles() -> Sequence[Puzzle]:
    """Return all puzzles, the shortest first; computed in some 0.1 s."""
    options = GAME.choose({})
    solved = solution(options)
    found: dict[tuple[int, int, int], Puzzle] = {}
    for plies, layer in enumerate(solved.layers):
        for key, pairs in layer.items():
            own, other = divmod(key, COUNT)
            for pair in pairs_in(pairs):
                if (task := _task(solved, plies, (own, other, pair))) is None:
                    continue
                neutrals = PAIRS[pair.bit_length() - 1]
                name = min(zip(*map(_images, (MASKS[own], MASKS[other], neutrals)), strict=True))
                if name not in found:
                    position = LPosition(options, Seat.S1, *name)
                    found[name] = Puzzle(task, plies, (), GAME.notation.format_position(position))
    return tuple(found[name] for name in sorted(found, key=lambda name: (found[name].plies, name)))


def _task(solved: Solution, plies: int, arrangement: tuple[int, int, int]) -> Task | None:
    if plies % 2:
        return Task.WIN if plies >= SHORTEST else None
    other = arrangement[1]
    turns = [
        solved.after(other, place, after)
        for place, pairs in solved.turns(*arrangement)
        for after in pairs_in(pairs)
    ]
    return Task.HOLD if any(left != plies - 1 for left in turns) else None


_MIDDLE: Final = mask_of(map(GRID.square, (5, 6, 9, 10)))
_REPLIES: Final = frozenset(
    {"mirror", "last", "square", "square-last", "half", "half-last"}
    | {"killer", "flip", "out-of-corner", "points"}
)
"""What is worth a word to the other side."""

KEYS: Final = {"lgame.reply.{}": (_REPLIES,)}
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
    fields = {"count": after.scores[seat] - position.scores[seat]} if key == _POINTS else {}
    name = key.rpartition(".")[2]
    reply = Phrase(f"lgame.reply.{name}", fields) if name in _REPLIES else None
    return Idea(Phrase(key, fields), tuple(Mark(Sign.PICKED, square) for square in squares(mask)), reply)


def _won(position: LPosition, after: LPosition, move: Move) -> tuple[str, int] | None:
    seat = position.to_move
    if after.mirrored:
        return "lgame.idea.mirror", move.cells
    if after.scores and after.scores[seat] > position.scores[seat]:
        return _POINTS, position.options.painted
    if after.outcome:  # the opponent's L has nowhere to go
        for block, mask in _closed(position, move):
            return _WINNING[block], mask
        return "lgame.idea.last", position.both[1]
    return None


def _placed(position: LPosition, move: Move, result: SearchResult[Move]) -> Iterator[tuple[str, int]]:
    own, foe = position.both
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
    return len(fitting(move.cells | neutrals))


def _closed(position: LPosition, move: Move) -> Iterator[tuple[str, int]]:
    own, foe = position.both
    before = fitting(own | position.neutrals)
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
    return (mask & foe).bit_count() < 2 and not any(not cells & ~mask for cells in places)


_FULL: Final = Level(Budget(seconds=2.0))


def _levels(ideas: float, haste: Sequence[float], care: Sequence[Budget]) -> Mapping[int, Level]:
    weak = enumerate(zip(care, haste, strict=True))
    return {**{at + 1: Level(budget, share, ideas) for at, (budget, share) in weak}, 8: _FULL}


_PLIES: Final = tuple(Budget(depth=plies) for plies in (1, 2, 3, 4, 6, 8, 12))
_NODES: Final = (
    *(Budget(1.0, 300, 1) for _ in range(3)),
    *(Budget(1.0, nodes) for nodes in (1_000, 2_500)),
    Budget(1.2, 6_000),
    Budget(1.5, 15_000),
)

LEVELS: Final[Mapping[Variant, Mapping[int, Level]]] = {
    Variant.CLASSIC: _levels(5.2, (1.0, 0.87, 0.715, 0.53, 0.34, 0.19, 0.073), _PLIES),
    Variant.SUDDEN_DEATH: _levels(12, (1.0, 0.82, 0.61, 0.4, 0.215, 0.15, 0.055), _PLIES),
    Variant.SCORING: _levels(3, (1.0, 0.71, 0.41, 0.245, 0.11, 0.04, 0.01), _NODES),
    Variant.SYMMETRY: _levels(2.4, (1.0, 0.73, 0.51, 0.31, 0.205, 0.148, 0.06), _PLIES),
}
"""By variant, then by level."""
