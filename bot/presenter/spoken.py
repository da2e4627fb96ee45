"""A match in words alone, for those who do not see the board."""

from __future__ import annotations

from typing import Final

from bot.i18n import Words
from bot.presenter.boards import roster, turn
from bot.presenter.captions import cut, happened, length
from bot.presenter.naming import Naming
from bot.presenter.position import position_lines
from bot.view import View
from play.clock import Now
from play.match import Match
from play.replay import Course
from rules.core import AnyGame

LIMIT: Final = 1800
"""Characters in all, in UTF-16 units: Discord takes 2000 in a message."""

_LAST: Final = 600  # characters of what happened last, at most


def in_words(
    game: AnyGame,
    match: Match,
    course: Course,
    words: Words,
    *,
    now: Now | None = None,
) -> View:
    """What happened last, who plays, what stands where, whose turn it is or how it ended; see `boards.show`."""
    names = Naming(game, match, words)
    lines = [names.title, cut(" ".join(happened(names, course)), _LAST)]
    lines.append("; ".join(line.text for line in roster(names, course)))
    after = names.result or (turn(names, course, now),)
    room = LIMIT - sum(length(line) + 1 for line in (*lines, *after))
    lines += position_lines(game.draw(course.position), names, room)
    return View(lines=tuple(lines), after=after)
