"""The desk: from a line or a press to messages, through the table. Every platform speaks to it alike."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from bot.callback_data import CallbackData
from bot.desk import playing
from bot.desk.autocomplete import Suggestion, command_of, suggest
from bot.desk.context import Context, settings_of
from bot.desk.error_handling import guarded
from bot.desk.errors import BadCommand, CommandError
from bot.desk.grammar import MAX_LINE, Command, like_a_move, read
from bot.desk.match_lookup import RoomMatches, sound
from bot.desk.registry import Registry
from bot.desk.visitor import Visitor
from bot.i18n import pick
from bot.i18n import words as words_for
from bot.pictures import Pictures, theme_of
from bot.presenter import greeting
from bot.thinking import Thinker
from bot.view import Message, View
from play.actions.invitations import Expire
from play.errors import PlayError, Unavailable
from play.match import Phase
from play.people import Address, Player
from play.ports import Operation
from play.settings import Settings
from play.table import Table
from storage.outgoing import Outgoing
from storage.ports import FullStore

_NOTHING: Final = Command("", None, "", (), {})

TALK_EVERY: Final = timedelta(minutes=1)
"""How often talk that is said to us alone is answered."""

ACTIVE_EVERY: Final = timedelta(minutes=5)
"""How exactly it is remembered when somebody last did something."""


class Desk:
    """Answers what people say. Holds nothing: a restart loses nothing."""

    def __init__(
        self,
        registry: Registry,
        table: Table,
        store: FullStore,
        now: Callable[[], datetime],
        language: str,
        *,
        pictures: Pictures | None = None,
        thinker: Thinker | None = None,
        engines: frozenset[str] = frozenset(),
    ) -> None:
        self._registry = registry
        self._table = table
        self._store = store
        self._now = now
        self._language = language
        self._pictures = pictures or Pictures()
        self._thinker = thinker
        self._engines = engines
        self._outgoing: Outgoing | None = None

    async def hear(self, visitor: Visitor, line: str) -> Sequence[Message]:
        """What follows from a line; nothing, where it is talk."""
        try:
            command = read(line)
        except CommandError as error:
            context = await self._context(visitor, _NOTHING)
            return [context.private(View(lines=(context.words(error.reason, **error.fields),)))]
        if command is None and like_a_move(line):
            return await self._overhear(visitor, line)
        if command is None:
            return await self._small_talk(visitor)
        return await self._follow(visitor, command, line)

    async def run(self, visitor: Visitor, command: Command) -> Sequence[Message]:
        """What follows from a command whose arguments are apart already."""
        return await self._follow(visitor, command, command.line)

    async def _follow(self, visitor: Visitor, command: Command, asked: str) -> Sequence[Message]:
        here = RoomMatches(self._store, visitor.place)
        context, _ = await asyncio.gather(self._context(visitor, command, asked, here), _looked(here))
        return [*await self._overdue(context), *await guarded(context, lambda: self._run(context))]

    async def autocomplete(
        self,
        visitor: Visitor,
        command: str,
        argument: str,
        typed: str,
        given: Mapping[str, str] | None = None,
    ) -> Sequence[Suggestion]:
        """What to offer somebody who is typing an argument of a command: what is shown, and what it stands for.

        Args:
            visitor: Who types.
            command: Its name.
            argument: The argument's name in the catalogue of commands.
            typed: What of it there is.
            given: The other arguments so far.
        """
        given = given or {}
        context = await self._context(visitor, command_of(command, given))
        try:
            return await suggest(context, argument, typed, given)
        except Unavailable:
            return ()

    async def press(
        self, visitor: Visitor, button: CallbackData, *, brief: bool = False
    ) -> Sequence[Message]:
        """What follows from pressing a button, old ones and other people's included.

        Args:
            visitor: Who presses it.
            button: What it claims.
            brief: Only say that it is too late, where it is, for the visitor has seen how the match stands.
        """
        context = await self._context(visitor, _NOTHING, f"[{button.verb.value}] {button}")
        return await guarded(
            context, lambda: self._registry.buttons[button.verb](context, button), None if brief else button
        )

    async def _overhear(self, visitor: Visitor, line: str) -> Sequence[Message]:
        context = await self._context(visitor, _NOTHING)
        return await guarded(context, lambda: playing.untold(context, line.strip()))

    async def _small_talk(self, visitor: Visitor) -> Sequence[Message]:
        """Talk, which is none of our business, unless it is said to us alone: then what to do next, now and then."""
        if visitor.home is None:
            return []
        try:
            if not await self._store.notes.write_once(f"talked:{visitor.account}", "", keep=TALK_EVERY):
                return []
        except Unavailable:
            return []
        context = await self._context(visitor, _NOTHING)
        return [context.private(greeting.talked_to(context.words))]

    async def _context(
        self, visitor: Visitor, command: Command, asked: str | None = None, room: RoomMatches | None = None
    ) -> Context:
        """A request; `asked` is what was asked for, where that may change something."""
        at, asker = self._now(), visitor.account
        (mine, here), _ = await asyncio.gather(
            settings_of(self._store, asker, visitor.place), self._heard(visitor.place)
        )
        if mine and mine.person:  # they act as whom they are, and are answered where they are
            visitor = replace(visitor, player=Player(mine.person, visitor.player.name))
            (mine,) = await settings_of(self._store, visitor.account)
        there = here.language if here else None
        wishes = () if visitor.aloud else (mine.language if mine else None, visitor.locale)
        own = pick(*wishes, there, self._language)
        # What is not known is not written back: it would take away all that somebody has chosen.
        if mine and (mine.active is None or at - mine.active >= ACTIVE_EVERY):
            with suppress(Unavailable):
                await self._store.settings.change(visitor.account, lambda now: replace(now, active=at))
        return Context(
            table=self._table,
            store=self._store,
            visitor=visitor,
            here=room or RoomMatches(self._store, visitor.place),
            command=command,
            words=words_for(own),
            at=at,
            commands=self._registry.specs,
            default_language=self._language,
            pictures=self._pictures,
            theme=theme_of(here) if visitor.aloud else theme_of(mine, here),
            flip=bool(mine and mine.flip and not visitor.aloud),
            place_theme=theme_of(here),
            place_language=there,
            place=here or Settings(),
            account=asker,
            thinker=self._thinker,
            engines=self._engines,
            operation=_operation(visitor, asked) if asked is not None else None,
        )

    async def _heard(self, place: Address) -> None:
        """Where somebody speaks, something can be said again."""
        with suppress(Unavailable):
            if self._outgoing is None:
                self._outgoing = self._store.outgoing()
            if await self._outgoing.dead(place) is not None:
                await self._outgoing.set_dead(place, None)

    async def _run(self, context: Context) -> Sequence[Message]:
        name = context.command.name
        if len(context.command.rest) > MAX_LINE and name != "import":
            raise CommandError(BadCommand.TOO_LONG, limit=MAX_LINE)
        handler = self._registry.handlers.get(name)
        if handler is None:
            raise CommandError(BadCommand.UNKNOWN, command=context.command.name)
        return await handler(context)

    async def _overdue(self, context: Context) -> Sequence[Message]:
        """Call off the invitations here whose time is up, so that none blocks the place."""
        said: list[Message] = []
        try:
            for match in await context.here.live():
                if match.phase is Phase.OPEN and match.expires <= context.at and sound(self._table, match):
                    fact = await self._table.act(
                        match.id, Expire(), replace(context.request(), operation=None)
                    )
                    context.here.changed()
                    said += await context.announce(fact)
        except PlayError:
            return said
        return said


async def _looked(here: RoomMatches) -> None:
    """Look at the room while the rest is asked for; where that fails, it is asked again when it is needed."""
    with suppress(PlayError):
        await here.live()


def _operation(visitor: Visitor, asked: str) -> Operation | None:
    """The request as its platform names it, with what was asked and by whom."""
    if visitor.request is None:
        return None
    asked = hashlib.blake2b(f"{visitor.account} {asked}".encode(), digest_size=16).hexdigest()
    return Operation(f"{visitor.place.platform}:{visitor.request}", asked)
