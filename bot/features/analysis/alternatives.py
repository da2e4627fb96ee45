"""Alternatives to a turn that was played: what another move comes to, by a search, and the reply that refutes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.chat.i18n import Words
from bot.chat.presenting.captions import explained
from bot.chat.presenting.naming import Naming, line_played
from bot.chat.thinking.jobs import Variation, job_for
from bot.features.analysis.judging import (
    CLOSE,
    Judged,
    PlayedTurn,
    Search,
    Worth,
    idea_of,
    no_better,
    outcome_value,
    read_turn,
)
from bot.features.analysis.values import brief_value
from play.replay import Course
from rules.core import AnyGame, Diagram, Mark, Phrase, Position, Seat

SECONDS: Final = 1.0
"""Seconds of search for one position."""

_ALL: Final = 3.0  # seconds for all positions, where many players move in between


@dataclass(frozen=True, slots=True)
class Alternative:
    """A turn instead of the one that was played, beside the best one of the position, and what each comes to for the seat.

    A beginning that was asked about is completed as well as can be; `worth` counts plies from before the turn. `replies` is the best
    one of the only other side; among more sides, the best turn of each, one after the other; none to the best turn itself.
    """

    instead: PlayedTurn
    plies: tuple[str, ...]
    worth: Worth
    best: tuple[str, ...]
    better: Worth
    replies: tuple[Variation, ...]
    line: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether it is the best turn itself, in any order of its plies."""
        return sorted(self.plies) == sorted(self.best)

    @property
    def lost(self) -> float:
        """How much of the value it gives away; negative where it looks better than the best."""
        return (self.better.value or 0.0) - (self.worth.value or 0.0)

    @property
    def equal(self) -> bool:
        """Whether it comes to the same result as the best turn, or to chances that searches cannot tell apart."""
        return self.same or abs(self.lost) < CLOSE


async def alternative(course: Course, judged: Judged, text: str, ask: Search) -> Alternative:
    """Return what another turn would have come to.

    The best turn, and the one that was played, come to what they were judged to: no turn has two values.
    """
    turn, best = judged.played, judged.best
    search = _TurnSearch(course, turn, ask)
    moves, here = read_turn(course.game, course.positions[turn.first], text)
    plies = tuple(map(course.game.notation.format, moves))
    if here.outcome is None and here.to_move == turn.seat and 0 < here.plies_left < search.start.plies_left:
        plies += (await search.best(here)).turn
    better = _from_before(Worth(best.value, best.plies), 0)
    if sorted(plies) == sorted(best.turn):
        return Alternative(turn, plies, better, best.turn, better, (), best.line[len(best.turn) :])
    was_played = sorted(plies) == sorted(turn.plies)
    worth, line, replies = await search.followed(plies, judged.reply if was_played else None)
    worth = _from_before(judged.after, len(plies)) if was_played else no_better(worth, best)
    return Alternative(turn, plies, worth, best.turn, better, replies, line)


def _from_before(worth: Worth, plies: int) -> Worth:
    """Return what a turn of so many plies comes to, counted from before it."""
    if worth.plies is None:
        return worth
    return Worth(worth.value, worth.plies + plies if worth.value else 0)


class _TurnSearch:
    def __init__(self, course: Course, turn: PlayedTurn, ask: Search) -> None:
        seats = course.game.seats(course.options)
        self._course, self._ask = course, ask
        self._side = course.side_of(turn.seat)
        self._duel = len(course.sides) == 2
        self._seconds = SECONDS if self._duel else _ALL / (2 * seats)
        self.start = course.positions[turn.first]

    async def best(self, position: Position[Any]) -> Variation:
        job = job_for(self._course.game, self._course.options, position, seconds=self._seconds)
        return (await self._ask(job)).lines[0]

    async def followed(
        self, plies: Sequence[str], reply: Variation | None
    ) -> tuple[Worth, tuple[str, ...], tuple[Variation, ...]]:
        """Among more sides the others play their best turns until the seat's side is to move again: then nothing is certain."""
        game = self._course.game
        _, here = line_played(game, self.start, plies)
        line: tuple[str, ...] = ()
        replies: tuple[Variation, ...] = ()
        for others in range(game.seats(self._course.options)):
            if here.outcome is not None:
                value = outcome_value(here.outcome, self._side)
                return Worth(value, None if others else len(plies)), line, replies
            found = (None if others else reply) or await self.best(here)
            own = here.to_move in self._side
            if own or self._duel:
                worth = Worth(found.value if own else -found.value, None if others else found.plies)
                return _from_before(worth, len(plies)), (*line, *found.line), replies if own else (found,)
            line += found.turn
            replies += (found,)
            _, here = line_played(game, here, found.turn)
        return Worth(), line, replies


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
        _, here = line_played(game, here, reply.turn)
    line = names.words("bot.why.answers", answers="; ".join(answers))
    return ExplainedReply((line, *ideas), explained(game, position, plies), ())
