"""Solving the tasks of lessons with as few presses as can be."""

from __future__ import annotations

from collections.abc import Iterator

from bot.chat.presenting.picking import board, grid
from bot.chat.presenting.selection import PartialMove, PickTarget, Selection, follow, left_at_that
from bot.features.lessons.progress import PosedTask
from rules import GAMES
from tests.rules.conformance import turns

TASKS = [PosedTask(game, each) for game in GAMES.values() for each in game.lesson]


def turn(task: PosedTask, *, right: bool) -> str | None:
    """A turn that is right, or one that is not, as it is typed; None where there is none."""
    found = (plies for plies, after in turns(task.position) if task.right(plies, after) is right)
    plies = next(found, None)
    return None if plies is None else " ".join(map(task.game.notation.format, plies))


def right(task: PosedTask) -> str:
    """A right turn."""
    found = turn(task, right=True)
    assert found is not None, task
    return found


def _further(task: PosedTask, partial: PartialMove) -> Iterator[Selection]:
    """What can be picked with one press."""
    target = PickTarget(task.code, 0)
    keys, _ = grid(task.game, target, partial, board(task.game, partial))
    for row in keys.rows if keys else ():
        for key in row:
            if key.data is not None and key.state == "choice":
                yield Selection.read(key.data.argument)
    for step in partial.steps:
        yield partial.selection.step(step.token)


def presses(task: PosedTask) -> list[Selection]:
    """What the buttons carry that are pressed for a right turn, on the shortest way."""
    game, start = task.game, task.position
    ways: list[tuple[list[Selection], PartialMove]] = [([], follow(game, start, Selection()))]
    seen: set[object] = set()
    for pressed, here in ways:
        for selection in _further(task, here):
            partial = follow(game, start, selection)
            whole = partial if partial.whole else left_at_that(game, partial)
            if whole is not None and task.right(whole.moves, whole.position):
                return [*pressed, selection]
            now = partial.selection
            sign = (now.plies, now.tokens, frozenset(now.taps))
            if sign not in seen and not partial.whole:
                seen.add(sign)
                ways.append(([*pressed, selection], partial))
    raise AssertionError(task)
