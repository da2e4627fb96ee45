"""The L-game's text: turns and positions, both ways."""

from __future__ import annotations

import re
from typing import Final

from rules.core import (
    AmbiguousMove,
    BadNotation,
    IllegalMove,
    Legality,
    Notation,
    Seat,
    Spelling,
    Square,
    fold,
)
from rules.lgame.board import LYING, mask_of, squares
from rules.lgame.moves import Move
from rules.lgame.options import BLOCK_POINTS, Options
from rules.lgame.position import LPosition, start
from rules.lgame.reading import SHOWN, read
from rules.lgame.resolving import fitting_moves

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
        typed = read(text)
        if position.outcome:
            raise IllegalMove(Legality.GAME_OVER)
        moves = fitting_moves(typed, position)
        if len(moves) > 1:
            raise AmbiguousMove(Legality.SEVERAL_FIT, moves, text=text[:SHOWN], count=len(moves))
        return moves

    def steps(self, move: Move) -> tuple[str, ...]:
        placement = str(LYING[move.cells])
        if not move.lifted:
            return (placement, KEEP)
        return (placement, neutral_token(move), target_token(move))

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
        if not _can_arise(position):
            raise BadNotation(Spelling.NOT_A_POSITION, text=text[:SHOWN])
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


def neutral_token(move: Move) -> str:
    """The step that says which neutrals a move lifts."""
    lifted = squares(move.lifted)
    if not lifted:
        return KEEP
    return BOTH if len(lifted) > 1 else f"n {lifted[0]}"


def target_token(move: Move) -> str:
    """The step that says which cells they enter."""
    return " ".join(map(str, squares(move.put)))


def _can_arise(position: LPosition) -> bool:
    options = position.options
    if not (position.first in LYING and position.second in LYING and position.neutrals.bit_count() == 2):
        return False
    if bool(position.scores) != bool(options.goal):
        return False
    if options.goal:
        won = position.scores[1 - position.to_move] >= options.goal
        return (
            position.scores[position.to_move] < options.goal
            and position.scores[1 - position.to_move] < options.goal + _MOST_GAIN
            # A seat that is left without a move finds the pieces back at the start.
            and (won or bool(position.legal_moves()))
        )
    imaged = position.second in options.images.get(position.first, ())
    if imaged and not position.mirrored:
        return position == start(options)  # before the first move
    return imaged or not position.mirrored
