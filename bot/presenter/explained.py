"""Boards that explain a turn: the turn as a plan, and the squares that its idea is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bot.i18n import Words
from bot.presenter.position import squares_text
from bot.presenter.variations import played
from rules.core import TURN, AnyGame, Diagram, Highlights, Mark, Position, Sign


def explained(
    game: AnyGame, start: Position[Any], turn: Sequence[str], marks: Sequence[Mark] = ()
) -> Diagram:
    """Return a turn as a plan, with the marks of its idea; the position alone where the turn is empty.

    Where arrows tell the whole turn, the board is the one before it, on which the idea's marks are; else the one after it.

    Raises:
        RulesError: the turn cannot be played.
    """
    if not turn:
        return replace(game.draw(start), marks=tuple(marks))
    moves, after = played(game, start, turn)
    plan = game.draw(after, Highlights(last=moves, planned=True, before=start))
    came = {mark.square for mark in plan.marks if mark.sign in TURN and mark.sign is not Sign.LEFT}
    if plan.arrows and came <= {arrow.end for arrow in plan.arrows}:
        plan = replace(game.draw(start), arrows=plan.arrows, planned=True)
    taken = {(mark.sign, mark.square) for mark in plan.marks}
    return replace(
        plan,
        marks=(*plan.marks, *(mark for mark in marks if (mark.sign, mark.square) not in taken)),
    )


def marked(marks: Sequence[Mark], words: Words) -> Iterator[str]:
    """Yield a line that names the marked squares, for the alternative text."""
    if squares := [mark.square for mark in marks]:
        yield words("bot.hint.marked", squares=squares_text(tuple(squares)))
