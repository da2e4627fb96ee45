"""The strategies of the L-game, each on a board."""

from __future__ import annotations

from typing import Final

from rules.core import Lesson

_SUDDEN_DEATH: Final = (("variant", "sudden-death"),)
_SCORING: Final = (("variant", "scoring"),)
_SYMMETRY: Final = (("variant", "symmetry"),)

LESSONS: Final = (
    Lesson("corner", ".o../o..2/1222/111. 1", squares="a1"),
    Lesson("killer", "o22./.12./.12./.11o 1", "L a1-a3-b3 n a4-d3", "b1 c1 a2 d2 a3 d3 b4 c4"),
    Lesson("square", "222./2.../o.1./111o 1", "L b1-b3-c3 n d1-d3", "b1 c1 d1 b2 c2 d2 b3 c3 d3"),
    Lesson("half", "2o../222o/...1/.111 1", "L a2-c2-c1 n b4-c4", "a1 b1 c1 d1 a2 b2 c2 d2"),
    Lesson("soon", ".2../o2../122./111o 1", squares="a1"),
    Lesson("both-neutrals", "o22./112./1.2./1..o 2", "L d2-b2-b1 n d1-c3 n a4-b4", "c3 b4", _SUDDEN_DEATH),
    Lesson("points", ".22./.12./o12./11.o 2 1-0", "L c4-a4-a3", "a3 b3 a4 b4", _SCORING),
    Lesson("points-block", "222./2.../o.1./111o 1 4-7", squares="b1 b2 b3 c3 d3", options=_SCORING),
    Lesson("mirror", "o22./112./1.2./1o.. 2", "L d1-d3-c3", options=_SYMMETRY),
    Lesson(
        "half-turn", "o22./112./1.2./1..o 2", "L d4-d2-c2", options=(*_SYMMETRY, ("symmetry", "half-turn"))
    ),
    Lesson(
        "any-image", "o22./.12./.12./.11o 1", "L b3-b1-a1 n a4-d4", "d4", (*_SYMMETRY, ("symmetry", "any"))
    ),
)
