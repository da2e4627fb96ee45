"""Every turn that can be played in a task of a lesson."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from bot.chat.presenting.selection import turn_over
from rules.core import AnyGame, LessonTask, Position

Turn: TypeAlias = tuple[tuple[Any, ...], Position[Any]]
"""The plies of a turn, and the position after them."""


def start_of(game: AnyGame, task: LessonTask) -> Position[Any]:
    position: Position[Any] = game.notation.parse_position(task.position, game.choose(dict(task.options)))
    return position


def turns(
    start: Position[Any], plies: tuple[Any, ...] = (), here: Position[Any] | None = None
) -> Iterator[Turn]:
    """The whole turns from a position, each in every order of its plies."""
    here = here or start
    if turn_over(start, here):
        yield plies, here
        return
    for move in here.legal_moves():
        yield from turns(start, (*plies, move), here.play(move))


def sorted_out(game: AnyGame, task: LessonTask) -> tuple[list[Turn], list[Turn]]:
    """The turns that a task counts as right, and the others."""
    start = start_of(game, task)
    right: list[Turn] = []
    wrong: list[Turn] = []
    for plies, after in turns(start):
        (right if task.right(start, plies, after) else wrong).append((plies, after))
    return right, wrong
