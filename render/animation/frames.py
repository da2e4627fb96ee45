"""What an animation is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from render.picture.strip import Strip
from rules.core import Diagram

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Frame:
    """One board of an animation.

    Attributes:
        diagram: What to show; of the same size in all frames.
        caption: Ready words below it, any script, any length: what does not fit on two lines is cut.
        seconds: How long it is shown.
        strip: Who plays; with as many lines in all frames.
    """

    diagram: Diagram
    caption: str = ""
    seconds: float = 1.0
    strip: Strip | None = None


def spread(things: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of them, the first and the last among these, the others at even distances; of one, the last."""
    last = len(things) - 1
    if last < most:
        return things
    if most == 1:
        return things[-1:]
    return [things[round(at * last / (most - 1))] for at in range(most)]
