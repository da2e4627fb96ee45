"""The ideas of Breakthrough, each on a board."""

from __future__ import annotations

from typing import Final

from rules.core import Lesson

_MISERE: Final = (("variant", "misere"),)

LESSONS: Final = (
    Lesson("step", "8/8/4b3/3w4/8/8/8/8 w", squares="c6 d6 e6"),
    Lesson("pair", "8/8/8/bbb5/8/2ww4/8/8 w", squares="b4 c4 d4 e4"),
    Lesson("home", "8/8/8/8/4b3/8/8/1ww2ww1 w", squares="a2 b2 c2 d2 e2 f2 g2 h2"),
    Lesson("gap", "bb4bb/8/3w4/8/8/8/8/8 w", "d6-d7", "d7 e7"),
    Lesson("trade", "1bb2bb1/8/4b3/3b4/2w1w3/8/8/1ww2ww1 w", "c4xd5", "d5"),
    Lesson("lure", "1bb2b2/8/1w1w4/8/8/6b1/8/8 w", "b6-b7", "b7 d7"),
    Lesson("race", "8/8/8/1w6/6b1/8/8/8 w", squares="b5 g4"),
    Lesson("harmless", "8/8/8/8/4w3/8/b7/8 w", "e4-e5", "a2", _MISERE),
    Lesson("fewer", "8/8/3b4/2w5/8/8/b7/8 w", "c5xd6", "d6", _MISERE),
)
