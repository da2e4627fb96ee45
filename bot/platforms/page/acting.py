"""Who reads a page, and what they do: a press, a typed move or a selection becomes a press of the same button in a chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.errors import CommandError
from bot.chat.grammar import read
from bot.chat.i18n import Words, words_of
from bot.chat.presenting import cards
from bot.chat.presenting.cards import BULLET
from bot.chat.presenting.selection import Selection, follow
from bot.chat.services import settings_of
from bot.chat.view import Message, Person, View, theme_of
from bot.chat.visitor import Visitor
from bot.platforms.page import wire
from bot.platforms.page.sessions import NotASession, Session, Sessions
from bot.platforms.platform import PlatformServices
from play.errors import PlayError
from play.people import Account, Address, private_place
from render.picture import Theme
from rules.core import RulesError

_WORDS: Final = (
    "answers", "back", "play", "flip", "help", "log", "now", "earlier", "later", "typed", "send", "reconnecting", "watching",
    "board", "picked", "choice", "moves", "share", "copied", "games", "close", "nothing", "expired",
    "missing", "keys", "keys-off", "keys-on", "moving", "off", "what-if", "note", "noted",
)  # fmt: skip
"""The words of the client, by the ends of their keys."""

THEMES: Final = {theme.value: theme for theme in Theme}  # the colours of boards, by what a page calls them


@dataclass(frozen=True, slots=True)
class PageServices:
    """What all pages share."""

    services: PlatformServices
    sessions: Sessions
    url: str  # where the page is, without a slash at the end
    room: Address | None = None  # the local room; None where there is none

    def home(self, account: Account) -> Address:
        """Return where a person acts who is in no match: the local room, or their own chat with the bot."""
        at_room = self.room is not None and account.platform == self.room.platform
        return self.room if at_room and self.room else private_place(account)


class Denied(Exception):
    """A page that may not see what it asks for; the reason is a word for the client (`wire.PageFrame.over`)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page."""

    session: Session | None  # who they are; None for a spectator
    who: tuple[Account, ...]  # their accounts: the one of the session, and the first of those that are linked
    words: Words
    theme: Theme

    @property
    def hello(self) -> wire.PageHello:
        """What a page is greeted with."""
        told = {end: self.words(f"bot.page.{end}") for end in _WORDS}
        told["download"] = self.words("bot.page.download", name="{name}")  # the client puts it in
        name = self.session.player.name if self.session else ""
        return wire.PageHello(name, told, self.words.language, bool(self.session))


async def identified(shared: PageServices, asked: wire.PageConnect) -> Reader:
    """Return who reads, by the first frame of their page; raises `Denied`."""
    services, sessions = shared.services, shared.sessions
    session = None
    if asked.bearer:
        try:
            session = sessions.read(asked.bearer, services.now())
        except NotASession:
            raise Denied("session") from None
    who: tuple[Account, ...] = ()
    mine = None
    if session is not None:
        account = session.player.account
        (mine,) = await settings_of(services.store, account)
        who = (account,)
        if mine and mine.person:
            who = (mine.person, account)
            (mine,) = await settings_of(services.store, mine.person)
    elif not asked.code or not sessions.may_watch(asked.code, asked.key):
        raise Denied("session")
    words = words_of(mine, session.locale if session else None, asked.locale, services.language)
    wanted = THEMES.get(asked.theme, Theme.LIGHT)
    theme = theme_of(mine) if mine and mine.theme else wanted
    return Reader(session, who, words, theme)


_TYPED: Final = {"/puzzle": "puzzle", "/daily": "daily"}
"""Commands that the list of matches offers, and the ends of their words."""

KEYS: Final = {"bot.page.{}": ((*_WORDS, *_TYPED.values()),)}
"""The keys that this module puts together, by their template: the members of each hole."""

_SHOWN: Final = frozenset({Verb.BOARD, Verb.BACK})


@dataclass(frozen=True, slots=True)
class DeskAnswer:
    """What the desk answers."""

    messages: Sequence[Message] = ()  # for the reader alone
    go: str = ""  # the match that was begun, or asked for; empty if none was
    picked: View | None = None  # a board that belongs to no match, with what is picked on it


@dataclass(frozen=True, slots=True)
class Actor:
    """A reader with a session, at a match or at the list of theirs."""

    shared: PageServices
    reader: Reader
    code: str  # the match; empty for the list
    seated: bool  # whether they play in it
    # Shows how far an answer is that takes a while.
    progress: Callable[[Message], Awaitable[None]] | None = None

    async def act(self, asked: wire.PageRequest) -> DeskAnswer:
        """Carry out a request."""
        try:
            if asked.on:
                return await self._on_a_board(asked, CallbackData.unpack(asked.on))
            if asked.do == "press" and asked.text not in _TYPED:
                return await self._pressed(asked, CallbackData.unpack(asked.text))
        except BadCallbackData:
            return DeskAnswer()
        if asked.do == "play":
            return await self._played(asked)
        return await (self._typed(asked) if asked.do == "type" else self._run(asked))

    async def home(self) -> list[View]:
        """Return the reader's matches, and how to begin one."""
        data = CallbackData.without_match(Verb.GAMES)
        messages = await self.shared.services.desk.press(await self._visitor(), data, brief=True)
        words = self.reader.words
        mine = [_on_buttons(each.view) for each in messages if each.view.buttons]
        said = () if mine else (words("bot.page.none"),)
        return [*mine, View(lines=said, buttons=(cards.against_computer(words), cards.rules_button(words)))]

    def commands(self) -> list[wire.PageButton]:
        """Return the buttons for commands that `home` offers."""
        return [wire.PageButton(self.reader.words(f"bot.page.{end}"), typed) for typed, end in _TYPED.items()]

    async def _run(self, asked: wire.PageRequest) -> DeskAnswer:
        own = private_place(self.reader.who[0])
        visitor = replace(await self._visitor(asked.op), place=own, home=_nowhere)
        command = read(asked.text)
        assert command is not None, "it is one"  # noqa: S101
        return DeskAnswer(await self.shared.services.desk.run(visitor, command))

    async def _on_a_board(self, asked: wire.PageRequest, data: CallbackData) -> DeskAnswer:
        desk, visitor = self.shared.services.desk, await self._visitor(asked.op)
        data = replace(data, argument="" if asked.do == "type" else asked.text)
        messages = await desk.press(visitor, data, brief=True)
        picking = messages[0].view.picking if len(messages) == 1 and not messages[0].refused else None
        if picking is None:
            return DeskAnswer(messages)
        if asked.do == "pick":
            return DeskAnswer(picked=messages[0].view)
        moves = asked.text if asked.do == "type" else Selection.read(picking.picked).moves
        data = replace(data, verb=picking.plays, argument=moves)
        return DeskAnswer(await desk.press(visitor, data, brief=True))

    async def _played(self, asked: wire.PageRequest) -> DeskAnswer:
        table = self.shared.services.table
        current = await table.get(self.code)
        try:
            position = table.course(current).position
            partial = follow(table.games[current.game], position, Selection.read(asked.text))
            moves = partial.selection.moves
        except (RulesError, PlayError):
            moves = asked.text  # the desk says what is wrong, or that it was played already
        return await self._pressed(asked, CallbackData(Verb.MOVE, self.code, asked.seen, moves))

    async def _pressed(self, asked: wire.PageRequest, data: CallbackData) -> DeskAnswer:
        if data.verb in _SHOWN and data.code:
            return DeskAnswer(go=data.code)
        visitor = await self._visitor(asked.op)
        opens = data.verb is Verb.REMATCH or (not self.code and data.code is None)
        before = await self._own() if opens else frozenset()
        messages = await self.shared.services.desk.press(visitor, data, brief=True)
        return DeskAnswer(messages, next(iter(await self._own() - before), "") if opens else "")

    async def _own(self) -> frozenset[str]:
        account = self.reader.who[0]
        return frozenset(match.id for match in await self.shared.services.store.matches.of(account))

    async def _typed(self, asked: wire.PageRequest) -> DeskAnswer:
        visitor = await self._visitor(asked.op)
        try:
            command = read(f"/move #{self.code} {' '.join(asked.text.split())}")
        except CommandError as error:
            said = View(lines=(self.reader.words(error.reason, **error.fields),))
            return DeskAnswer([Message(Person(visitor.player.account, visitor.place), said, refused=True)])
        assert command is not None, "it begins with a slash"  # noqa: S101
        return DeskAnswer(await self.shared.services.desk.run(visitor, command))

    async def _visitor(self, op: str = "") -> Visitor:
        session = self.reader.session
        assert session is not None, "a spectator presses nothing"  # noqa: S101
        return Visitor(
            session.player,
            await self._place(session.player.account),
            find=_nobody,
            locale=session.locale or None,
            request=f"page.{op}" if op else None,
            buttons=True,
            writable=False,
            progress=self.progress,
        )

    async def _place(self, account: Account) -> Address:
        if self.code and self.seated:
            match = await self.shared.services.table.get(self.code)
            if match.addresses:
                return match.addresses[0]
        return self.shared.home(account)


def _on_buttons(listed: View) -> View:
    shows = sum(button.data.verb is Verb.BOARD for button in listed.buttons)
    lead, lines, rest = listed.lines[:1], listed.lines[1 : shows + 1], listed.lines[shows + 1 :]
    said = [
        replace(button, label=line.removeprefix(BULLET))
        for button, line in zip(listed.buttons, lines, strict=False)
    ]
    return replace(listed, lines=lead + rest, buttons=(*said, *listed.buttons[shows:]))


async def _nowhere(_account: Account) -> None:
    pass


def _nobody(_name: str) -> None:
    pass
