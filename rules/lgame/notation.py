"""The L-game as text and as a board: turns and positions, picking a turn step by step, the diagram."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Final

from rules.core import (
    AmbiguousMove,
    Area,
    Arrow,
    BadNotation,
    Diagram,
    Fork,
    Highlights,
    IllegalMove,
    Kind,
    Legality,
    Mark,
    Notation,
    Picks,
    Piece,
    Seat,
    Sign,
    Spelling,
    Square,
    Step,
    Way,
    Zone,
    fold,
    fold_move,
    pick,
    refuse_all,
    take,
)
from rules.lgame.board import GRID, LYING, NAMED, Move, Placement, bits, mask_of, squares
from rules.lgame.options import BLOCK_POINTS, LEnding, Misplaced, Options, Refusal
from rules.lgame.position import LPosition, lying

LETTERS: Final = {ord(typed): read for typed, read in zip("лЛнН", "llnn", strict=True)}
"""RULES: in the L-game these two are L and n; elsewhere н looks like h."""

_WORD: Final = re.compile(r"([a-z][0-9]+)|([ln])(?![0-9])|[ ,-]+", re.ASCII)
SHOWN: Final = 40  # characters of a text that a refusal repeats


@dataclass(frozen=True, slots=True)
class _Shift:
    """A neutral's part of a turn; without a start, whichever neutral can go there."""

    start: Square | None
    end: Square
    lift: int  # the mask of the start; 0 without one
    put: int  # that of the end


@lru_cache(maxsize=1024)  # a match is replayed from its texts, and many have the same
def _read(text: str) -> tuple[tuple[Square, ...], tuple[_Shift, ...]]:
    """Return the squares that name the L and what the neutrals are to do, or raise BadNotation, or IllegalMove where a neutral moves before the L or alone.

    `L`, then squares, then perhaps `n` and one or two squares, perhaps twice. Blanks, commas and hyphens separate and
    mean nothing, the leading `L` may be left out, and case does not matter.
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
    return tuple(named), tuple(map(_shift, shifts))


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


def _shift(part: list[Square]) -> _Shift:
    if not 1 <= len(part) <= 2:
        raise BadNotation(Refusal.NEUTRAL_UNNAMED)
    start, end = part[0] if len(part) == 2 else None, part[-1]
    return _Shift(start, end, mask_of([start] if start else ()), mask_of([end]))


def _fitting_moves(
    named: Sequence[Square], shifts: Sequence[_Shift], position: LPosition
) -> tuple[Move, ...]:
    own, other = position.both
    neutrals, lifts = position.neutrals, position.options.lifts
    placements = _named(named)
    legal = [p for p in placements if not lying(p.mask, own, other, neutrals)]
    if not legal:
        raise _no_placement(placements, own, other, neutrals)
    if len(shifts) > lifts:
        raise IllegalMove(Refusal.TOO_MANY_NEUTRALS, count=lifts)
    found: dict[Move, None] = {}  # an ordered set
    for p in legal:
        found |= dict.fromkeys(_settlements(shifts, p.mask, other, neutrals))
    if not found:
        raise _no_settlement(shifts, legal[0].mask | other, neutrals)
    return tuple(found)


def _named(cells: Sequence[Square]) -> tuple[Placement, ...]:
    mask = mask_of(cells)
    placements = NAMED.get(mask, ()) if mask.bit_count() == len(cells) else ()
    if not placements:
        raise IllegalMove(Refusal.NOT_A_BAR if len(cells) == 2 else Refusal.NOT_AN_L, squares=tuple(cells))
    return placements


def _no_placement(placements: Sequence[Placement], own: int, other: int, neutrals: int) -> IllegalMove:
    first = placements[0]
    if len(placements) > 1:
        # All share the bar. If it is not to blame, say so instead of blaming one of the feet.
        bar = mask_of((first.end, first.middle, first.corner))
        if taken := bar & other:
            return IllegalMove(Refusal.ON_OPPONENT, squares=squares(taken))
        if taken := bar & neutrals:
            return IllegalMove(Refusal.ON_NEUTRAL, squares=squares(taken))
        if all(p.mask != own for p in placements):
            ends = sorted((first.end, first.corner))
            return IllegalMove(Refusal.NO_FOOT, bar="-".join(map(str, ends)))
        return IllegalMove(Refusal.SAME_CELLS, squares=squares(own))
    refused = lying(first.mask, own, other, neutrals)
    assert refused is not None, "a placement that was refused is legal"  # noqa: S101
    return refused


def _settlements(shifts: Sequence[_Shift], cells: int, other: int, neutrals: int) -> Iterable[Move]:
    """Every way to give each shift a neutral of its own. All are lifted before any is put down."""
    put = {shift.put for shift in shifts}
    entered = sum(put)
    if len(put) != len(shifts):
        return
    for lifted in permutations(bits(neutrals), len(shifts)):
        left = sum(lifted)
        if not entered & (cells | other | neutrals & ~left) and all(
            shift.lift in (0, bit) and shift.put != bit for shift, bit in zip(shifts, lifted, strict=True)
        ):
            yield Move(cells, left & ~entered, entered & ~left)


def _no_settlement(shifts: Sequence[_Shift], taken: int, neutrals: int) -> IllegalMove:
    stand = squares(neutrals)
    for n, shift in enumerate(shifts):
        if shift.start and shift.start not in stand:
            return IllegalMove(Refusal.NO_NEUTRAL, square=shift.start, neutrals=stand)
        if shift.start == shift.end:
            return IllegalMove(Refusal.SAME_SQUARE, square=shift.end)
        if shift.start and any(shift.start == earlier.start for earlier in shifts[:n]):
            return IllegalMove(Refusal.NEUTRAL_TWICE, square=shift.start)
        if any(shift.end == earlier.end for earlier in shifts[:n]):
            return IllegalMove(Refusal.SAME_TARGET, square=shift.end)
        if mask_of((shift.end,)) & taken:
            return IllegalMove(Refusal.TARGET_TAKEN, square=shift.end)
    # What is left goes where a neutral stands that does not make way.
    shift = next(shift for shift in shifts if shift.end in stand)
    return IllegalMove(Refusal.TARGET_TAKEN if shift.start else Refusal.WHERE_TO, square=shift.end)


KEEP: Final = "keep"
BOTH: Final = "both"

_POSITION: Final = re.compile(
    r"(?P<board>[12o.]{4}(?:/[12o.]{4}){3}) (?P<seat>[12])"
    r"(?: (?P<first>0|[1-9][0-9]{0,2})-(?P<second>0|[1-9][0-9]{0,2}))?(?P<mirrored> mirrored)?\Z",
    re.ASCII,
)
_MOST_GAIN: Final = 3 + BLOCK_POINTS  # an L has at most 3 cells in a 2 x 2 block


class LNotation(Notation[LPosition, Move, Options]):
    """`L c1-c3-d3 n a4-b2`: the bar's end, the corner and the foot; then the neutral.

    A position is its four ranks from the top, the seat to move, the points if they are counted, and `mirrored` if the
    last move won by an image: `o22./.12./.12./.11o 1`, `o22./.12./.12./.11o 2 7-3`.
    """

    def parse(self, text: str, position: LPosition) -> tuple[Move, ...]:
        named, shifts = _read(text)
        if position.outcome:
            raise IllegalMove(Legality.GAME_OVER)
        moves = _fitting_moves(named, shifts, position)
        if len(moves) > 1:
            raise AmbiguousMove(Legality.SEVERAL_FIT, moves, text=text[:SHOWN], count=len(moves))
        return moves

    def steps(self, move: Move) -> tuple[str, ...]:
        return tuple(step.token for step in _way(move))

    def parse_position(self, text: str, options: Options) -> LPosition:
        found = _POSITION.match(fold(text))
        if not found:
            raise BadNotation(Spelling.NOT_A_POSITION, text=text[:SHOWN])
        masks = dict.fromkeys("12o.", 0)
        for row, line in enumerate(found["board"].split("/")):
            for file, piece in enumerate(line):
                masks[piece] |= mask_of((Square(file, 3 - row),))
        scores = (int(found["first"]), int(found["second"])) if found["first"] else ()
        position = LPosition(
            options,
            Seat(int(found["seat"]) - 1),
            masks["1"],
            masks["2"],
            masks["o"],
            scores,
            bool(found["mirrored"]),
        )
        refuse_all(_faults(position))
        return position

    def format_position(self, position: LPosition) -> str:
        pieces = {
            square: piece
            for piece, mask in zip("12o", (position.first, position.second, position.neutrals), strict=True)
            for square in squares(mask)
        }
        board = "/".join(
            "".join(pieces.get(Square(file, rank), ".") for file in range(4)) for rank in (3, 2, 1, 0)
        )
        words = [board, str(position.to_move.number)]
        if position.scores:
            words.append("-".join(map(str, position.scores)))
        if position.mirrored:
            words.append("mirrored")
        return " ".join(words)


def _faults(position: LPosition) -> list[BadNotation]:
    """Why the rules cannot go on from here. L's that are images, though none has won by it, are no reason."""
    options, mover = position.options, position.to_move
    faults = [
        BadNotation(Misplaced.NO_L, seat=seat, squares=squares(position.cells(seat)))
        for seat in (Seat.S1, Seat.S2)
        if position.cells(seat) not in LYING
    ]
    shaped = not faults
    if (count := position.neutrals.bit_count()) != 2:
        faults.append(BadNotation(Misplaced.NEUTRALS, count=count))
    if bool(options.goal) is not bool(position.scores):
        faults.append(BadNotation(Misplaced.POINTS_MISSING if options.goal else Misplaced.POINTS_UNCOUNTED))
    for seat, points in zip((Seat.S1, Seat.S2), position.scores if options.goal else (), strict=False):
        # Only the seat that has just moved can have come to the goal, from below it.
        limit = options.goal - 1 + (0 if seat is mover else _MOST_GAIN)
        if points > limit:
            faults.append(BadNotation(Misplaced.POINTS_BEYOND, seat=seat, points=points, limit=limit))
    if position.mirrored and position.second not in options.images.get(position.first, ()):
        faults.append(BadNotation(Misplaced.NO_IMAGE))
    end = replace(position, mirrored=False).outcome if shaped and options.goal else None
    if end and end.reason is LEnding.BLOCKED:  # the pieces would be back at the start
        faults.append(BadNotation(Misplaced.STUCK, seat=mover))
    return faults


def fork(position: LPosition, chosen: Sequence[str]) -> Fork[Move]:
    """The next steps of a half-made turn, or the turn.

    First the placement, then `keep`, or a neutral and its target. Where both neutrals may move, `both` and the two
    cells that they will stand on: they are alike, so which goes where is no choice.
    """
    # Ten cells are open to an L, and no ten hold more than 18 placements: the L's own and 17 to choose from.
    return pick(_ways(position), chosen, _prompt)


@lru_cache(maxsize=16)  # a page asks for all forks of a position one after the other
def _ways(position: LPosition) -> Sequence[Way[Move]]:
    return [(_way(move), move) for move in position.legal_moves()]


def _way(move: Move) -> tuple[Step, ...]:
    placement = LYING[move.cells]
    place = Step(str(placement), Picks.CELLS, placement.cells)
    if not move.lifted:
        return place, Step(KEEP, Picks.NOTHING, (), "lgame.step.keep")
    lifted, put = squares(move.lifted), squares(move.put)
    target = Step(" ".join(map(str, put)), Picks.CELLS, put)
    if len(lifted) > 1:
        return place, Step(BOTH, Picks.PIECE, lifted, "lgame.step.both"), target
    return place, Step(f"n {lifted[0]}", Picks.PIECE, lifted), target


def _prompt(taken: Sequence[Step]) -> str:
    match [step.token for step in taken]:
        case []:
            return "lgame.fork.place"
        case [_]:
            return "lgame.fork.neutral"
        case [_, token] if token != KEEP:
            return "lgame.fork.targets" if token == BOTH else "lgame.fork.target"
    return "lgame.fork.complete"


def draw(position: LPosition, highlights: Highlights[LPosition, Move]) -> Diagram:
    """Return the board as data; after a block that sent the pieces back to the start, the block too."""
    if highlights.before is not None and not highlights.planned:
        for move in highlights.last:
            if block := highlights.before.before_reset(move):
                fresh = draw(position, replace(highlights, last=()))
                return replace(fresh, first=draw(block, replace(highlights, planned=True)))
    marks = _candidates(highlights.candidates) + _picked(position, highlights.picked)
    arrows: tuple[Arrow, ...] = ()
    for move in highlights.last:
        marks = _last(position, move, highlights.before) + marks
        if _stands(position, move):
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


def _last(position: LPosition, move: Move, before: LPosition | None) -> tuple[Mark, ...]:
    """What left its cells and what came to new ones: by the move, and also when all the pieces went back."""
    left = entered = 0
    if before is None:
        entered = move.cells | move.put if _stands(position, move) else 0
    else:
        masks = ((each.first, each.second, each.neutrals) for each in (before, position))
        for was, now in zip(*masks, strict=True):
            left |= was & ~now
            entered |= now & ~was
    return tuple(
        Mark(sign, square)
        for sign, mask in ((Sign.LEFT, left & ~entered), (Sign.ENTERED, entered))
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
    """A number for each move, on a square by which it differs from others; no two share one while there are enough."""
    telling = [_telling(move, moves) for move in moves]
    holder: dict[Square, int] = {}

    def settle(move: int, tried: set[Square]) -> bool:
        # Augmenting paths: a number makes way for another if it can go elsewhere.
        for square in telling[move]:
            if square not in tried:
                tried.add(square)
                if square not in holder or settle(holder[square], tried):
                    holder[square] = move
                    return True
        return False

    for move in range(len(moves)):
        settle(move, set())
    at = {move: square for square, move in holder.items()}
    return tuple(
        Mark(Sign.CANDIDATE, at.get(move, squares_of[0]), str(move + 1))
        for move, squares_of in enumerate(telling)
    )


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
