"""Messages that are done with: what they say once nothing can be pressed in them any more."""

from __future__ import annotations

from dataclasses import replace

from bot.i18n import Words
from bot.presenter.boards import show
from bot.presenter.captions import events
from bot.presenter.naming import Naming
from bot.presenter.presentation import Telling
from bot.view import View
from play.match import Match, Phase, Ply
from play.replay import Course
from rules.core import AnyGame


def old_card(game: AnyGame, match: Match, words: Words) -> View:
    """An invitation, once something came of it or nothing did: no seats that are free, nobody who is expected."""
    names = Naming(game, match, words)
    lines = [names.title]
    if match.phase is Phase.CALLED_OFF:
        lines.append(words(match.cancelled or "match.cancel.withdrawn"))
    elif match.phase is not Phase.OPEN:  # else the same card stands further down
        key = "bot.match.resumed" if match.imported else "bot.match.started"
        lines.append(words(key, opponents=names.opponents))
    return View(lines=tuple(lines), code=match.id, revision=match.revision)


def old_board(game: AnyGame, match: Match, course: Course, words: Words) -> View:
    """A board that others have followed: what was played last on it, the position, and who plays.

    Whose turn it was and what time they had left is said no more: it would seem to be so still.

    Args:
        game: Of the match.
        match: As it is now.
        course: Of the match, as far as it had come.
        words: The language.
    """
    then = replace(
        match,
        phase=Phase.PLAYING,
        log=course.log,
        result=None,
        offer=None,
        clock=None,
        times=None,
        paused=None,
    )
    telling = Telling(game, then, course, words)
    view = show(game, then, course, words)
    lines = (*_last(telling, course), *view.lines)
    return replace(view, lines=lines, after=(), untimed=(), buttons=(), controls=(), grid=None)


def _last(telling: Telling, course: Course) -> tuple[str, ...]:
    """What happened last, as it was said when it did."""
    names, log = telling.names, course.log
    last = next((at for at in reversed(range(len(log))) if isinstance(log[at], Ply)), None)
    if last is None:
        return (telling.words("bot.match.started", opponents=names.opponents),)
    first = course.turn_start(last)
    plies = [entry for entry in log[first : last + 1] if isinstance(entry, Ply)]
    moves = telling.played(plies, len(log) - 1 - last)
    said = [telling.words("bot.moved", name=names.seat(log[last].seat), moves=moves)]
    for at in range(first, len(log)):
        said += events(names, course, at)
    return tuple(said)
