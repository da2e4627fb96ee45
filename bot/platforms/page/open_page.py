"""The open pages: what the reader of one asks for, what they are sent, and the loop that sends changes by revision.

A press, a typed move or a selection becomes a press of the same button in a chat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from msgspec import Raw

from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.errors import CommandError
from bot.chat.grammar import read
from bot.chat.page_links import shown_on_page
from bot.chat.presenting import cards
from bot.chat.presenting.boards import from_the_top, want_hints
from bot.chat.presenting.cards import BULLET
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow
from bot.chat.sending.composer import Coach
from bot.chat.view import Message, Person, Picking, View
from bot.chat.visitor import Visitor
from bot.platforms.page import composing, wire
from bot.platforms.page.sessions import COMMANDS, THEMES, PageServices, Reader, admitted, identified
from play.errors import NoSuchMatch, PlayError, Unavailable
from play.match import Match, Phase, plays_alone
from play.people import Account, Address, private_place
from play.ports import NoteStore
from rules.core import RulesError
from storage.ports import FullStore


async def noted(notes: NoteStore, who: Sequence[Account], code: str) -> str:
    """Return what a person noted about a match, under any of their accounts."""
    return next(filter(None, await notes.read(*(_name(account, code) for account in who))), "")


async def note(notes: NoteStore, who: Sequence[Account], code: str, text: str) -> None:
    """Note something about a match in place of what was noted; an empty text deletes it. It is kept for a year."""
    first, *others = (_name(account, code) for account in who)
    await notes.write(first, text.strip()[: wire.MAX_LONG] or None)
    for name in others:
        await notes.write(name, None)


def _name(account: Account, code: str) -> str:
    return f"page-note:{account}:{code}"


_SHOWN: Final = frozenset({Verb.BOARD, Verb.BACK})  # presses that open the match they name


class OpenPage:
    """One open page, as long as it is connected."""

    def __init__(self, shared: PageServices, send: Callable[[bytes], None]) -> None:
        self._shared = shared
        self._services = shared.services
        self._send = send
        self._looks: dict[str, str] = {}  # of what is to be sent next
        self._sent_looks: set[str] = set()
        self._sent_log: list[wire.PageEntry] = []
        self._flip = False
        self._fair = True  # whether the places of the match allow hints
        self.reader: Reader  # set by `connect`
        self.code = ""
        self.shown = 0
        self.seated = False
        self.ended = False

    async def connect(self, asked: wire.PageConnect) -> None:
        """Find out who reads, and show the match or the list of matches; raises `Denied`."""
        store = self._services.store
        reader = self.reader = await identified(self._shared, asked)
        hello = reader.hello
        self.code, self._flip = asked.code, asked.flip
        match = None
        try:
            if asked.code:
                match = await admitted(self._shared, reader, asked)
                if reader.plays(match):
                    self._fair = want_hints(await store.settings.get_many(*match.addresses))
                    hello.note = await noted(store.notes, reader.who, match.id)
        finally:
            self._frame(wire.PageFrame(hello=hello))  # it has words for a refusal, too
        if match is None:
            self._frame(wire.PageFrame(cards=await self._home()))
        elif asked.r == match.revision:
            self._log_since(match)
        else:
            self.show(match)

    def show(self, match: Match, composed: tuple[wire.PageView, dict[str, str]] | None = None) -> None:
        """Send a match as it is now, unless this or a later revision was sent; raises `PlayError`."""
        if match.id != self.code or match.revision < self.shown:
            return
        same, entries = self._log_since(match)
        view, looks = composed or self.compose(match)
        self._looks |= looks
        self._frame(wire.PageFrame(view=Raw(wire.write(view)), log=entries, log_from=same))
        thinker, coach = self._services.thinker, self._services.composer.coach
        if composed is None and thinker and coach and self.seated and plays_alone(match):
            thinker.in_background(self._coached(match, coach), f"the coach on the page of {match.id}")

    async def _coached(self, match: Match, coach: Coach) -> None:
        """Send a match again with what the coach says, if that is anything and the match is still as it was."""
        whose: tuple[Account | Address, ...] = (*match.addresses, *match.people())
        with suppress(Unavailable, PlayError):
            chosen = dict(zip(whose, await self._services.store.settings.get_many(*whose), strict=True))
            presentation = self.present(match)
            shown = composing.seen_by(presentation, self.reader.who)
            coached = await coach(shown, presentation, chosen)
            if coached is not shown and match.revision == self.shown and not self.ended:
                self.show(match, self.compose(match, coached))

    def _log_since(self, match: Match) -> tuple[int, list[wire.PageEntry]]:
        self.shown, self.seated = match.revision, self.reader.plays(match)
        sent, entries = self._sent_log, composing.log(self.present(match))
        same = next(
            (at for at, (old, new) in enumerate(zip(sent, entries, strict=False)) if old != new),
            min(len(sent), len(entries)),
        )
        self._sent_log = entries
        return same, entries[same:]

    def compose(self, match: Match, shown: View | None = None) -> tuple[wire.PageView, dict[str, str]]:
        """Return a match as the reader sees it, and the looks of its squares; raises `PlayError`."""
        looks: dict[str, str] = {}
        share = f"{self._shared.url}/m/{match.id}?k={self._shared.sessions.watch_key(match.id)}"
        presentation, who = self.present(match), self.reader.who
        view = composing.view(presentation, who, share, looks, tries=self._tries(match), shown=shown)
        if view.pick is not None:
            view.pick.at_once = not self.reader.confirms
        return view, looks

    def _tries(self, match: Match) -> bool:
        playing = match.phase is Phase.PLAYING and self.seated
        return not playing or (self._fair and not match.rated)

    def key(self) -> tuple[object, ...] | None:
        """What decides how a match looks to a spectator, so that it is composed once for all of them; None for players."""
        return None if self.reader.who else (self.reader.words.language, self.reader.theme, self._flip)

    def present(self, match: Match) -> Presentation:
        """Return a match as the reader sees it; raises `PlayError`."""
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
        self._frame(wire.PageFrame(over=why))

    def watched_by(self, count: int) -> None:
        """Send how many watch."""
        self._frame(wire.PageFrame(watching=count))

    def _frame(self, frame: wire.PageFrame) -> None:
        new = {key: svg for key, svg in self._looks.items() if key not in self._sent_looks}
        self._sent_looks |= new.keys()
        self._looks.clear()
        frame.looks = new or None
        self._send(wire.write(frame))

    async def handle(self, asked: wire.PageRequest) -> None:
        """Carry out what the reader asks for, and send the answer."""
        looking = {
            "pick": self._picked,
            "look": self._looked,
            "try": self._tried,
            "flip": self._restyled,
            "theme": self._restyled,
        }
        if asked.on.startswith("~"):  # the board of a line
            answer = await self._tried(asked)
        elif not asked.on and asked.do in looking:
            answer = await looking[asked.do](asked)
        elif self.reader.session is None:
            answer = wire.PageFrame(cards=[])
        elif asked.do == "note" and not asked.on:
            answer = await self._noted(asked)
        else:
            answer = await self._acted(asked)
        answer.re = asked.op
        self._frame(answer)

    async def _current(self) -> Match:
        return await self._services.table.get(self.code)

    async def _tried(self, asked: wire.PageRequest) -> wire.PageFrame:
        match = await self._current()
        if not self._tries(match):
            return wire.PageFrame(cards=[])
        return composing.tried(self.present(match), asked, self._looks)

    async def _picked(self, asked: wire.PageRequest) -> wire.PageFrame:
        match = await self._current()
        try:
            if match.revision != asked.seen and match.position_since > asked.seen:
                self.show(match)
                return wire.PageFrame()
            picked = composing.picked(self.present(match), Selection.read(asked.text), self._looks)
        except (RulesError, PlayError):
            return wire.PageFrame(cards=[])
        return wire.PageFrame(pick=picked)

    async def _looked(self, asked: wire.PageRequest) -> wire.PageFrame:
        at = int(asked.text) if asked.text.isascii() and asked.text.isdecimal() else 0
        return wire.PageFrame(look=composing.look(self.present(await self._current()), at, self._looks))

    async def _noted(self, asked: wire.PageRequest) -> wire.PageFrame:
        if self.seated:
            await note(self._services.store.notes, self.reader.who, self.code, asked.text)
        return wire.PageFrame()

    async def _restyled(self, asked: wire.PageRequest) -> wire.PageFrame:
        if asked.do == "flip":
            self._flip = not self._flip
        elif asked.text in THEMES:
            self.reader = replace(self.reader, theme=THEMES[asked.text])
        if self.code:
            self.show(await self._current())
        return wire.PageFrame()

    async def _acted(self, asked: wire.PageRequest) -> wire.PageFrame:
        visitor, words, go = await self._visitor(asked.op), self.reader.words, ""
        messages: Sequence[Message] = ()
        try:
            if asked.on:
                messages = await self._on_a_board(visitor, asked)
                if asked.do == "pick" and _picking(messages) is not None:
                    made = composing.card(messages[0].view, words, self._looks)
                    assert made.pick is not None, "its view has what is picked"  # noqa: S101
                    made.pick.board = made.board
                    return wire.PageFrame(pick=made.pick)
            elif asked.do == "press" and asked.text in COMMANDS:
                own = replace(visitor, place=private_place(self.reader.who[0]), home=_nowhere)
                messages = await self._typed(own, asked.text)
            elif asked.do == "type":
                messages = await self._typed(visitor, f"/move #{self.code} {' '.join(asked.text.split())}")
            elif asked.do == "play":
                data = CallbackData(Verb.MOVE, self.code, asked.seen, await self._moves(asked.text))
                messages = await self._services.desk.press(visitor, data, brief=True)
            else:
                messages, go = await self._pressed(visitor, CallbackData.unpack(asked.text))
        except BadCallbackData:
            pass
        if self.code and not go:
            self.show(await self._current())
        made_of = [composing.card(each.view, words, self._looks, refused=each.refused) for each in messages]
        return wire.PageFrame(cards=made_of, go=go)

    async def _on_a_board(self, visitor: Visitor, asked: wire.PageRequest) -> Sequence[Message]:
        """Pick on a board that belongs to no match, and play what is picked or typed, unless it is only picked."""
        desk = self._services.desk
        data = replace(CallbackData.unpack(asked.on), argument="" if asked.do == "type" else asked.text)
        messages = await desk.press(visitor, data, brief=True)
        picking = _picking(messages)
        if picking is None or asked.do == "pick":
            return messages
        moves = asked.text if asked.do == "type" else Selection.read(picking.picked).moves
        return await desk.press(visitor, replace(data, verb=picking.plays, argument=moves), brief=True)

    async def _typed(self, visitor: Visitor, line: str) -> Sequence[Message]:
        try:
            command = read(line)
        except CommandError as error:
            said = View(lines=(self.reader.words(error.reason, **error.fields),))
            return [Message(Person(visitor.player.account, visitor.place), said, refused=True)]
        assert command is not None, "it begins with a slash"  # noqa: S101
        return await self._services.desk.run(visitor, command)

    async def _moves(self, picked: str) -> str:
        table = self._services.table
        match = await self._current()
        try:
            return follow(
                table.games[match.game], table.course(match).position, Selection.read(picked)
            ).selection.moves
        except (RulesError, PlayError):
            return picked  # the desk says what is wrong, or that it was played already

    async def _pressed(self, visitor: Visitor, data: CallbackData) -> tuple[Sequence[Message], str]:
        """Return the answer to a button, and the match that is to be shown then: one that was begun, or asked for."""
        if data.verb in _SHOWN and data.code:
            return (), data.code
        opens = data.verb is Verb.REMATCH or (not self.code and data.code is None)
        before = await self._own() if opens else frozenset()
        messages = await self._services.desk.press(visitor, data, brief=True)
        return messages, next(iter(await self._own() - before), "") if opens else ""

    async def _own(self) -> frozenset[str]:
        matches = await self._services.store.matches.of(self.reader.who[0])
        return frozenset(match.id for match in matches)

    async def _home(self) -> list[wire.PageView]:
        data, words = CallbackData.without_match(Verb.GAMES), self.reader.words
        messages = await self._services.desk.press(await self._visitor(), data, brief=True)
        mine = [_on_buttons(each.view) for each in messages if each.view.buttons]
        said = () if mine else (words("bot.page.none"),)
        begins = View(lines=said, buttons=(cards.against_computer(words), cards.rules_button(words)))
        made = [composing.card(view, words, self._looks) for view in (*mine, begins)]
        made[-1].buttons += [
            wire.PageButton(words(f"bot.page.{end}"), typed) for typed, end in COMMANDS.items()
        ]
        return made

    async def _visitor(self, op: str = "") -> Visitor:
        session = self.reader.session
        assert session is not None, "a spectator presses nothing"  # noqa: S101
        match = await self._current() if self.code and self.seated else None
        place = match.addresses[0] if match and match.addresses else self._home_place(session.player.account)
        return Visitor(
            session.player,
            place,
            find=lambda _: None,
            locale=session.locale or None,
            request=f"page.{op}" if op else None,
            buttons=True,
            writable=False,
            progress=self._progress,
        )

    def _home_place(self, account: Account) -> Address:
        room = self._shared.room
        return room if room is not None and account.platform == room.platform else private_place(account)

    async def _progress(self, message: Message) -> None:
        self._frame(wire.PageFrame(bar=" ".join(message.view.lines)))


def _picking(messages: Sequence[Message]) -> Picking | None:
    return messages[0].view.picking if len(messages) == 1 and not messages[0].refused else None


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


_POLL: Final = 0.25
"""Seconds until commits of other processes are looked for; those of this one wake the loop."""

_log: Final = logging.getLogger(__name__)


class Hub:
    """The open pages by match."""

    def __init__(self, store: FullStore) -> None:
        self._store = store
        self._pages: dict[str, set[OpenPage]] = {}

    def join(self, page: OpenPage) -> None:
        """Send a page the changes of its match from now on."""
        if page.code:
            self._pages.setdefault(page.code, set()).add(page)
            self._count(page.code)

    def leave(self, page: OpenPage) -> None:
        """Send it nothing any more."""
        pages = self._pages.get(page.code, set())
        pages.discard(page)
        if not pages:
            self._pages.pop(page.code, None)
        else:
            self._count(page.code)

    def _count(self, code: str) -> None:
        watching = sum(not page.seated for page in self._pages[code])
        for page in self._pages[code]:
            page.watched_by(watching)

    async def run(self) -> None:
        """Send changes until cancelled."""
        waiter = self._store.commits()
        while True:
            await waiter.wait_for(_POLL)
            waiter.clear()
            try:
                await self.look()
            except Unavailable:
                await asyncio.sleep(_POLL)

    async def look(self) -> None:
        """Send each match that has changed to its pages."""
        codes = tuple(self._pages)
        revisions = dict(zip(codes, await self._store.matches.revisions(codes), strict=True))
        changed = [code for code, revision in revisions.items() if self._behind(code, revision)]
        for match in await asyncio.gather(*map(self._load, changed)):
            if match is not None and await shown_on_page(self._store.settings, match):
                await self._show(match, self._behind(match.id, match.revision))
            elif match is not None:
                for page in self._pages.pop(match.id, ()):
                    page.end("off")

    def _behind(self, code: str, revision: int) -> Sequence[OpenPage]:
        return [page for page in self._pages.get(code, ()) if page.shown < revision]

    async def _load(self, code: str) -> Match | None:
        try:
            return (await self._store.matches.load(code)).match
        except NoSuchMatch:
            return None

    async def _show(self, match: Match, pages: Sequence[OpenPage]) -> None:
        composed: dict[object, tuple[wire.PageView, dict[str, str]]] = {}
        for page in pages:
            key = page.key()
            try:
                if key is not None and key not in composed:
                    composed[key] = page.compose(match)
                page.show(match, composed.get(key))
            except (PlayError, RulesError):
                page.shown = match.revision
                _log.exception("match %s cannot be shown", match.id)
            await asyncio.sleep(0)  # a press of someone else comes between
