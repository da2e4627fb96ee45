"""One open page: what its reader asks for, and what they are sent. A press is a press of the same button in a chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import Raw

from bot.callback_data import BadCallbackData, CallbackData, Verb
from bot.desk.context import settings_of
from bot.desk.errors import CommandError
from bot.desk.grammar import read
from bot.desk.page_links import shown_on_page
from bot.desk.visitor import Visitor
from bot.i18n import Words, pick
from bot.i18n import words as words_for
from bot.page import composing, lines, notes, wire
from bot.page.sessions import NotASession, Session, Sessions
from bot.pictures import theme_of
from bot.platform import Services
from bot.presenter import greeting
from bot.presenter.boards import from_the_top
from bot.presenter.controls import want_hints
from bot.presenter.match_setup import ENGINE, MatchSetup
from bot.presenter.presentation import Presentation
from bot.presenter.selection import Selection, follow
from bot.view import Button, Message, View
from play.errors import NoSuchMatch, PlayError
from play.match import Match, Phase
from play.people import Account, Address, Player, private_place
from render.picture import Theme
from rules.core import RulesError

_WORDS: Final = (
    "answers", "back", "play", "flip", "help", "log", "now", "earlier", "later", "typed", "send", "reconnecting", "watching",
    "board", "picked", "choice", "moves", "share", "copied", "games", "close", "nothing", "expired",
    "missing", "keys", "keys-off", "keys-on", "moving", "off", "what-if", "note", "noted",
)  # fmt: skip
"""The words of the client, by the ends of their keys."""

_TYPED: Final = {"/puzzle": "puzzle", "/daily": "daily"}
"""Commands that the list of matches offers, and the ends of their words."""

_SHOWN: Final = frozenset({Verb.BOARD, Verb.BACK})
_THEMES: Final = {theme.value: theme for theme in Theme}


@dataclass(frozen=True, slots=True)
class House:
    """What all pages share.

    Attributes:
        services: Those of a platform.
        sessions: Checks who reads.
        url: Where the page is, without a slash at the end.
        room: The local room; None where there is none.
    """

    services: Services
    sessions: Sessions
    url: str
    room: Address | None = None

    def home(self, account: Account) -> Address:
        """Return where a person acts who is in no match: the local room, or their own chat with the bot."""
        at_room = self.room is not None and account.platform == self.room.platform
        return self.room if at_room and self.room else private_place(account)


class Denied(Exception):
    """A page that may not see what it asks for; the reason is a word for the client (`wire.Frame.over`)."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page.

    Attributes:
        session: Who they are; None for a spectator.
        who: Their accounts: the one of the session, and the first of those that are linked.
        words: In their language.
        theme: The colours of boards.
    """

    session: Session | None
    who: tuple[Account, ...]
    words: Words
    theme: Theme


class Page:
    """One open page, as long as it is connected."""

    def __init__(self, house: House, send: Callable[[bytes], None]) -> None:
        self._house = house
        self._services = house.services
        self._sessions = house.sessions
        self._send = send
        self._sent_looks: set[str] = set()
        self._sent_log: list[wire.Entry] = []
        self._flip = False
        self._fair = True  # whether the places of the match allow hints
        self._reader: Reader | None = None
        self.code = ""
        self.shown = 0
        self.seated = False
        self.ended = False

    @property
    def reader(self) -> Reader:
        """Who reads."""
        assert self._reader is not None, "connected"  # noqa: S101
        return self._reader

    async def connect(self, asked: wire.Connect) -> None:
        """Find out who reads, and show the match or the list of matches.

        Raises:
            Denied: the session is over, or there is no such match to see.
            Unavailable: the store does not answer.
        """
        now, services = self._services.now(), self._services
        session = None
        if asked.bearer:
            try:
                session = self._sessions.read(asked.bearer, now)
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
        elif not asked.code or not self._sessions.may_watch(asked.code, asked.key):
            raise Denied("session")
        wishes = (mine.language if mine else None, session.locale if session else None, asked.locale)
        words = words_for(pick(*wishes, services.language))
        wanted = _THEMES.get(asked.theme, Theme.LIGHT)
        theme = theme_of(mine) if mine and mine.theme else wanted
        self._reader = Reader(session, who, words, theme)
        name = session.player.name if session else ""
        told = {end: words(f"bot.page.{end}") for end in _WORDS}
        told["download"] = words("bot.page.download", name="{name}")  # the client puts it in
        hello = wire.Hello(name, told, words.language, bool(session))
        self.code, self._flip = asked.code, asked.flip
        if asked.code:
            try:
                match = await self._match(asked)
            except Denied:
                self._frame(wire.Frame(hello=hello))  # the page has words for it
                raise
            if not set(match.people()).isdisjoint(who):
                self._fair = want_hints(await services.store.settings.get_many(*match.addresses))
                hello.note = await notes.noted(services.store.notes, who, match.id)
            self._frame(wire.Frame(hello=hello))
            await self.show(match, known=asked.r == match.revision)
        else:
            self._frame(wire.Frame(hello=hello))
            await self._home("")

    async def _match(self, asked: wire.Connect) -> Match:
        try:
            match = await self._services.table.get(asked.code)
        except NoSuchMatch:
            raise Denied("match") from None
        session = self.reader.session
        known = asked.key and self._sessions.may_watch(asked.code, asked.key)
        mine = not set(match.people()).isdisjoint(self.reader.who)
        if not (known or mine or (session is not None and session.code == asked.code)):
            raise Denied("match")
        if not await shown_on_page(self._services.store.settings, match):
            raise Denied("off" if mine else "match")
        return match

    async def show(
        self, match: Match, composed: composing.Composed | None = None, *, known: bool = False
    ) -> None:
        """Send a match as it is now, unless this or a later revision was sent, or it is `known`."""
        if match.id != self.code or match.revision < self.shown:
            return
        self.shown = match.revision
        self.seated = not set(match.people()).isdisjoint(self.reader.who)
        presentation = self.present(match)
        entries = composing.log(presentation)
        if known:
            self._sent_log = entries
            return
        composed = composed or composing.view(
            presentation, self.reader.who, self.share(match.id), tries=self._tries(match)
        )
        same = next(
            (at for at, (old, new) in enumerate(zip(self._sent_log, entries, strict=False)) if old != new),
            min(len(self._sent_log), len(entries)),
        )
        self._sent_log = entries
        raw = Raw(wire.write(composed.data))
        self._frame(wire.Frame(view=raw, log=entries[same:], log_from=same), composed)

    def _tries(self, match: Match) -> bool:
        """Whether the reader may try other moves beside the match: a player of one under way where hints are allowed too."""
        playing = match.phase is Phase.PLAYING and self.seated
        return not playing or (self._fair and not match.rated)

    def key(self) -> tuple[object, ...] | None:
        """What decides how a match looks to a spectator, so that it is composed once for all of them; None for players."""
        return None if self.reader.who else (self.reader.words.language, self.reader.theme, self._flip)

    def share(self, code: str) -> str:
        """Return the address for spectators of a match."""
        return f"{self._house.url}/m/{code}?k={self._sessions.watch_key(code)}"

    def present(self, match: Match) -> Presentation:
        """Return a match as the reader sees it.

        Raises:
            PlayError: the log cannot be replayed.
        """
        table = self._services.table
        side = any(from_the_top(match, account) for account in self.reader.who)
        return Presentation(
            table.games[match.game],
            match,
            table.course(match),
            self.reader.words,
            table.now(self._services.now()),
            (),
            self.reader.theme,
            side is not self._flip,
        )

    def end(self, why: str) -> None:
        """Send that the page is no longer served, by a word as in `Denied`; what it still asks for is refused."""
        self.ended = True
        self._frame(wire.Frame(over=why))

    def watched_by(self, count: int) -> None:
        """Send how many watch."""
        self._frame(wire.Frame(watching=count))

    async def handle(self, asked: wire.Request) -> None:
        """Carry out what the reader asks for, and send the answer.

        Raises:
            Unavailable: the store does not answer; asked again, the same is done once.
        """
        handler = self._handler(asked)
        if handler is None:
            self._frame(wire.Frame(re=asked.op, cards=[]))
        else:
            await handler(asked)

    def _handler(self, asked: wire.Request) -> Callable[[wire.Request], Awaitable[None]] | None:
        """Return what carries out a request; None if the reader may not ask for it: a spectator only looks."""
        looking = {
            "pick": self._picked,
            "look": self._looked,
            "try": self._tried,
            "flip": self._restyled,
            "theme": self._restyled,
        }
        acting = {"play": self._played, "press": self._pressed, "type": self._typed, "note": self._noted}
        if lines.names_one(asked.on):
            return self._tried
        if not asked.on and asked.do in looking:
            return looking[asked.do]
        if self.reader.session is None:
            return None
        return self._picked_elsewhere if asked.on else acting[asked.do]

    async def _picked(self, asked: wire.Request) -> None:
        current = await self._services.table.get(self.code)
        try:
            if current.revision != asked.seen and current.position_since > asked.seen:
                await self.show(current)
                return
            composed = composing.picked(self.present(current), Selection.read(asked.text))
        except (RulesError, PlayError):
            self._frame(wire.Frame(re=asked.op, cards=[]))
            return
        self._frame(wire.Frame(re=asked.op, pick=composed.data), composed)

    async def _looked(self, asked: wire.Request) -> None:
        current = await self._services.table.get(self.code)
        at = int(asked.text) if asked.text.isascii() and asked.text.isdecimal() else 0
        composed = composing.look(self.present(current), at)
        self._frame(wire.Frame(re=asked.op, look=composed.data), composed)

    async def _tried(self, asked: wire.Request) -> None:
        """Send the board of a line beside the match, or what is picked on it."""
        current = await self._services.table.get(self.code)
        if self._tries(current):
            self._frame(*lines.answer(self.present(current), asked))
        else:
            self._frame(wire.Frame(re=asked.op, cards=[]))

    async def _noted(self, asked: wire.Request) -> None:
        if self.seated:
            await notes.note(self._services.store.notes, self.reader.who, self.code, asked.text)
        self._frame(wire.Frame(re=asked.op))

    async def _picked_elsewhere(self, asked: wire.Request) -> None:
        """Pick, play or type on a board that belongs to no match, such as that of a puzzle."""
        try:
            data = CallbackData.unpack(asked.on)
        except BadCallbackData:
            self._frame(wire.Frame(re=asked.op, cards=[]))
            return
        visitor, chosen = await self._visitor(asked), "" if asked.do == "type" else asked.text
        data = replace(data, argument=chosen)
        messages = await self._services.desk.press(visitor, data, brief=True)
        picking = messages[0].view.picking if len(messages) == 1 and not messages[0].refused else None
        if picking is not None and asked.do != "pick":
            moves = asked.text if asked.do == "type" else Selection.read(picking.picked).moves
            data = replace(data, verb=picking.plays, argument=moves)
            messages = await self._services.desk.press(visitor, data, brief=True)
        elif picking is not None:
            composed = composing.picked_on(messages[0].view, self.reader.words)
            self._frame(wire.Frame(re=asked.op, pick=composed.data), composed)
            return
        await self._answer(asked, messages, "")

    async def _restyled(self, asked: wire.Request) -> None:
        if asked.do == "flip":
            self._flip = not self._flip
        elif asked.text in _THEMES:
            self._reader = replace(self.reader, theme=_THEMES[asked.text])
        if self.code:
            await self.show(await self._services.table.get(self.code))

    async def _played(self, asked: wire.Request) -> None:
        current = await self._services.table.get(self.code)
        try:
            position = self._services.table.course(current).position
            partial = follow(self._services.table.games[current.game], position, Selection.read(asked.text))
            moves = partial.selection.moves
        except (RulesError, PlayError):
            moves = asked.text  # the desk says what is wrong, or that it was played already
        await self._press(asked, CallbackData(Verb.MOVE, self.code, asked.seen, moves))

    async def _pressed(self, asked: wire.Request) -> None:
        if asked.text in _TYPED:
            visitor = replace(
                await self._visitor(asked), place=private_place(self.reader.who[0]), home=_nowhere
            )
            command = read(asked.text)
            assert command is not None, "it is one"  # noqa: S101
            await self._answer(asked, await self._services.desk.run(visitor, command), "")
            return
        try:
            data = CallbackData.unpack(asked.text)
        except BadCallbackData:
            self._frame(wire.Frame(re=asked.op, cards=[]))
            return
        if data.verb in _SHOWN and data.code:
            self._frame(wire.Frame(re=asked.op, go=data.code))
            return
        await self._press(asked, data)

    async def _press(self, asked: wire.Request, data: CallbackData) -> None:
        visitor = await self._visitor(asked)
        before = await self._own() if self._opens(data) else frozenset()
        messages = await self._services.desk.press(visitor, data, brief=True)
        go = ""
        if self._opens(data):
            found = await self._own() - before
            go = next(iter(found), "")
        await self._answer(asked, messages, go)

    def _opens(self, data: CallbackData) -> bool:
        """Whether a press may begin another match."""
        return data.verb is Verb.REMATCH or (not self.code and data.code is None)

    async def _own(self) -> frozenset[str]:
        account = self.reader.who[0]
        return frozenset(match.id for match in await self._services.store.matches.of(account))

    async def _typed(self, asked: wire.Request) -> None:
        try:
            command = read(f"/move #{self.code} {' '.join(asked.text.split())}")
        except CommandError as error:
            self._cards(asked, [View(lines=(self.reader.words(error.reason, **error.fields),))])
            return
        if command is not None:
            messages = await self._services.desk.run(await self._visitor(asked), command)
            await self._answer(asked, messages, "")

    async def _answer(self, asked: wire.Request, messages: Sequence[Message], go: str) -> None:
        """Send what the desk answers, and the match as it is then."""
        if self.code:
            await self.show(await self._services.table.get(self.code))
        looks: dict[str, str] = {}
        cards = [
            composing.card(each.view, self.reader.words, looks, refused=each.refused) for each in messages
        ]
        self._frame(wire.Frame(re=asked.op, cards=cards, go=go), composing.Composed(None, looks))

    def _cards(self, asked: wire.Request, views: Sequence[View]) -> None:
        cards = [composing.card(view, self.reader.words, {}, refused=True) for view in views]
        self._frame(wire.Frame(re=asked.op, cards=cards))

    async def _visitor(self, asked: wire.Request | None) -> Visitor:
        session = self.reader.session
        assert session is not None, "a spectator presses nothing"  # noqa: S101
        player = session.player
        return Visitor(
            player,
            await self._place(player),
            find=_nobody,
            locale=session.locale or None,
            request=f"page.{asked.op}" if asked else None,
            buttons=True,
            writable=False,
        )

    async def _place(self, player: Player) -> Address:
        """Return where the reader acts: where the match is shown, if they play in it; else their own chat."""
        if self.code and self.seated:
            match = await self._services.table.get(self.code)
            if match.addresses:
                return match.addresses[0]
        return self._house.home(player.account)

    async def _home(self, op: str) -> None:
        """Send the reader's matches, and how to begin one."""
        visitor = await self._visitor(None)
        words = self.reader.words
        messages = await self._services.desk.press(
            visitor, CallbackData.without_match(Verb.GAMES), brief=True
        )
        computer = Button(words("bot.greeting.computer"), MatchSetup("c", opponent=ENGINE).data, style="good")
        mine = [each.view for each in messages if each.view.buttons]
        said = () if mine else (words("bot.page.none"),)
        views = [*mine, View(lines=said, buttons=(computer, greeting.rules(words)))]
        looks: dict[str, str] = {}
        cards = [composing.card(view, words, looks) for view in views]
        cards[-1].buttons += [wire.Button(words(f"bot.page.{end}"), typed) for typed, end in _TYPED.items()]
        self._frame(wire.Frame(re=op, cards=cards), composing.Composed(None, looks))

    def _frame(self, frame: wire.Frame, composed: composing.Composed | None = None) -> None:
        if composed is not None:
            new = {key: svg for key, svg in composed.looks.items() if key not in self._sent_looks}
            self._sent_looks |= new.keys()
            frame.looks = new or None
        self._send(wire.write(frame))


async def _nowhere(_account: Account) -> Address | None:
    return None


def _nobody(_name: str) -> Player | None:
    return None
