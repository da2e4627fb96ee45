"""The reply that refutes a turn: what it comes to, what it does, and a board that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.analysis.ideas import idea_of
from bot.i18n import Words
from bot.presenter.explained import explained
from bot.presenter.variations import brief_value
from bot.thinking.jobs import Variation
from rules.core import AnyGame, Diagram, Mark, Phrase, Position


@dataclass(frozen=True, slots=True)
class ExplainedReply:
    """A reply in words and on a board.

    Attributes:
        lines: What it comes to for the side that is replied to, and what it does, where that has a name.
        diagram: The reply as a plan.
        marks: What the second line is about.
    """

    lines: tuple[str, ...]
    diagram: Diagram
    marks: tuple[Mark, ...]


def explained_reply(
    game: AnyGame,
    position: Position[Any],
    reply: Variation,
    words: Words,
    phrase: Callable[[Phrase], str],
) -> ExplainedReply:
    """Return the best reply in a position, explained to the one other side.

    Args:
        game: The rules.
        position: Where the reply is made.
        reply: What was searched there.
        words: The reader's language.
        phrase: Words a phrase of the game, with names in place of seats.
    """
    left = None if reply.plies is None else reply.plies - 1
    value = brief_value(-reply.value, left, position, words)
    lines = [words("bot.analysis.reply", reply=" ".join(reply.turn), value=value)]
    idea = idea_of(game, position, reply)
    marks: tuple[Mark, ...] = ()
    if idea is not None and idea.reply is not None:
        lines.append(phrase(idea.reply))
        marks = idea.marks
    return ExplainedReply(tuple(lines), explained(game, position, reply.turn, marks), marks)
