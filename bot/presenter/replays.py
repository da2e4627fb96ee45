"""A match from its first position to its last, as the frames of an animation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bot.presenter.boards import result_or_turn
from bot.presenter.captions import ALT, caption, cut, happened, sentence
from bot.presenter.presentation import Presentation
from bot.presenter.roster import names_only
from bot.view import View
from play.match import Ply
from play.replay import Course
from render.animation import MOST, Animation, Frame, spread
from rules.core import Highlights

LENGTH: Final = 60.0  # seconds that the moves of a match take, unless they would go by too slowly or too fast

SLOWEST: Final = 1.2
FASTEST: Final = 0.3
OPENING: Final = 2.0


def frames(presentation: Presentation, *, most: int = MOST, length: float = LENGTH) -> tuple[Frame, ...]:
    """The start, a frame for each entry of the log, and at last how it ended or whose turn it is.

    Of a longer match than `most` frames some entries at even distances are shown. The moves take `length` seconds.
    """
    game, course, names = presentation.game, presentation.course, presentation.names
    who = names_only(presentation)
    entries = spread(list(_entries(course)), max(1, most - 2))
    seconds = min(SLOWEST, max(FASTEST, length / max(1, len(entries))))
    shown = [Frame(game.draw(course.start), names.opponents, OPENING, who)]
    for index, first in entries:
        diagram = game.draw(
            course.positions[index + 1],
            Highlights(
                last=[move for move in course.moves[first : index + 1] if move is not None],
                before=course.positions[first],
            ),
        )
        if diagram.first is not None:
            shown.append(Frame(diagram.first, caption(presentation, index), seconds, who))
            diagram = replace(diagram, first=None)
        shown.append(Frame(diagram, caption(presentation, index), seconds, who))
    shown.append(Frame(shown[-1].diagram, " ".join(result_or_turn(presentation)), SLOWEST, who))
    return tuple(shown)


def _entries(course: Course) -> Iterator[tuple[int, int]]:
    """The index of each entry of a log, and that at which its turn began: for an exit or a return, the turn before it."""
    first, mover = 0, None
    for index, (entry, before) in enumerate(zip(course.log, course.positions, strict=False)):
        if isinstance(entry, Ply):
            if entry.seat != mover or before.plies_left == before.turn_length:
                first = index
            mover = entry.seat
        yield index, first


def replay(presentation: Presentation, made: Animation | None) -> View:
    """A match as an animation; without one, where it could not be made, how else to look at the match."""
    words, names, match = presentation.words, presentation.names, presentation.match
    if made is None:
        return View(lines=(words("bot.replay.failed", title=names.title),))
    state = result_or_turn(presentation)
    after = (*happened(presentation), *state)
    return View(
        lines=(names.title, names.opponents),
        after=state,
        alt=cut(" ".join(sentence(one, words) for one in (names.opponents, *after)), ALT),
        film=(f"{match.game}-{match.id}.gif", made),
    )
