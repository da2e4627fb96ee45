"""The desk: turns a typed line or a pressed button of any platform into answers."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, TypeAlias

from bot.chat import arguments, error_handling, taps
from bot.chat.arguments import Access, ButtonSpec, CommandSpec, names_of
from bot.chat.callback_data import CallbackData
from bot.chat.context import Context
from bot.chat.error_handling import offer_move
from bot.chat.errors import BadCommand, CommandError
from bot.chat.grammar import MAX_LINE, NO, YES, Command, like_a_move, names_channel, read
from bot.chat.i18n.catalogue import available, words_of
from bot.chat.match_lookup import LISTED, RoomMatches, sound
from bot.chat.metrics import REQUEST, REQUESTS
from bot.chat.presenting import cards
from bot.chat.registry import SPEAKING, CommandHandler, Registry
from bot.chat.sending.unreached import read_again
from bot.chat.services import Services, settings_of
from bot.chat.suggestions import Suggestion, suggest
from bot.chat.view import Message, View
from bot.chat.visitor import Visitor
from play.actions.renaming import Rename
from play.actions.seating import Expire
from play.errors import NoSuchMatch, PlayError, Unavailable
from play.events import actions as events
from play.events.events import Events
from play.match import VOTES, Ask, Phase
from play.people import Account, Address, Player, entering
from play.ports import Operation
from play.request import Request
from play.settings import Settings
from storage.ports import AddressState

_HELP: Final = "/help"
_PLAY: Final = "/challenge"  # alone it acts on nothing, but asks what to play

_FEW: Final = 4  # words of a command typed without its slash, at most; a longer line is talk


async def _commands_in(context: Context, line: str) -> list[str]:
    """Return the commands that a line without a slash may be: `help`, `accept`, `yes`."""
    words = line.strip().rstrip("!?.…").split()
    if not 1 <= len(words) <= _FEW:
        return []
    first = words[0].casefold()
    if len(words) == 1 and first in YES | NO:
        return await _answers(context, yes=first in YES)
    if spec := names_of(tuple(context.commands.values())).get(first):
        return [" ".join((f"/{spec.name}", *words[1:]))]
    return []


async def _answers(context: Context, *, yes: bool) -> list[str]:
    finder, word = context.finder, "yes" if yes else "no"
    asked = [
        f"/{'end' if ask is Ask.REMOVE else ask.value} #{match.id} {word}"
        for ask in (Ask.DRAW, Ask.TAKEBACK, Ask.PAUSE, *VOTES)
        for match in await finder.fitting(finder.asked(ask))
    ]
    name = "accept" if yes else "decline"
    return asked + [f"/{name} #{match.id}" for match in await finder.fitting(finder.for_me)]


_NOTHING: Final = Command("", None, "", (), {})

TALK_EVERY: Final = timedelta(minutes=1)  # how often talk to the bot alone is answered
ACTIVE_EVERY: Final = timedelta(minutes=5)  # how exactly the last activity of a person is recorded


class Desk:
    """Answers typed lines and pressed buttons. It holds no state, so a restart loses none."""

    def __init__(self, registry: Registry, services: Services) -> None:
        self._services = services
        self._registry = registry
        self._table = services.table
        self._store = services.store
        self._now = services.now
        self._outgoing = services.store.outgoing()

    def answer(self, visitor: Visitor, line: str) -> Coroutine[Any, Any, Sequence[Message]]:
        """Return the answers to a typed line; none to most talk. Reading it takes no step: `run` answers a command itself."""
        try:
            command = read(line)
        except CommandError as error:
            return self._misread(visitor, error)
        if command is not None:
            return self.run(visitor, command, line)
        return self._typed_move(visitor, line) if like_a_move(line) else self._talk(visitor, line)

    async def run(self, visitor: Visitor, command: Command, typed: str | None = None) -> Sequence[Message]:
        """Return the answers to a command; `typed` is its line, where it was typed as one."""
        spec = self._registry.find(command.name)
        if spec:  # its name may be a localised one
            alias = command.name if command.name in spec.aliases else ""
            command = replace(command, name=spec.name, alias=alias)
        asked = command.line if typed is None else typed
        context = await self._enter(visitor, command, asked, lists=True)
        if context.here.of_alias and await self._claim(visitor):
            context.here.changed()
        if not await allowed(context, spec, command.code):
            return excluded(context)
        overdue = await self._overdue(context)
        async with _answering(context, "command") as messages:
            handle = self._registry.handlers.get(command.name)
            if len(command.rest) > MAX_LINE and command.name != "import":
                raise CommandError(BadCommand.TOO_LONG, limit=MAX_LINE)
            if handle is None:
                raise CommandError(BadCommand.UNKNOWN, command=command.name)
            context = await self._as_named(context)
            try:
                messages.extend(await handle(context))
            except error_handling.REFUSALS as refusal:
                messages.extend(await self._spoken(context, command.name, handle, refusal))
        return [*overdue, *messages]

    async def autocomplete(
        self,
        visitor: Visitor,
        command: str,
        argument: str,
        typed: str,
        given: Mapping[str, str] | None = None,
    ) -> Sequence[Suggestion]:
        """Return what to offer for a partly typed argument of a command; `given` are its other arguments so far."""
        given = given or {}
        context = await self._enter(visitor, Command.of(command, code=given.get("match")))
        if not await allowed(context, self._registry.find(command), None):
            return ()
        return await suggest(context, argument, typed, given)

    async def press(
        self, visitor: Visitor, button: CallbackData, *, brief: bool = False
    ) -> Sequence[Message]:
        """Return the answers to a pressed button, which may be out of date or for others.

        A refusal shows the board unless it is to be `brief`.
        """
        asked = f"[{button.verb.value}] {button}"
        command = self._registry.command_of(button)
        context, *_ = await asyncio.gather(
            self._enter(visitor, command, asked),
            self._claim(visitor),
            taps.forget(self._store.notes, visitor, button),
        )
        context = replace(context, seen=button.seen)
        spec = self._registry.button_specs[button.verb]
        if not await allowed(context, spec, button.code):
            return excluded(context)
        async with _answering(context, "press", None if brief else button) as messages:
            handle = self._registry.buttons[button.verb]
            asked = command.name or button.verb.value
            context = await self._as_named(context)
            try:
                messages.extend(await handle(context, button))
            except error_handling.REFUSALS as refusal:

                def pressed(context: Context) -> Awaitable[Sequence[Message]]:
                    return handle(context, button)

                messages.extend(await self._spoken(context, asked, pressed, refusal))
        return [replace(each, view=replace(each.view, kind=each.view.kind or spec.kind)) for each in messages]

    async def _as_named(self, context: Context) -> Context:
        """Return a request in the name of the place, if its command is said to be."""
        spec = self._registry.find(context.command.name)
        if spec is None or arguments.CHANNEL not in spec.arguments or not names_channel(context.command):
            return context
        return next(iter(await SPEAKING.all(context, spec.name, None)), context)

    async def _spoken(
        self, context: Context, asked: str, handle: CommandHandler, refusal: Exception
    ) -> Sequence[Message]:
        """Handle a request, which was refused to a visitor who does not play, in the name of the place that does."""
        for speaking in await SPEAKING.all(context, asked, refusal):
            return await handle(speaking)
        raise refusal

    async def _typed_move(self, visitor: Visitor, line: str) -> Sequence[Message]:
        context = await self._enter(visitor, _NOTHING)
        if not await allowed(context, self._registry.find("move"), None):
            return []
        async with _answering(context, "line") as messages:
            messages.extend(await offer_move(context, line.strip()))
        return messages

    async def _talk(self, visitor: Visitor, line: str) -> Sequence[Message]:
        """Answer a yes, or a command without its slash; else say what to do, now and then, where a person is alone."""
        if visitor.plain or visitor.alone:
            context = await self._enter(visitor, _NOTHING)
            async with _answering(context, "line") as messages:
                messages.extend(await self._probable(context, line))
            if messages:
                return messages
        if not visitor.alone:
            return []
        try:
            if not await self._store.notes.write_once(f"talked:{visitor.account}", "", keep=TALK_EVERY):
                return []
        except Unavailable:
            return []
        context = await self._enter(visitor, _NOTHING)
        first = await self._services.first_met(visitor.account)
        return [context.private(cards.greeting(context.words, "bot.talked-to", first=first))]

    async def _probable(self, context: Context, line: str) -> Sequence[Message]:
        """Answer a line that asks for the help, or to play; ask whether another command was intended; nothing to talk."""
        commands = await _commands_in(context, line)
        if len(commands) == 1 and (commands[0] == _PLAY or commands[0].split()[0] == _HELP):
            return await self.answer(context.visitor, commands[0])
        return [await error_handling.question(context, commands)] if commands else []

    async def _misread(self, visitor: Visitor, error: CommandError) -> Sequence[Message]:
        context = await self._enter(visitor, _NOTHING)
        if not await allowed(context, None, None):
            return excluded(context)
        view = View(lines=(context.words(error.reason, **error.fields),))
        return [context.private(view, refused=True)]

    async def _enter(
        self, visitor: Visitor, command: Command, asked: str | None = None, *, lists: bool = False
    ) -> Context:
        """Return the context of a request, and store what it shows; `asked` is its text, if it may change something.

        With `lists` the matches at the place are loaded with it.
        """
        here = RoomMatches(self._store, visitor.place, visitor.account)
        known = None
        with suppress(Unavailable):
            if lists:
                known, here.listed, here.of_alias = await self._store.visited(
                    visitor.place, *_whose(visitor), most=LISTED, alias=visitor.alias
                )
            else:
                known = await self._outgoing.known(visitor.place, *_whose(visitor))
        if known is None and visitor.retried:
            raise Unavailable
        given, language = visitor, self._services.config.language
        chosen = known.chosen if known else {}
        own, place, chat = (chosen.get(one) or Settings() for one in _whose(visitor))
        if own.person:  # the linked account asks in the name of the first one
            visitor = replace(visitor, player=Player(own.person, visitor.player.name))
            own = (await settings_of(self._store, visitor.account))[0] or Settings()
        here.account = visitor.account
        if known and asked is not None and command.name != "language" and place.language is None:
            spoken = available(chat, visitor.server_locale, own, visitor.locale)
            place = replace(place, language=spoken)
        context = Context(
            services=self._services,
            visitor=visitor,
            asker=given.account,
            here=here,
            command=command,
            commands=self._registry.specs,
            words=words_of(*(() if visitor.public else (own, visitor.locale)), place, language),
            at=self._now(),
            own=own,
            place=place,
            chat=chat,
            answer=self.answer,
            operation=_operation(visitor, asked) if asked is not None else None,
        )
        accounts = (context.visitor.account, given.account)
        for where in (visitor.place, *(accounts if visitor.alone else ())):
            self._services.attention.acted(where, *accounts)
        if known is not None:
            await self._note_visit(given, known, context, changes=asked is not None)
        return context

    async def _note_visit(
        self, visitor: Visitor, known: AddressState, context: Context, *, changes: bool
    ) -> None:
        """Store what a request shows of its person, as the account that asks, and of its place; send to that again."""
        change, place, at = self._store.settings.change, visitor.place, context.at
        before, own, person = known.chosen[place], context.own, context.visitor.account
        if known.dead and visitor.writable:
            await self._services.reopen(place)
        await self._rename(visitor, known.chosen[visitor.account])
        with suppress(Unavailable):
            if (spoken := context.place.language) != before.language:
                await change(place, lambda now: replace(now, language=now.language or spoken))
            if own.active is None or not timedelta() <= at - own.active < ACTIVE_EVERY:
                await change(person, lambda now: replace(now, active=at))
            if read_here := {place, visitor.chat} & set(own.left):
                await change(person, lambda now: read_again(now, *read_here))
            if visitor.alone and before.person != person:
                await change(place, lambda now: replace(now, person=person))
            if visitor.around and changes and before.around != visitor.around:
                await change(place, lambda now: replace(now, around=visitor.around))
            if visitor.place_name and (visitor.chat, visitor.account, at.date()) not in self._services.seen:
                await self._services.seen.note(visitor.chat, visitor.account, at)

    async def _rename(self, visitor: Visitor, mine: Settings) -> None:
        """Put the visitor's name of today into their live matches, and events, that have the one they were seen under last."""
        today = entering(Player(visitor.account, visitor.called or visitor.player.name)).name
        if mine.name == today:
            return
        first = Player(mine.person or visitor.account, today)
        before, request = replace(first, name=mine.name or today), Request(first, self._now())
        with suppress(PlayError):
            if mine.name:
                for match in await self._store.matches.of(first.account):
                    if match.live and before in match.players():
                        await self._table.act(match.id, Rename(first), request, known=match)
                for event in await self._store.events.of(first.account):
                    if event.live and before in event.players():
                        renamed = events.RenameEntrant(first)
                        await Events(self._table, self._store).act(event.id, renamed, request)
            await self._store.settings.change(visitor.account, lambda now: replace(now, name=today))

    async def _claim(self, visitor: Visitor) -> bool:
        """Keep for the visitor's account the chairs that were kept for their name; whether there were any."""
        at, claimed = self._now(), False
        if visitor.alias is None:
            return False
        try:
            for match in await self._store.matches.of(visitor.alias):
                if match.phase is Phase.OPEN and not match.expired(at):
                    mine = await self._store.settings.get(visitor.account)
                    person = replace(visitor.player, account=mine.person or visitor.account)
                    request = Request(replace(visitor.player, account=visitor.alias), at)
                    await self._table.act(match.id, Rename(person), request, known=match)
                    claimed = True
        except PlayError as error:
            if visitor.retried and isinstance(error, Unavailable):
                raise  # the invitation would not be found
        return claimed

    async def _overdue(self, context: Context) -> Sequence[Message]:
        """Expire the invitations here whose time is up, so that none blocks the place, and return the answers."""
        said: list[Message] = []
        with suppress(PlayError):
            for match in await context.here.live():
                if match.phase is Phase.OPEN and match.expires <= context.at and sound(self._table, match):
                    request = replace(context.request(), operation=None)
                    fact = await self._table.act(match.id, Expire(), request)
                    context.here.changed()
                    said += await context.announce(fact)
        return said


@asynccontextmanager
async def _answering(
    context: Context, kind: str, pressed: CallbackData | None = None
) -> AsyncIterator[list[Message]]:
    """Collect and measure the answers of a handler at work; a refusal of it becomes one, and of a press shows the match too."""
    platform, outcome, messages = context.visitor.place.platform, "failed", list[Message]()
    try:
        with REQUEST.timed(platform, kind):
            try:
                yield messages
            except error_handling.REFUSALS as refusal:
                if context.visitor.retried and isinstance(refusal, Unavailable):
                    raise  # the request is handled again
                messages[:] = [await error_handling.refused(context, refusal, pressed)]
        outcome = "refused" if any(message.refused for message in messages) else "answered"
    finally:
        REQUESTS.add(platform, kind, outcome)


def _whose(visitor: Visitor) -> tuple[Account | Address, ...]:
    return visitor.account, visitor.place, visitor.chat


def _operation(visitor: Visitor, asked: str) -> Operation | None:
    if visitor.request is None:
        return None
    asked = hashlib.blake2b(f"{visitor.account} {asked}".encode(), digest_size=16).hexdigest()
    return Operation(f"{visitor.place.platform}:{visitor.request}", asked)


async def allowed(context: Context, asked: CommandSpec | ButtonSpec | None, code: str | None) -> bool:
    """Whether no admin keeps the visitor out of the chat, or an admin uses an admin's command, or it helps to finish a match.

    `asked` is None for a line that no command can be read from; `code` is the match that it names.
    """
    if not context.excluded:
        return True
    if asked is None:
        return False
    if asked.access is Access.ADMINS:
        return await context.visitor.is_admin()
    if not asked.finishing:
        return False
    try:
        matches = await context.here.own() if code is None else [await context.finder.named(code)]
    except (NoSuchMatch, CommandError):
        return False
    return any(match.live and context.visitor.account in match.people() for match in matches)


def excluded(context: Context) -> Sequence[Message]:
    """Return the refusal of a visitor whom the admins keep out."""
    return [context.private(View(lines=(context.words("bot.exclusion.notice"),)), refused=True)]


Deciding: TypeAlias = asyncio.Task[Sequence[Message]]


async def decided(
    visitor: Visitor, handle: Callable[[Visitor], Coroutine[Any, Any, Sequence[Message]]]
) -> Deciding:
    """Handle a request; return its task once it is decided. It is done, unless its answer takes a while."""
    accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def accept() -> None:
        if not accepted.done():
            accepted.set_result(None)

    deciding = asyncio.create_task(handle(replace(visitor, accepted=accept)))
    try:
        await asyncio.wait((deciding, accepted), return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        deciding.cancel()
        raise
    return deciding
