"""The tasks of Klopodavka's lesson, and which turns are right in each; `klopodavka.lesson.<key>` asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from rules.core import LessonTask, sq, wins
from rules.klopodavka.position import KlopodavkaPosition
from rules.klopodavka.reach import Move, carriers, reach


def _puts_on(name: str) -> Callable[[KlopodavkaPosition, Sequence[Move], KlopodavkaPosition], bool]:
    return lambda _, plies, __: Move(sq(name)) in plies


def _crushes(_: KlopodavkaPosition, plies: Sequence[Move], __: KlopodavkaPosition) -> bool:
    return any(move.crush for move in plies)


def _goes_by_walls(before: KlopodavkaPosition, plies: Sequence[Move], _: KlopodavkaPosition) -> bool:
    """Whether an action is on a cell that none of the mover's bugs touched before."""
    board = before.ruleset.board
    near = board.spread(before.occupancy.bugs[before.seat])
    return any(not board.bits[move.square] & near for move in plies)


def _is_safe(before: KlopodavkaPosition, _: Sequence[Move], after: KlopodavkaPosition) -> bool:
    """Whether the other player can crush nothing with the next action."""
    return not reach(after.ruleset, after.occupancy, 1 - before.seat) & after.occupancy.bugs[before.seat]


def _cuts_off_two(before: KlopodavkaPosition, _: Sequence[Move], after: KlopodavkaPosition) -> bool:
    """Whether two bugs of the other player are alive and not linked to the headquarters."""
    ruleset, other = after.ruleset, 1 - before.seat
    linked = ruleset.board.flood(ruleset.homes[other], carriers(ruleset, after.occupancy, other))
    return (after.occupancy.bugs[other] & ~linked).bit_count() == 2


_SMALLEST: Final = "board:4x4 actions:1"
_SMALL: Final = "board:5x5 actions:1"
_HQ: Final = "board:5x7 variant:hq"

LESSON: Final = (
    LessonTask("corners", "3b/4/4/a3 1 1 -", _puts_on("b2"), _SMALLEST),
    LessonTask("steps", "4b/5/5/5/a4 1 3 -", _puts_on("d1"), "board:5x5"),
    LessonTask("crush", "3b/2b1/1a2/a3 1 1 -", _crushes, _SMALLEST),
    LessonTask("walls", "4b/5/2A2/1a3/a4 1 1 -", _goes_by_walls, _SMALL),
    LessonTask("dead-walls", "4b/2AAb/5/1a3/a4 1 2 -", _crushes, "board:5x5 actions:2"),
    LessonTask("cut-off", "4b/3b1/1BBa1/1a3/a4 1 1 -", _is_safe, _SMALL),
    LessonTask("win", "2bb/1aAA/a3/a3 1 1 -", wins, _SMALLEST),
    LessonTask("count-bases", "a1ABb/2ABB/2AbA/1a3/a4 1 1 -", wins, f"{_SMALL} variant:bases", True),
    LessonTask("headquarters", "1bbb1/1bbb1/1b3/1ba2/1b1a1/1aaa1/1aaa1 1 1 -", _cuts_off_two, _HQ, True),
    LessonTask("fences", "1bbb1/1bbb1/4b/AAAAb/3a1/1aaa1/1aaa1 1 1 -", wins, _HQ, True),
    LessonTask(
        "team-walls", "b4c/2c3/1CCd2/1a4/6/a4d 1 1 -", _crushes, "board:6x6 actions:1 teams:2v2", True
    ),
    LessonTask("joined-edges", "4b/3b1/2b2/5/a4 1 1 -", _crushes, f"{_SMALL} topology:torus", True),
)
