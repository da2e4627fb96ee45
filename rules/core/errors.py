"""What the rules refuse, split by when it is found out.

    RulesError
    ├── BadOption       a game like this cannot be set up
    ├── BadNotation     the text is not a move, a square or a position at all
    ├── AmbiguousMove   several legal moves fit the text; `candidates` has them
    └── IllegalMove     well spelled, but the rules forbid it here

Each carries a reason (an enum, also the key of its words) and fields (the values that the words name).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rules.core.reasons import Reason
    from rules.core.seat import Seat
    from rules.core.square import Square

Field: TypeAlias = "str | int | Square | Seat | Sequence[str] | Collection[Square]"


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
    """Text that is not a move, a square or a position."""


class AmbiguousMove(RulesError):
    """Several legal moves fit the text. Nothing is played: the player has to choose."""

    def __init__(self, reason: Reason, /, candidates: Sequence[object], **fields: Field) -> None:
        super().__init__(reason, **fields)
        self.candidates = tuple(candidates)


class IllegalMove(RulesError):
    """A move that the rules forbid in this position; the reason names the rule."""
