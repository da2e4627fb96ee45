"""The ideas of Klopodavka, each on a board."""

from __future__ import annotations

from typing import Final

from rules.core import Lesson

_SMALL: Final = (("board", "5x5"),)

_HQ: Final = (("board", "5x7"), ("variant", "hq"))

LESSONS: Final = (
    Lesson("link", "5/2AA1/1a3/1a3/a3b 1 3 -", squares="e3 e4 e5", options=_SMALL),
    Lesson("cut", "5/b1AA1/1a3/1a3/a4 2 3 -", "xb3 xb2 a5", "c4 d4", options=_SMALL),
    Lesson("near", "4b/5/5/1a3/a4 2 3 -", "d4 c3 xb2", "b2", options=_SMALL),
    Lesson("blocked", "4b/5/2b2/BB3/aa3 2 1 -", "xb1", "a1", options=_SMALL),
    Lesson("space", "b1b2/5/AAbAA/1a3/a4 1 1 -", "xc3", "b1 c1 d1 e1 a2 c2 d2 e2", _SMALL),
    Lesson("bases", "a1ABb/2ABB/2AbA/1a3/a4 1 1 -", "xd3", "a1 b2 a5", (*_SMALL, ("variant", "bases"))),
    Lesson("branch", "1bbb1/1bbb1/1b1a1/2ba1/3a1/1aaa1/1aaa1 2 1 -", "xd4", "d5", _HQ),
    Lesson("fence", "1bbb1/1bbb1/4b/AAAAb/3a1/1aaa1/1aaa1 1 1 -", "xe4", "a4 b4 c4 d4 e4", _HQ),
    Lesson("surround", "AbbbA/AbbbA/AAAbA/2a2/2a2/1aaa1/1aaa1 1 1 -", "xd5", "d5", _HQ),
    Lesson(
        "teams",
        "b4c/2c3/1CC3/1a4/6/a4d 1 3 -",
        squares="d3 d4 a5 b5 d5",
        options=(("board", "6x6"), ("teams", "2v2")),
    ),
    Lesson(
        "cylinder",
        "2b2/5/4a/5/5 1 3 -",
        squares="a2 a3 a4",
        options=(*_SMALL, ("topology", "cylinder")),
    ),
    Lesson("torus", "5/5/2b2/5/a4 1 3 -", squares="e1 e2 a5 b5 e5", options=(*_SMALL, ("topology", "torus"))),
    Lesson("immune", "4b/5/5/ab3/a4 2 3 -", squares="a1", options=(*_SMALL, ("base", "immune"))),
    Lesson("anchor", "4b/a2b1/a1b2/ab3/a4 2 1 -", "xa1", "a1", (*_SMALL, ("reach", "base"))),
)
