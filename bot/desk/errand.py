"""One request on its way through the desk: who asks, in which language, and how the answer gets its words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from bot.actions import Action
from bot.desk.grammar import BadCommand, Command, CommandError
from bot.desk.visitor import Visitor
from bot.desk.which import Finder, Fits, settle
from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.presenter.facts import Telling, tell
from bot.view import Message, Person, View
from play.facts import Fact
from play.match import Match
from play.people import Address
from play.ports import Store
from play.replay import Course
from play.table import Table
from rules.core import AnyGame


@dataclass(frozen=True, slots=True)
class Errand:
    """A request, with everything a handler needs to fulfil it."""

    table: Table
    store: Store
    visitor: Visitor
    command: Command
    words: Words
    at: datetime
    default_language: str

    @property
    def finder(self) -> Finder:
        """Finds the match that is meant."""
        return Finder(self.table, self.store, self.visitor)

    async def match(
        self, *kinds: Fits, latest: bool = False, otherwise: BadCommand = BadCommand.NOTHING_FITS
    ) -> Match:
        """The match that the command names, or the one here that fits (see `Finder.fitting`).

        Raises:
            NoSuchMatch: the code is of no match.
            CommandError: nothing fits.
            SeveralFit: more than one fits.
        """
        if self.command.code:
            return await self.finder.named(self.command.code)
        return await settle(self.finder.fitting(*kinds, latest=latest), otherwise)

    def game(self, match: Match) -> AnyGame:
        """The game of a match."""
        return self.table.games[match.game]

    def course(self, match: Match) -> Course:
        """Where a match has come to."""
        return self.table.course(match)

    def private(self, view: View) -> Message:
        """An answer for the visitor alone."""
        return Message(Person(self.visitor.account, self.visitor.place), view)

    async def words_at(self, place: Address) -> Words:
        """The language of a place."""
        return words_for(pick(await self.store.language(place), self.default_language))

    async def announce(self, fact: Fact) -> Sequence[Message]:
        """A fact to everybody who watches the match, each place in its language; the visitor too, if elsewhere."""
        match = fact.match
        game, course = self.game(match), self.course(match)
        said = [
            Message(place, tell(fact, Telling(game, match, course, await self.words_at(place))))
            for place in match.addresses
        ]
        if self.visitor.place not in match.addresses:
            said.append(self.private(tell(fact, Telling(game, match, course, self.words))))
        return said


Handler: TypeAlias = Callable[[Errand], Awaitable[Sequence[Message]]]
"""Fulfils a typed command."""

Pressed: TypeAlias = Callable[[Errand, Action], Awaitable[Sequence[Message]]]
"""Fulfils a pressed button."""


def no_such_word(word: str) -> CommandError:
    """A word that the command has no use for."""
    return CommandError(BadCommand.UNKNOWN_WORD, word=word[:32])
