"""What the rules refuse, split by when it is found out.

    RulesError
    ├── BadOption       a game like this cannot be set up
    ├── BadNotation     the text is not a move, a square or a position at all
    ├── AmbiguousMove   several legal moves fit the text; `candidates` has them
    └── IllegalMove     well spelled, but the rules forbid it here

Each carries a reason (an enum, whose value is the key of its words in the message catalogues) and fields (the values that
the words name). The words live in `texts/`: the core's beside this file, a game's in the game's own folder.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Field: TypeAlias = str | int | tuple[int, int] | Sequence[str] | Collection[tuple[int, int]]
"""What words name: a seat is an int, a square a pair of them."""


class RulesError(Exception):
    """A refusal by the rules. Nothing has changed when it is raised."""

    def __init__(self, reason: Reason, /, **fields: Field) -> None:
        super().__init__(reason, fields)
        self.reason = reason
        self.fields: Mapping[str, Field] = fields

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        return f"{self.reason.value}({shown})"


class BadOption(RulesError):
    """An option, or a combination of options, that cannot be played."""


class BadNotation(RulesError):
    """Text that is not a move, a square or a position; `also` are the other faults of a text that has several."""

    also: tuple[BadNotation, ...] = ()


def refuse_all(faults: Sequence[BadNotation]) -> None:
    """Raise the first of some faults with the others as its `also`; nothing where there are none."""
    if faults:
        first, *others = faults
        first.also = tuple(others)
        raise first


class AmbiguousMove(RulesError):
    """Several legal moves fit the text. Nothing is played: the player has to choose."""

    def __init__(self, reason: Reason, /, candidates: Sequence[object], **fields: Field) -> None:
        super().__init__(reason, **fields)
        self.candidates = tuple(candidates)


class IllegalMove(RulesError):
    """A move that the rules forbid in this position; the reason names the rule."""


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


@dataclass(frozen=True, slots=True)
class Phrase:
    """What is said of a move or a match. Of a move, the presenter adds subjects: "d4 taken", never "Ann took d4"."""

    key: str
    fields: Mapping[str, object] = field(default_factory=dict)
