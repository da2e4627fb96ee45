"""Why something was refused, as enums.

A reason's value is its key in the message catalogues. The words live in `texts/`:
the core's beside this file, a game's in the game's own folder.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Base of every enum of reasons; the fields it comes with are named in each member's comment."""


class Spelling(Reason):
    """The text is no move, square or position at all, on any board."""

    EMPTY = "core.spelling.empty"
    TOO_LONG = "core.spelling.too-long"  # limit
    STRANGE_CHARACTER = "core.spelling.strange-character"  # character
    NOT_A_SQUARE = "core.spelling.not-a-square"  # text
    OFF_THE_BOARD = "core.spelling.off-the-board"  # square, board
    NOT_A_MOVE = "core.spelling.not-a-move"  # text
    ONE_MOVE_ONLY = "core.spelling.one-move-only"
    NOT_A_POSITION = "core.spelling.not-a-position"  # text


class OptionReason(Reason):
    """An option or its value is refused for a cause that every game shares."""

    UNKNOWN_OPTION = "core.option.unknown"  # option, known
    UNKNOWN_PRESET = "core.option.unknown-preset"  # preset, known
    NOT_OFFERED = "core.option.not-offered"  # option, value, offered
    NOT_A_NUMBER = "core.option.not-a-number"  # option, value, low, high
    OUT_OF_BOUNDS = "core.option.out-of-bounds"  # option, value, low, high
    NOT_A_SIZE = "core.option.not-a-size"  # option, value
    FILES_OUT_OF_BOUNDS = "core.option.files-out-of-bounds"  # option, value, low, high
    RANKS_OUT_OF_BOUNDS = "core.option.ranks-out-of-bounds"  # option, value, low, high
    NOT_SQUARES = "core.option.not-squares"  # option, value


class Legality(Reason):
    """A move is refused for a cause that every game shares."""

    GAME_OVER = "core.illegal.game-over"
    NO_SUCH_STEP = "core.illegal.no-such-step"  # step
    SEVERAL_FIT = "core.illegal.several-fit"  # text, count
