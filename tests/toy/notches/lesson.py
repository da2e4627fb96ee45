"""The tasks of the lesson of notches, and which turns are right in each."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core import LessonTask, wins

from .position import Notch, Notches


def _touches_own(before: Notches, plies: Sequence[Notch], _: Notches) -> bool:
    cut = plies[-1].square
    near = [own for own in before.notches[before.turn] if abs(own.file - cut.file) <= 1]
    return any(abs(own.rank - cut.rank) <= 1 for own in near)


LESSON = (
    LessonTask("beside", "1...2/...../..... 1 1 - -", _touches_own, "board:5x3 players:2 cuts:1"),
    LessonTask("last", "1.... 1 1 - -", wins, "board:5x1 players:2 cuts:1"),
)
