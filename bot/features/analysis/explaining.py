"""What is best in a position, and why, in words: values as chances or as what is proved, and replies with their ideas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from bot.chat.i18n import Words
from bot.chat.presenting.captions import explained
from bot.chat.presenting.naming import Naming, line_played
from bot.chat.thinking.jobs import Variation
from bot.features.analysis.judging import Worth, idea_of
from rules.core import AnyGame, Diagram, Mark, Phrase, Position, Seat

UNITS: Final = ("actions", "moves")  # what plies are counted in, as the ends of catalogue keys
EXACT: Final = "exact"  # the same of moves that are exactly so many


KEYS: Final = {  # for the check of the catalogues
    "bot.analysis.{}": (("draw", "win", "loss"),),
    "bot.analysis.{}.{}": (("win", "loss"), (*UNITS, EXACT)),
    "bot.judged.{}.at-once": (("win", "loss"),),
    "bot.judged.{}.{}": (("win", "loss"), (*UNITS, EXACT)),
}


def unit(position: Position[Any]) -> str:
    """Return what a game's plies are counted in, as the end of a catalogue key."""
    return "actions" if position.counts_plies else "moves"


def percent(value: float) -> int:
    """Return a guess as chances in percent; 0 and 100 are for what is certain."""
    return min(99, max(1, round(50 * (1 + value))))


Valued: TypeAlias = Worth | Variation


def brief_value(worth: Valued, position: Position[Any], words: Words) -> str:
    """Return a value in a few words: a certain result with its plies to the end, or the chances where `plies` is None."""
    value, plies = worth.value or 0.0, worth.plies
    if plies is None:
        return words("bot.analysis.chances", percent=percent(value))
    result = ("draw", "win", "loss")[round(value)]
    if result == "draw" or not plies:
        return words(f"bot.analysis.{result}")
    return words.count(f"bot.analysis.{result}.{counted(worth, position)}", plies)


def compared_values(first: Valued, second: Valued, position: Position[Any], words: Words) -> tuple[str, str]:
    """Return two values that are said one after the other, each as in `brief_value`; of two chances, the second is the figure alone."""
    before = brief_value(first, position, words)
    if first.plies is None and second.plies is None:
        return before, words("bot.analysis.chance", percent=percent(second.value or 0.0))
    return before, brief_value(second, position, words)


def value_text(variation: Variation, position: Position[Any], words: Words) -> str:
    """Return what a variation from a position comes to: a proof with its length, or an estimate in percent."""
    if variation.plies is None:
        return words("bot.judged.guess", percent=percent(variation.value))
    result = round(variation.value)
    if result == 0:
        return words("bot.judged.draw")
    judged = "win" if result > 0 else "loss"
    if variation.plies == 1:
        return words(f"bot.judged.{judged}.at-once")
    return words.count(f"bot.judged.{judged}.{counted(variation, position)}", variation.plies)


def counted(worth: Valued, position: Position[Any]) -> str:
    """Return how plies to the end are said, as the end of a catalogue key: as an exact number, else as one at most."""
    plies = unit(position)
    return EXACT if worth.exact and plies == "moves" else plies


@dataclass(frozen=True, slots=True)
class ExplainedReply:
    """A reply, or the replies of all others, in words and as a plan on a board; `marks` is what the second line is about."""

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
    """Return the best reply in a position, explained to the one other side; `phrase` puts names in place of seats."""
    left = None if reply.plies is None else reply.plies - len(reply.turn)
    value = brief_value(Worth(-reply.value, left, reply.exact), position, words)
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
        _, here = line_played(game, here, reply.turn)
    line = names.words("bot.why.answers", answers="; ".join(answers))
    return ExplainedReply((line, *ideas), explained(game, position, plies), ())
