"""How broad a tree of turns is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BROADEST: Final = 256
"""Replies beyond which a tree is not made broader."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How broad a tree is. Too narrow a root costs more games than any weight of the evaluation.

    Attributes:
        width: Sets of actions gone on with at the root.
        most: Turns kept at the root.
        reply_width: The same below.
        replies: The same below.
    """

    width: int
    most: int
    reply_width: int
    replies: int

    def broader(self) -> Shape:
        """Four times as broad."""
        return Shape(self.width * 4, self.most * 4, self.reply_width * 4, self.replies * 4)


SHAPE: Final = Shape(width=48, most=80, reply_width=16, replies=24)
