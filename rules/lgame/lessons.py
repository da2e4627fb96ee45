"""The strategies of the L-game, each on a board."""

from __future__ import annotations

from typing import Final

from rules.core import Lesson

LESSONS: Final = (
    Lesson("corner", ".o../o..2/1222/111. 1", squares="a1"),
    Lesson("killer", "o22./.12./.12./.11o 1", "L a1-a3-b3 n a4-d3", "b1 c1 a2 d2 a3 d3 b4 c4"),
    Lesson("square", "222./2.../o.1./111o 1", "L b1-b3-c3 n d1-d3", "b1 c1 d1 b2 c2 d2 b3 c3 d3"),
    Lesson("half", "2o../222o/...1/.111 1", "L a2-c2-c1 n b4-c4", "a1 b1 c1 d1 a2 b2 c2 d2"),
)
