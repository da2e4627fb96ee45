"""Context of a request: who asks for what, where, in which language, with what is needed to answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from bot.chat.arguments import CommandSpec
from bot.chat.errors import BadCommand, CommandError, InMatch, no_such_word, only_reading, shown
from bot.chat.grammar import HERE, Command
from bot.chat.i18n import Words, words_of
from bot.chat.i18n.times import Span, read_span
from bot.chat.match_lookup import (
    AmongFinished,
    Finder,
    MatchFilter,
    MatchQuery,
    Retry,
    RoomMatches,
    SeveralFit,
)
from bot.chat.presenting.boards import for_one, from_the_top
from bot.chat.presenting.facts import fact_view
from bot.chat.presenting.naming import Naming, Presentation
from bot.chat.quotas import DRAW_OFFERS, Quota, take
from bot.chat.sending.routing import pinged_at
from bot.chat.services import Services, weeks_of
from bot.chat.view import Message, Person, View, ViewKind, theme_of
from bot.chat.visitor import Visitor
from play.actions.agreeing import OfferDraw, Propose
from play.actions.renaming import Rename
from play.errors import PlayError, Unavailable
from play.facts import Fact, Watching
from play.match import Ask, Match
from play.people import Account, Address, entering
from play.ports import CODE_LENGTH, Operation
from play.ratings.model import RatingChange
from play.ratings.records import counted
from play.replay import Course
from play.request import Action, Request, game_named, listed_in
from play.settings import Settings
from play.table import Table
from play.time.clock import Now
from render.picture import Theme
from rules.core import AnyGame, Reason, RulesError
from storage.ports import FullStore


def cost_of(action: Action[Any], match: Match) -> Quota | None:
    """Return the rate, for a person in a match, that an action takes one of; None for most actions.

    A proposal of what is proposed already accepts it, which costs nothing.
    """
    if isinstance(action, OfferDraw | Propose):
        ask = action.ask if isinstance(action, Propose) else Ask.DRAW
        return None if match.offer and match.offer.ask is ask else DRAW_OFFERS
    return None


_NAMED: Final = 5  # codes in a refusal


class Speaker(Protocol):
    """A person who asks in the name of the place, which is the visitor then."""

    @property
    def visitor(self) -> Visitor:
        """The person."""

    @property
    def typed(self) -> str:
        """What a command says for it to be in the name of the place."""

    async def act(self, context: Context, match: Match, action: Action[Fact], /) -> Sequence[Message] | None:
        """Carry out an action instead of the table, and return the answer; None: the table is to do it."""


@dataclass(frozen=True, slots=True)
class Context:
    """A command or a press on its way, with everything that a handler needs.

    Attributes:
        visitor: Who asks, as the first of their linked accounts.
        asker: The account with which they ask, to which answers go.
        here: The matches shown at the place.
        command: What was typed, or what a press runs; empty for any other press.
        own: The settings of the visitor; `place` and `chat`: those of the place, and of the chat that it is a part of.
        answer: Answers another line of the visitor.
        operation: What the platform calls the request, where it may deliver it again and something may change.
        seen: Revision of the match for which the pressed button was made.
        speaker: Who asks in the name of the place, where the visitor is that.
    """

    services: Services
    visitor: Visitor
    asker: Account
    here: RoomMatches
    command: Command
    commands: Mapping[str, CommandSpec]
    words: Words
    at: datetime
    own: Settings
    place: Settings
    chat: Settings
    answer: Callable[[Visitor, str], Awaitable[Sequence[Message]]]
    operation: Operation | None = None
    seen: int | None = None
    speaker: Speaker | None = None

    @property
    def table(self) -> Table:
        """The table of the desk."""
        return self.services.table

    @property
    def store(self) -> FullStore:
        """The store of the desk."""
        return self.services.store

    @property
    def theme(self) -> Theme:
        """The colours of boards in the answer."""
        return self.place_theme if self.visitor.public else theme_of(self.own, self.place)

    @property
    def place_theme(self) -> Theme:
        """The colours of boards that everyone at the place sees."""
        return theme_of(self.place)

    @property
    def flip(self) -> bool:
        """Whether boards are shown from the visitor's own side: if they want that, or are alone with the bot."""
        return (self.own.flip or self.visitor.alone) and not self.visitor.public

    @property
    def place_words(self) -> Words:
        """The words in the language of the place."""
        return words_of(self.place, self.services.config.language)

    @property
    def once(self) -> str:
        """What tells the request from others, as platforms may deliver one twice; empty: it comes once."""
        return self.operation.id if self.operation else ""

    @property
    def for_place(self) -> str:
        """What a line says at its end for it to be in the name of the place; empty where the visitor asks for themselves."""
        return f" {self.speaker.typed}" if self.speaker else ""

    @property
    def in_public(self) -> Context:
        """The same request, answered for all at the place to see."""
        return replace(self, visitor=replace(self.visitor, public=True), words=self.place_words)

    @property
    def excluded(self) -> bool:
        """Whether the admins of the chat keep the visitor out."""
        accounts = (self.asker, self.visitor.account, self.visitor.alias, *self.own.others)
        return listed_in(self.chat.excluded, tuple(filter(None, accounts))) is not None

    @property
    def finder(self) -> Finder:
        """Lookup of the match that a command means."""
        return Finder(self.table, self.store, self.visitor, self.here)

    async def match(
        self,
        *kinds: MatchQuery,
        retry: Retry | None = None,
        instead: Sequence[MatchQuery] = (),
        otherwise: BadCommand = BadCommand.NOTHING_FITS,
        reads: bool = False,
    ) -> Match:
        """The match that the command names, or of those here that fit the first kind that any fits, the one that changed last.

        With a `retry` it has to be the only one that fits, or one that is meant `instead`, to say why not. A request that comes
        again means the same match, unless the command only `reads`: then nothing is written for it.
        """
        if self.command.code:
            return await self.finder.named(self.command.code)
        found = await self.finder.fitting(*kinds)
        if retry is not None and len(found) > 1:
            raise SeveralFit(found, retry)
        found = found or await self.finder.fitting(*instead)
        if not found:
            raise await self._nothing(otherwise)
        if reads or self.operation is None:
            return found[0]
        meant = await self.store.matches.bind(self.operation, found[0].id)
        return found[0] if meant == found[0].id else await self.table.get(meant)

    async def in_play(
        self, *kinds: MatchFilter, otherwise: Sequence[MatchFilter] = (), retry: Retry, reads: bool = False
    ) -> Match:
        """Return the visitor's match for a command, as `match` does; else the latest of another kind or over."""
        instead: Sequence[MatchQuery] = [*otherwise, self.finder.entered, AmongFinished(self.finder.was_mine)]
        why = BadCommand.NO_TURN_HERE
        return await self.match(*kinds, retry=retry, instead=instead, otherwise=why, reads=reads)

    async def invitation(self, *kinds: MatchFilter, retry: Retry) -> Match:
        """Return the invitation for a command, as `match` does; where none fits, the last one."""
        why = BadCommand.NO_INVITATION
        return await self.match(*kinds, retry=retry, instead=(self.finder.open,), otherwise=why)

    async def _nothing(self, otherwise: BadCommand) -> CommandError:
        if otherwise is not BadCommand.NO_TURN_HERE:
            return CommandError(otherwise)
        played = await self.finder.played_elsewhere()
        if played:
            codes = ", ".join(f"#{match.id}" for match in played[:_NAMED])
            return CommandError(BadCommand.PLAYED_ELSEWHERE, codes=codes, example=self.with_code(played[0]))
        return CommandError(BadCommand.NO_GAME_AT_ALL if self.visitor.alone else otherwise)

    def with_code(self, match: Match) -> str:
        """The command as it is typed with the code of a match."""
        command = self.command
        parts = (f"/{command.alias or command.name}", f"#{match.id}", shown(command.rest))
        return " ".join(filter(None, parts))

    async def naming_place(self) -> tuple[Context, tuple[Address, str] | None]:
        """Return the other place that the command names, with its name, and the request without that word; None where it names none.

        `#chess` is read as the code of a match: it names a place only where no match has that code, and a channel that name.
        """
        find, command = self.visitor.find_place, self.command
        words = [each for each in command.words if each.startswith(("#", "<#"))]
        if (code := command.code) and find and not (len(code) == CODE_LENGTH and await self.table.find(code)):
            words.append(f"#{code}")
        if find is None or not words:
            return self, None
        self.visitor.accepted()  # a platform may be asked
        for word in words:
            if found := await find(word):
                code = None if word == f"#{code}" else code
                left, rest = tuple(each for each in command.words if each != word), command.rest
                left_over = replace(command, code=code, words=left, rest=rest.replace(word, "", 1).strip())
                return replace(self, command=left_over), found
        return self, None

    def no_words(self) -> None:
        """Check that nothing was typed after the command but a code."""
        if self.command.rest:
            raise no_such_word(self.command.rest)

    def only_here(self) -> bool:
        """Return whether the place is to see the answer; check that nothing but that, and a code, was typed after the command."""
        for word in (*self.command.words, *self.command.options):
            if word.casefold() not in HERE:
                raise no_such_word(word)
        return bool(self.command.words)

    async def admins_only(self) -> None:
        """Check that the visitor is an admin of the place."""
        if not await self.visitor.is_admin():
            raise CommandError(BadCommand.NOT_ADMIN)

    async def take(self, rate: Quota, code: str = "") -> None:
        """Take one of a quota of the visitor's, or of theirs in one match. Where the store takes no writes, nothing is counted."""
        who = self.speaker.visitor if self.speaker else self.visitor
        whose, wait = f"{who.account}:{code}", timedelta()
        with suppress(Unavailable):
            wait = await take(self.store.bucket(), rate, whose, self.at, self.once)
        if wait and rate.reason is not None:
            raise CommandError(rate.reason, limit=rate.limit, wait=self.words.time_left(wait))

    def game(self, match: Match) -> AnyGame:
        """The game of a match."""
        return game_named(self.table.games, match.game)

    def course(self, match: Match) -> Course:
        """Where a match has come to."""
        return self.table.course(match)

    def request(self) -> Request:
        """Return what the visitor asks the table with."""
        others = () if self.speaker else self.own.others
        return Request(self.visitor.player, self.at, self.seen, self.operation, others=others)

    async def act(self, match: Match, action: Action[Fact]) -> Sequence[Message]:
        """Have an action of the visitor done in a match, and return the answer."""
        if (rate := cost_of(action, match)) is not None:
            await self.take(rate, match.id)
        try:
            if self.speaker and (said := await self.speaker.act(self, match, action)) is not None:
                return said
            named = await self._named(match)
            return await self.announce(await self.table.act(match.id, action, self.request(), known=named))
        except Unavailable:
            raise
        except (RulesError, PlayError) as refusal:
            raise InMatch(match, refusal) from refusal

    async def _named(self, match: Match) -> Match:
        """Return a match with the name that the visitor has where they are called: on Discord each server has its own names."""
        who = entering(self.visitor.player)
        stale = any(player.account == who.account and player != who for player in match.players())
        if not stale or pinged_at(match, who.account) != self.visitor.place:
            return match
        return (await self.table.act(match.id, Rename(who), Request(who, self.at), known=match)).match

    @property
    def now(self) -> Now:
        """The moment of the request, as clocks count it."""
        return self.table.now(self.at)

    def span(self, typed: str, reason: Reason) -> Span:
        """Return from when until when typed dates and times say, in the visitor's time zone."""
        zone, language = self.own.own_zone, self.words.language
        return only_reading(read_span(typed, self.at, zone, language), typed, reason)

    def private(
        self, view: View, kind: ViewKind | None = None, *, refused: bool = False, secret: bool = False
    ) -> Message:
        """An answer for the visitor alone, with boards in their colours; `refused` and `secret` as in `Message`."""
        to = Person(self.asker, self.visitor.place)
        view = replace(view, theme=self.theme, language=self.words.language, kind=kind or view.kind)
        return Message(to, view, refused=refused, secret=secret)

    def flipped(self, match: Match) -> bool:
        """Whether a board is shown from the top, where the visitor, of two players, sits."""
        return self.flip and from_the_top(match, self.visitor.account)

    def names(self, match: Match) -> Naming:
        """What the parts of a match are called in the visitor's language; the log is not replayed."""
        return Naming(self.game(match), match, self.words)

    def present(
        self, match: Match, changes: Sequence[RatingChange | None] = (), *, here: bool = False
    ) -> Presentation:
        """A match as the visitor, or the place, sees it now; `changes` is what it did to ratings."""
        game, course = self.game(match), self.course(match)
        if here:
            return Presentation(game, match, course, self.place_words, self.now, changes, self.place_theme)
        flipped = self.flipped(match)
        zone = None if self.visitor.public else self.own.own_zone
        return Presentation(game, match, course, self.words, self.now, changes, self.theme, flipped, zone)

    async def announce(self, fact: Fact) -> Sequence[Message]:
        """Return the answer to what the visitor did, where the sender does not show it at their place."""
        # A match that cannot be replayed cannot be announced: the visitor gets the error.
        self.course(fact.match)
        places = (fact.where,) if isinstance(fact, Watching) else fact.match.addresses
        # A match that is shown at no place comes to its players, in a local room at the same place.
        shown = self.visitor.place in places or (self.visitor.plain and not places)
        return [] if shown else [await self.notice(fact)]

    async def changes(self, match: Match) -> Sequence[RatingChange | None]:
        """Return what a match did to ratings, or nothing while that cannot be loaded."""
        with suppress(PlayError):
            return await counted(self.table, match)
        return ()

    async def notice(self, fact: Fact) -> Message:
        """Return a message about a fact to the visitor alone."""
        presentation = self.present(fact.match, await self.changes(fact.match))
        presentation = replace(presentation, weeks=await weeks_of(self.store, fact.match))
        view = fact_view(fact, presentation)
        return self.private(for_one(view, presentation, self.asker, self.visitor.account))
