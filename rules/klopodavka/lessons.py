"""The ideas of Klopodavka, each on a board."""

from __future__ import annotations

from typing import Final

from rules.core import Lesson

_SMALL: Final = (("board", "5x5"),)

LESSONS: Final = (
    Lesson("link", "5/2AA1/1a3/1a3/a3b 1 3 -", squares="e3 e4 e5", options=_SMALL),
    Lesson("cut", "5/b1AA1/1a3/1a3/a4 2 3 -", "xb3 xb2 a5", "c4 d4", options=_SMALL),
    Lesson("near", "4b/5/5/1a3/a4 2 3 -", "d4 c3 xb2", "b2", options=_SMALL),
    Lesson("blocked", "4b/5/2b2/BB3/aa3 2 1 -", "xb1", "a1", options=_SMALL),
)
