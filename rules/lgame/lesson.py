"""The tasks of the L-game's lesson, and which turns are right in each; `lgame.lesson.<key>` asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.core import LessonTask, leaves_no_win, sq, wins
from rules.lgame.board import Move, mask_of, squares
from rules.lgame.position import LPosition

_CORNERS: Final = mask_of(map(sq, ("a1", "d1", "a4", "d4")))


def _any_turn(_: LPosition, __: Sequence[Move], ___: LPosition) -> bool:
    return True


def _is_turned(before: LPosition, plies: Sequence[Move], _: LPosition) -> bool:
    """Whether the L is turned or flipped: its old cells, moved along, are not its new ones."""
    own, _other = before.both
    return _shape(own) != _shape(plies[-1].cells)


def _shape(cells: int) -> set[tuple[int, int]]:
    covered = squares(cells)
    left, low = min(each.file for each in covered), min(each.rank for each in covered)
    return {(each.file - left, each.rank - low) for each in covered}


def _moves_a_neutral(_: LPosition, plies: Sequence[Move], __: LPosition) -> bool:
    return bool(plies[-1].lifted)


def _keeps_off_the_corners(_: LPosition, plies: Sequence[Move], __: LPosition) -> bool:
    return not plies[-1].cells & _CORNERS


def _scores_most(before: LPosition, plies: Sequence[Move], _: LPosition) -> bool:
    """Whether the L covers three painted cells: it never covers more."""
    return (plies[-1].cells & before.options.painted).bit_count() == 3


LESSON: Final = (
    LessonTask("lay", "o22./.12./.12./.11o 1", _any_turn),
    LessonTask("turned", ".11o/.12./.12o/..22 1", _is_turned),
    LessonTask("neutral", "o22./112./1.2./1..o 1", _moves_a_neutral),
    LessonTask("win", ".222/o2../.o1./111. 1", wins),
    LessonTask("save", "222./112./1..o/1.o. 1", leaves_no_win),
    LessonTask("off-corners", "o22o/.12./.12./11.. 1", _keeps_off_the_corners),
    LessonTask("block", "222./21.o/.1o./.11. 1", wins),
    LessonTask("sudden-death", "o11./221./2.1./2..o 1", wins, "variant:sudden-death", further=True),
    LessonTask("scoring", ".11./.21./o21./22.o 1 0-1", _scores_most, "variant:scoring", further=True),
    LessonTask("symmetry", "o11./.122/.12./..2o 1", wins, "variant:symmetry", further=True),
)
