"""The reply that refutes a turn: what it comes to, what it does, and a board that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.analysis.ideas import idea_of
from bot.i18n import Words
from bot.presenter.explained import explained
from bot.presenter.naming import Naming
from bot.presenter.variations import brief_value, played
from bot.thinking.jobs import Variation
from rules.core import AnyGame, Diagram, Mark, Phrase, Position, Seat


@dataclass(frozen=True, slots=True)
class ExplainedReply:
    """A reply in words and on a board.

    Attributes:
        lines: What it is, what it comes to, and what it does to the side that is replied to, where that has a name.
        diagram: The reply as a plan; among more than two sides, the replies of all others.
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
    left = None if reply.plies is None else reply.plies - len(reply.turn)
    value = brief_value(-reply.value, left, position, words)
    lines = [words("bot.analysis.reply", reply=" ".join(reply.turn), value=value)]
    idea = idea_of(game, position, reply)
    marks: tuple[Mark, ...] = ()
    if idea is not None and idea.reply is not None:
        lines.append(phrase(idea.reply))
        marks = idea.marks
    return ExplainedReply(tuple(lines), explained(game, position, reply.turn, marks), marks)


def explained_replies(
    game: AnyGame, position: Position[Any], replies: Sequence[Variation], asker: Seat, names: Naming
) -> ExplainedReply:
    """Return the best turns of all others from a position, explained to one seat of more than two sides."""
    answers, ideas = [], []
    plies: tuple[str, ...] = ()
    here = position
    for reply in replies:
        moves = " ".join(reply.turn)
        name = names.seat(here.to_move)
        answers.append(names.words("bot.why.answer", name=name, moves=moves))
        idea = idea_of(game, here, reply)
        if idea is not None and idea.reply is not None and asker in idea.reply.fields.values():
            ideas.append(names.words("bot.why.answer-idea", name=name, idea=names.phrase(idea.reply)))
        plies += reply.turn
        _, here = played(game, here, reply.turn)
    line = names.words("bot.why.answers", answers="; ".join(answers))
    return ExplainedReply((line, *ideas), explained(game, position, plies), ())
