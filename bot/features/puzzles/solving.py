"""What is best in the position of a puzzle, and what a turn in it comes to; by searches that the caller has made."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from bot.chat.errors import CommandError
from bot.chat.presenting.naming import line_played, variation_text
from bot.chat.thinking import Busy, NoAnswer
from bot.chat.thinking.jobs import Variation, job_for
from bot.features.analysis.judging import Search, read_turn
from bot.features.exercises import JudgedTurn, Verdict
from bot.features.puzzles.library import Posed
from engine.core import Task
from rules.core import AnyGame, Position

_SECONDS: Final = 1.5  # seconds of search in the position of the puzzle, and for the answer to a turn

NEXT: Final = 0.5  # seconds of search for each further turn of a solution; what is proved takes less
_ALL: Final = 5.0  # seconds for all further turns

MOST: Final = 24  # further turns, at most
_UNPROVED: Final = 4  # turns shown of a solution that is no win


async def best_of(
    game: AnyGame, posed: Posed, position: Position[Any], search: Search, seconds: float = _SECONDS
) -> Variation:
    """Return the best turn of a position of a puzzle."""
    return (await search(job_for(game, posed.options(game), position, seconds=seconds))).lines[0]


async def judged(
    game: AnyGame, posed: Posed, position: Position[Any], text: str, search: Search
) -> JudgedTurn:
    """Return the verdict on a typed turn."""
    moves, after = read_turn(game, position, text)
    turn = JudgedTurn(Verdict.SOLVED, moves, after)
    if after.outcome is not None:
        won = position.to_move in after.outcome.winners
        return turn if won else replace(turn, verdict=Verdict.WRONG)
    if after.to_move == position.to_move:
        return replace(turn, verdict=Verdict.PART)
    reply = await best_of(game, posed, after, search)
    turn = replace(turn, reply=reply)
    if not _holds(posed.puzzle.task, reply):
        best = await best_of(game, posed, position, search)
        if not _as_good(game, posed.puzzle.task, best, moves, reply):
            return replace(turn, verdict=Verdict.WRONG)
    if posed.puzzle.task is Task.WIN:
        answer, here = line_played(game, after, reply.turn)
        if here.outcome is None and here.to_move == position.to_move:
            return replace(turn, verdict=Verdict.RIGHT, answer=tuple(answer), further=here)
    return turn


def _holds(task: Task, reply: Variation) -> bool:
    if task is Task.WIN:
        return reply.plies is not None and reply.value < 0
    return task is Task.SAVE and not (reply.plies is not None and reply.value > 0)


def _as_good(game: AnyGame, task: Task, best: Variation, moves: Sequence[Any], reply: Variation) -> bool:
    """A win may be proved from one end only; and the one move that the others were compared with may lose after all, later."""
    if task is Task.HOLD:
        return reply.plies is None or best.plies is None or reply.plies + len(moves) >= best.plies
    if sorted(best.turn) != sorted(map(game.notation.format, moves)):
        return False
    return task is Task.SAVE or (best.plies is not None and best.value > 0)


async def solution_of(
    game: AnyGame, posed: Posed, position: Position[Any], search: Search
) -> tuple[Variation, str]:
    """Return the best variation, and its text: to the end of the game where it is won or lost for sure.

    Raises:
        CommandError, Busy, NoAnswer: `search` cannot have the position searched.
    """
    best = await best_of(game, posed, position, search)
    plies = list(best.line)
    if best.plies is not None and round(best.value):
        _, here = line_played(game, position, plies)
        until = time.monotonic() + _ALL
        with suppress(CommandError, Busy, NoAnswer):
            for _ in range(MOST):
                if here.outcome is not None or time.monotonic() >= until:
                    break
                line = await best_of(game, posed, here, search, NEXT)
                if line.plies is None:
                    break
                _, here = line_played(game, here, line.turn)
                plies += line.turn
    won = best.plies is not None and best.value > 0
    return best, variation_text(game, position, plies, None if won else _UNPROVED)
