"""Wording a fact: what that needs, and the function that each kind of fact is worded by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import singledispatch

from bot.i18n import Words
from bot.presenter.boards import show, with_lines
from bot.presenter.naming import Naming
from bot.view import View
from play.clock import Outage
from play.facts import Fact
from play.match import Match
from play.replay import Course
from rules.core import AnyGame


class Telling:
    """Everything that is needed to word a fact: its game, how the match stands, the language; perhaps what time it is.

    Args:
        game: Of the match.
        match: As it was right after the fact.
        course: Of the match.
        words: The language.
        at: Now; None where the words are read later, and the moment of the fact counts.
        outages: What counts against nobody's clock.
    """

    def __init__(
        self,
        game: AnyGame,
        match: Match,
        course: Course,
        words: Words,
        *,
        at: datetime | None = None,
        outages: Sequence[Outage] = (),
    ) -> None:
        self.game = game
        self.match = match
        self.course = course
        self.words = words
        self.names = Naming(game, match, words)
        self._at = at
        self._outages = outages

    def board(self, *lines: str, ping: bool = True) -> View:
        """How the match stands, after some words."""
        view = show(
            self.game, self.match, self.course, self.words, ping=ping, at=self._at, outages=self._outages
        )
        return with_lines(view, *lines)

    def played(self, count: int, after: int = 0) -> str:
        """What some plies did, as the game says it: with the points they scored.

        Args:
            count: How many.
            after: How many of the log came after them.
        """
        course = self.course
        end = len(course.moves) - after
        moves = course.moves[end - count : end]
        return self.names.said(list(zip(course.positions[end - count : end], moves, strict=True)))

    def brief(self, *lines: str) -> View:
        """Some words under the match's title."""
        return View(lines=(self.names.title, *lines))


@singledispatch
def say(fact: Fact, _telling: Telling) -> View:
    """Words for one kind of fact; each kind registers its own."""
    raise TypeError(f"nothing is said of {type(fact).__name__}")
