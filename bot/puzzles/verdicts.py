"""Verdicts on turns at a puzzle: right, wrong, or not whole yet. The engines reply for the other side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from bot.desk.advice import best_turns
from bot.desk.context import Context
from bot.presenter.variations import played
from bot.puzzles.library import Posed
from bot.thinking.jobs import Variation, job_for
from engine.core import Task
from rules.core import AnyGame, IllegalMove, Legality, Position

SECONDS: Final = 1.5
"""Seconds of search for the answer to a turn."""


class Verdict(Enum):
    """What a turn comes to."""

    PART = auto()  # the turn goes on
    WRONG = auto()
    RIGHT = auto()
    SOLVED = auto()


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn, or a part of one, that was tried.

    Attributes:
        verdict: What it comes to.
        moves: Its moves.
        after: The position after them.
        reply: The other side's best reply, if it was searched.
        answer: The moves of the reply to a right turn.
        further: The position after that.
    """

    verdict: Verdict
    moves: tuple[Any, ...]
    after: Position[Any]
    reply: Variation | None = None
    answer: tuple[Any, ...] = ()
    further: Position[Any] | None = None

    @property
    def here(self) -> Position[Any]:
        """The position after the reply to a right turn; else the one after the turn."""
        return self.further or self.after


async def judged(
    context: Context, game: AnyGame, posed: Posed, position: Position[Any], text: str
) -> JudgedTurn:
    """Return the verdict on a typed turn.

    Raises:
        RulesError: the text is no turn, and no part of one.
        CommandError: there are no engines, or they have no time.
    """
    moves, after = _tried_moves(game, position, text)
    if after.outcome is not None:
        won = position.to_move in after.outcome.winners
        return JudgedTurn(Verdict.SOLVED if won else Verdict.WRONG, moves, after)
    if after.to_move == position.to_move:
        return JudgedTurn(Verdict.PART, moves, after)
    reply = await best_of(context, game, posed, after)
    if posed.puzzle.task is Task.HOLD:
        best = await best_of(context, game, posed, position)
        longest = reply.plies is None or best.plies is None or reply.plies + len(moves) >= best.plies
        return JudgedTurn(Verdict.SOLVED if longest else Verdict.WRONG, moves, after, reply)
    if not _holds(posed.puzzle.task, reply) and not await _is_best(context, game, posed, position, moves):
        return JudgedTurn(Verdict.WRONG, moves, after, reply)
    if posed.puzzle.task is Task.WIN:
        answer, here = played(game, after, reply.turn)
        if here.outcome is None and here.to_move == position.to_move:
            return JudgedTurn(Verdict.RIGHT, moves, after, reply, tuple(answer), here)
    return JudgedTurn(Verdict.SOLVED, moves, after, reply)


async def best_of(context: Context, game: AnyGame, posed: Posed, position: Position[Any]) -> Variation:
    """Return the best turn of a position of a puzzle.

    Raises:
        CommandError: there are no engines, or they have no time.
    """
    options = game.choose(dict(posed.puzzle.options))
    return (await best_turns(context, job_for(game, options, position, seconds=SECONDS))).lines[0]


def _holds(task: Task, reply: Variation) -> bool:
    """Whether a turn keeps the win or the draw, as the other side's best reply shows."""
    if task is Task.WIN:
        return reply.plies is not None and reply.value < 0
    return not (reply.plies is not None and reply.value > 0)


async def _is_best(
    context: Context, game: AnyGame, posed: Posed, position: Position[Any], moves: Sequence[Any]
) -> bool:
    """Whether a turn of which the answer says too little is the engine's own all the same.

    A win may be proved from one end only; and the one move that the others were compared with may lose after all, later.
    """
    best = await best_of(context, game, posed, position)
    if sorted(best.turn) != sorted(map(game.notation.format, moves)):
        return False
    return posed.puzzle.task is Task.SAVE or (best.plies is not None and best.value > 0)


def _tried_moves(game: AnyGame, position: Position[Any], text: str) -> tuple[tuple[Any, ...], Position[Any]]:
    """Return the moves of a turn, or of a part of one, and the position after them.

    Raises:
        RulesError: the text is neither.
    """
    moves = game.notation.parse(text, position)
    here = position
    for move in moves:
        if here.outcome is not None:
            raise IllegalMove(Legality.GAME_OVER)
        if here.to_move != position.to_move:
            raise IllegalMove(Legality.NO_SUCH_STEP, step=game.notation.format(move))
        here = here.play(move)
    return moves, here
