"""Wording a fact: what that needs, and the function that each kind of fact is worded by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Final

from bot.i18n import Words
from bot.presenter.boards import show, with_lines
from bot.presenter.naming import Naming
from bot.view import View
from play.clock import Now
from play.facts import Fact
from play.match import Match, Ply
from play.ratings import Change
from play.replay import Course
from rules.core import AnyGame

_POINTS: Final = "count"  # the field of a game's phrase that says how many points a ply was worth


class Telling:
    """Everything that is needed to word a fact: its game, how the match stands, the language; perhaps what time it is.

    Args:
        game: Of the match.
        match: As it was right after the fact.
        course: Of the match.
        words: The language.
        now: For the time that is left; None: as it was when something was last done.
        changes: What the match did to ratings, by seat.
    """

    def __init__(
        self,
        game: AnyGame,
        match: Match,
        course: Course,
        words: Words,
        *,
        now: Now | None = None,
        changes: Sequence[Change | None] = (),
    ) -> None:
        self.game = game
        self.match = match
        self.course = course
        self.words = words
        self.names = Naming(game, match, words)
        self._now = now
        self._changes = changes

    def board(self, *lines: str, ping: bool = True) -> View:
        """How the match stands, after some words."""
        view = show(
            self.game,
            self.match,
            self.course,
            self.words,
            ping=ping,
            now=self._now,
            changes=self._changes,
        )
        return with_lines(view, *lines)

    def played(self, plies: Sequence[Ply], after: int = 0) -> str:
        """Some plies as they stand in the log; as the game says it, where its phrases tell what they scored.

        Args:
            plies: Which.
            after: How many of the log came after them.
        """
        course = self.course
        if course.position.scores:
            end = len(course.moves) - after
            played = slice(end - len(plies), end)
            phrases = list(map(self.game.say, course.positions[played], course.moves[played]))
            if any(_POINTS in phrase.fields for phrase in phrases):
                return "; ".join(map(self.names.phrase, phrases))
        return self.names.notation(plies)

    def brief(self, *lines: str) -> View:
        """Some words under the match's title."""
        return View(lines=(self.names.title, *lines), code=self.match.id, revision=self.match.revision)


@singledispatch
def say(fact: Fact, _telling: Telling) -> View:
    """Words for one kind of fact; each kind registers its own."""
    raise TypeError(f"nothing is said of {type(fact).__name__}")
