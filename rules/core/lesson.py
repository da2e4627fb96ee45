"""An idea of a game on a board, for those who learn it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lesson:
    """A position that shows one idea; `<game>.lesson.<key>` says it."""

    key: str  # lower-case letters and hyphens
    position: str  # in the game's notation
    turn: str = ""  # a turn that is played there, in the game's notation
    squares: str = ""  # what to look at: names of squares, with blanks between
    options: tuple[tuple[str, str], ...] = ()  # the game's options as texts
