"""The ideas of Breakthrough, each on a board."""

from __future__ import annotations

from typing import Final

from rules.core import Lesson

LESSONS: Final = (
    Lesson("step", "8/8/4b3/3w4/8/8/8/8 w", squares="c6 d6 e6"),
    Lesson("pair", "8/8/8/bbb5/8/2ww4/8/8 w", squares="b4 c4 d4 e4"),
    Lesson("home", "8/8/8/8/4b3/8/8/1ww2ww1 w", squares="a2 b2 c2 d2 e2 f2 g2 h2"),
    Lesson("gap", "bb4bb/8/3w4/8/8/8/8/8 w", "d6-d7", "d7 e7"),
)
