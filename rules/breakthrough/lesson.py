"""The tasks of Breakthrough's lesson, and which moves are right in each; `breakthrough.lesson.<key>` asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.breakthrough.position import BreakthroughPosition, Move
from rules.core import LessonTask, leaves_no_win, wins


def _goes_diagonally(_: BreakthroughPosition, plies: Sequence[Move], __: BreakthroughPosition) -> bool:
    return plies[-1].start.file != plies[-1].end.file


def _captures(_: BreakthroughPosition, plies: Sequence[Move], __: BreakthroughPosition) -> bool:
    return plies[-1].captures


def _leaves_no_capture(_: BreakthroughPosition, __: Sequence[Move], after: BreakthroughPosition) -> bool:
    return not any(reply.captures for reply in after.legal_moves())


def _wins_a_man(before: BreakthroughPosition, plies: Sequence[Move], _: BreakthroughPosition) -> bool:
    return _gain(before, plies[-1]) > 0


def _gain(position: BreakthroughPosition, move: Move) -> int:
    """Count the men that a move wins when both sides go on capturing on its cell for as long as it pays."""
    after = position.play(move)
    return move.captures - max((0, *(_gain(after, reply) for reply in _captures_on(after, move))))


def _captures_on(position: BreakthroughPosition, last: Move) -> list[Move]:
    return [move for move in position.legal_moves() if move.captures and move.end == last.end]


def _guards_every_step(_: BreakthroughPosition, __: Sequence[Move], after: BreakthroughPosition) -> bool:
    """Whether each reply can be captured."""
    return all(_captures_on(after.play(reply), reply) for reply in after.legal_moves())


def _leaves_only_losing(before: BreakthroughPosition, _: Sequence[Move], after: BreakthroughPosition) -> bool:
    """Whether the game goes on, and each reply loses it."""
    return after.outcome is None and all(wins(before, (), after.play(each)) for each in after.legal_moves())


_BOARD: Final = "board:4x5"
_MISERE: Final = f"{_BOARD} variant:misere"

LESSON: Final = (
    LessonTask("forward", "b2b/4/4/1w2/4 w", _goes_diagonally, _BOARD),
    LessonTask("capture", "4/1bb1/1w2/4/2w1 w", _captures, _BOARD),
    LessonTask("arrive", "2b1/2w1/4/w2b/4 w", wins, _BOARD),
    LessonTask("runner", "3b/4/w3/2b1/1ww1 w", leaves_no_win, _BOARD),
    LessonTask("safe", "b1b1/4/2w1/4/4 w", _leaves_no_capture, _BOARD),
    LessonTask("exchange", "4/1bb1/1bb1/w1ww/2ww w", _wins_a_man, _BOARD),
    LessonTask("guards", "4/4/2b1/4/1ww1 w", _guards_every_step, _BOARD),
    LessonTask("misere", "4/2w1/4/b2w/4 w", _leaves_only_losing, _MISERE, further=True),
)
