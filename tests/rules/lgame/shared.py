"""What the tests of the L-game have in common."""

from __future__ import annotations

from rules.core import Seat, Square
from rules.lgame import GAME, LPosition
from rules.lgame.board import mask_of, squares
from tests.rules.lgame.oracle import Shape, State

NOTATION = GAME.notation
VARIANTS = ("classic", "sudden-death", "scoring", "symmetry", "half-turn", "puzzle")


def start(preset: str = "classic", **chosen: str) -> LPosition:
    """The start with a preset and what is put on top of it."""
    return GAME.start(GAME.choose({"preset": preset, **chosen}))


def at(text: str, preset: str = "classic", **chosen: str) -> LPosition:
    """A position from its text."""
    return NOTATION.parse_position(text, GAME.choose({"preset": preset, **chosen}))


def play(position: LPosition, *typed: str) -> LPosition:
    """What comes of some turns as they are typed."""
    for text in typed:
        (move,) = NOTATION.parse(text, position)
        position = position.play(move)
    return position


def shape(mask: int) -> Shape:
    """A mask as the oracle's coordinates."""
    return frozenset((square.file, square.rank) for square in squares(mask))


def state(position: LPosition) -> State:
    """A position as the oracle sees it."""
    other = Seat.S1 if position.to_move else Seat.S2
    return shape(position.cells(position.to_move)), shape(position.cells(other)), shape(position.neutrals)


def position_of(state: State, like: LPosition) -> LPosition:
    """The oracle's state, player 1 to move, under the options of another position."""
    own, other, neutrals = (mask_of(Square(*cell) for cell in cells) for cells in state)
    return LPosition(like.options, Seat.S1, own, other, neutrals, like.scores)
