"""A match from its first position to its last, as the frames of an animation."""

from __future__ import annotations

from typing import Final

from bot.i18n import Words
from bot.presenter.boards import turn
from bot.presenter.captions import ALT, caption, cut, happened, sentence, walk
from bot.presenter.naming import Naming
from bot.presenter.strips import names_only
from bot.view import View
from play.match import Match
from play.replay import Course
from render.animation import MOST, Animation, Frame, spread
from rules.core import AnyGame

LENGTH: Final = 60.0
"""Seconds that the moves of a match take, unless they would go by too slowly or too fast."""

SLOWEST: Final = 1.2
FASTEST: Final = 0.3
OPENING: Final = 2.0


def film(
    game: AnyGame, match: Match, course: Course, words: Words, *, most: int = MOST, length: float = LENGTH
) -> tuple[Frame, ...]:
    """The start, a frame for each entry of the log, and at last how it ended or whose turn it is.

    Args:
        game: Of the match.
        match: As it is; begun.
        course: Of the match.
        words: The language of the captions.
        most: Frames at most. Of a longer match some entries at even distances are shown.
        length: Seconds that the moves should take.
    """
    names = Naming(game, match, words)
    who = names_only(names)
    start = Frame(game.draw(course.start), names.opponents, OPENING, who)
    steps = spread(list(walk(course)), max(1, most - 2))
    seconds = min(SLOWEST, max(FASTEST, length / max(1, len(steps))))
    frames = [start]
    for step in steps:
        end = step.index + 1
        diagram = game.draw(
            course.positions[end],
            last=[move for move in course.moves[step.first : end] if move is not None],
            before=course.positions[step.first],
        )
        frames.append(Frame(diagram, caption(names, course, step.index), seconds, who))
    last = frames[-1]
    state = names.result or (turn(names, course),)
    frames.append(Frame(last.diagram, " ".join(state), SLOWEST, who))
    return tuple(frames)


def replay(game: AnyGame, match: Match, course: Course, words: Words, made: Animation | None) -> View:
    """A match as an animation; without one, where it could not be made, how else to look at the match."""
    names = Naming(game, match, words)
    if made is None:
        return View(lines=(words("bot.replay.failed", title=names.title),))
    state = names.result or (turn(names, course),)
    after = (*happened(names, course), *state)
    return View(
        lines=(names.title, names.opponents),
        after=state,
        alt=cut(" ".join(sentence(one, words) for one in (names.opponents, *after)), ALT),
        film=(f"{match.game}-{match.id}.gif", made),
    )
