"""The open pages: what the reader of one asks for, what they are sent, and the loop that sends changes by revision."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import Raw

from bot.chat.page_links import shown_on_page
from bot.chat.presenting import boards, picking
from bot.chat.presenting.boards import from_the_top, want_hints
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow
from bot.chat.view import Message
from bot.platforms.page import composing, wire
from bot.platforms.page.acting import THEMES, Actor, Denied, PageServices, Reader, identified
from bot.platforms.page.composing import Composed, drawn, pick_from, picked, viewpoint
from play.errors import NoSuchMatch, PlayError, Unavailable
from play.match import Match, Phase, Ply
from play.people import Account
from play.ports import NoteStore
from rules.core import Highlights, RulesError
from storage.ports import FullStore


@dataclass(frozen=True, slots=True)
class TriedLine:
    """A line that a reader tries: the entry of the log from which it starts, and its moves. Its text is `~12~a2-a3;b7-b6`."""

    at: int
    moves: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> TriedLine:
        """Return the line that a text names; raises `ValueError`."""
        empty, at, moves = text.split("~", 2)
        if empty or not (at.isascii() and at.isdecimal()):
            raise ValueError(f"no line: {text[:24]!r}")
        return cls(int(at[:9]), tuple(filter(None, moves.split(";"))))

    def __str__(self) -> str:
        return f"~{self.at}~{';'.join(self.moves)}"

    @property
    def back(self) -> TriedLine:
        """The line without its last move."""
        return replace(self, moves=self.moves[:-1])


def after(presentation: Presentation, tried: TriedLine) -> Presentation:
    """Return a match as it would be, had other moves been played from some entry of its log on; raises `RulesError`."""
    match, course = presentation.match, presentation.course.cut(tried.at)
    for text in tried.moves:
        (move,) = presentation.game.notation.parse(text, course.position)
        course = course.played(move, presentation.now.at)
    result = course.result
    phase = Phase.PLAYING if result is None else Phase.OVER
    match = replace(match, phase=phase, result=result, log=course.log, times=None, offer=None)
    return replace(presentation, match=match, course=course, changes=())


def card(presentation: Presentation, tried: TriedLine) -> Composed:
    """Return the board of a line, on which all sides are moved; raises `RulesError`."""
    then, words = after(presentation, tried), presentation.words
    game, course = then.game, then.course
    diagram = game.draw(course.position, Highlights(last=course.last_turn, before=course.before_turn))
    looks: dict[str, str] = {}
    title = words("bot.page.what-if")
    said = then.names.notation(entry for entry in course.log[tried.at :] if isinstance(entry, Ply))
    lines = [title, said or words("bot.page.what-if-how"), *boards.result_or_turn(then)]
    board = drawn(viewpoint(then), diagram, looks, game.threats(course.position))
    made = wire.PageCard(lines, [], board, on=str(tried), back=str(tried.back) if tried.moves else "")
    if then.match.phase is Phase.PLAYING and len(made.on) < wire.MOST_TRIED:
        partial = follow(game, course.position, Selection())
        made.pick = pick_from(game, words, partial, flipped=then.flipped)
    return Composed(made, looks)


def answer(presentation: Presentation, asked: wire.PageRequest) -> tuple[wire.PageFrame, Composed]:
    """Return the answer to what is picked, played or typed on the board of a line, or to the wish to see it."""
    frame, composed = wire.PageFrame(re=asked.op, cards=[]), Composed(None)
    try:
        tried = TriedLine.read(asked.on or asked.text)
        then = after(presentation, tried)
        if asked.do == "pick":
            composed = picked(then, Selection.read(asked.text))
            return wire.PageFrame(re=asked.op, pick=composed.data), composed
        if asked.do == "play":
            moves = follow(then.game, then.course.position, Selection.read(asked.text)).selection.plies
            tried = replace(tried, moves=(*tried.moves, *moves))
        elif asked.do == "type":
            try:
                typed = then.game.notation.parse(asked.text, then.course.position)
            except RulesError as refusal:
                said = presentation.words(refusal.reason, **presentation.names.named(refusal.fields))
                view = picking.refused_move(presentation.words, said, then.game, then.course.position)
                frame.cards = [wire.PageCard(list(view.lines), refused=True)]
                return frame, composed
            tried = replace(tried, moves=(*tried.moves, *map(then.game.notation.format, typed)))
        composed = card(presentation, tried)
        frame.cards = [composed.data]
    except (RulesError, ValueError):
        pass  # no page asks for this
    return frame, composed


LONGEST: Final = 1000  # characters of a note


async def noted(notes: NoteStore, who: Sequence[Account], code: str) -> str:
    """Return what a person noted about a match, under any of their accounts."""
    return next(filter(None, await notes.read(*(_name(account, code) for account in who))), "")


async def note(notes: NoteStore, who: Sequence[Account], code: str, text: str) -> None:
    """Note something about a match in place of what was noted; an empty text deletes it. It is kept for a year."""
    first, *others = (_name(account, code) for account in who)
    await notes.write(first, text.strip()[:LONGEST] or None)
    for name in others:
        await notes.write(name, None)


def _name(account: Account, code: str) -> str:
    return f"page-note:{account}:{code}"


class OpenPage:
    """One open page, as long as it is connected."""

    def __init__(self, shared: PageServices, send: Callable[[bytes], None]) -> None:
        self._shared = shared
        self._services = shared.services
        self._sessions = shared.sessions
        self._send = send
        self._sent_looks: set[str] = set()
        self._sent_log: list[wire.PageEntry] = []
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

    async def connect(self, asked: wire.PageConnect) -> None:
        """Find out who reads, and show the match or the list of matches; raises `Denied`."""
        services = self._services
        self._reader = await identified(self._shared, asked)
        who, hello = self._reader.who, self._reader.hello
        self.code, self._flip = asked.code, asked.flip
        if asked.code:
            try:
                match = await self._match(asked)
            except Denied:
                self._frame(wire.PageFrame(hello=hello))  # the page has words for it
                raise
            if not set(match.people()).isdisjoint(who):
                self._fair = want_hints(await services.store.settings.get_many(*match.addresses))
                hello.note = await noted(services.store.notes, who, match.id)
            self._frame(wire.PageFrame(hello=hello))
            await self.show(match, known=asked.r == match.revision)
        else:
            self._frame(wire.PageFrame(hello=hello))
            await self._home()

    async def _match(self, asked: wire.PageConnect) -> Match:
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
        self._frame(wire.PageFrame(view=raw, log=entries[same:], log_from=same), composed)

    def _tries(self, match: Match) -> bool:
        playing = match.phase is Phase.PLAYING and self.seated
        return not playing or (self._fair and not match.rated)

    def key(self) -> tuple[object, ...] | None:
        """What decides how a match looks to a spectator, so that it is composed once for all of them; None for players."""
        return None if self.reader.who else (self.reader.words.language, self.reader.theme, self._flip)

    def share(self, code: str) -> str:
        """Return the address for spectators of a match."""
        return f"{self._shared.url}/m/{code}?k={self._sessions.watch_key(code)}"

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

    async def handle(self, asked: wire.PageRequest) -> None:
        """Carry out what the reader asks for, and send the answer."""
        handler = self._handler(asked)
        if handler is None:
            self._frame(wire.PageFrame(re=asked.op, cards=[]))
        else:
            await handler(asked)

    def _handler(self, asked: wire.PageRequest) -> Callable[[wire.PageRequest], Awaitable[None]] | None:
        looking = {
            "pick": self._picked,
            "look": self._looked,
            "try": self._tried,
            "flip": self._restyled,
            "theme": self._restyled,
        }
        if asked.on.startswith("~"):  # the board of a line
            return self._tried
        if not asked.on and asked.do in looking:
            return looking[asked.do]
        if self.reader.session is None:
            return None
        return self._noted if asked.do == "note" and not asked.on else self._acted

    async def _acted(self, asked: wire.PageRequest) -> None:
        answer = await self._actor.act(asked)
        if answer.picked is not None:
            composed = composing.picked_on(answer.picked, self.reader.words)
            self._frame(wire.PageFrame(re=asked.op, pick=composed.data), composed)
            return
        if self.code and not answer.go:
            await self.show(await self._services.table.get(self.code))
        looks: dict[str, str] = {}
        cards = [
            composing.card(each.view, self.reader.words, looks, refused=each.refused)
            for each in answer.messages
        ]
        self._frame(wire.PageFrame(re=asked.op, cards=cards, go=answer.go), composing.Composed(None, looks))

    async def _home(self) -> None:
        actor, looks = self._actor, dict[str, str]()
        cards = [composing.card(view, self.reader.words, looks) for view in await actor.home()]
        cards[-1].buttons += actor.commands()
        self._frame(wire.PageFrame(cards=cards), composing.Composed(None, looks))

    @property
    def _actor(self) -> Actor:
        async def progress(message: Message) -> None:
            self._frame(wire.PageFrame(bar=" ".join(message.view.lines)))

        return Actor(self._shared, self.reader, self.code, self.seated, progress)

    async def _picked(self, asked: wire.PageRequest) -> None:
        current = await self._services.table.get(self.code)
        try:
            if current.revision != asked.seen and current.position_since > asked.seen:
                await self.show(current)
                return
            composed = composing.picked(self.present(current), Selection.read(asked.text))
        except (RulesError, PlayError):
            self._frame(wire.PageFrame(re=asked.op, cards=[]))
            return
        self._frame(wire.PageFrame(re=asked.op, pick=composed.data), composed)

    async def _looked(self, asked: wire.PageRequest) -> None:
        current = await self._services.table.get(self.code)
        at = int(asked.text) if asked.text.isascii() and asked.text.isdecimal() else 0
        composed = composing.look(self.present(current), at)
        self._frame(wire.PageFrame(re=asked.op, look=composed.data), composed)

    async def _tried(self, asked: wire.PageRequest) -> None:
        current = await self._services.table.get(self.code)
        if self._tries(current):
            self._frame(*answer(self.present(current), asked))
        else:
            self._frame(wire.PageFrame(re=asked.op, cards=[]))

    async def _noted(self, asked: wire.PageRequest) -> None:
        if self.seated:
            await note(self._services.store.notes, self.reader.who, self.code, asked.text)
        self._frame(wire.PageFrame(re=asked.op))

    async def _restyled(self, asked: wire.PageRequest) -> None:
        if asked.do == "flip":
            self._flip = not self._flip
        elif asked.text in THEMES:
            self._reader = replace(self.reader, theme=THEMES[asked.text])
        if self.code:
            await self.show(await self._services.table.get(self.code))

    def _frame(self, frame: wire.PageFrame, composed: composing.Composed | None = None) -> None:
        if composed is not None:
            new = {key: svg for key, svg in composed.looks.items() if key not in self._sent_looks}
            self._sent_looks |= new.keys()
            frame.looks = new or None
        self._send(wire.write(frame))


POLL: Final = 0.25
"""Seconds after which commits of other processes are looked for; those of this process wake the loop at once."""

_log: Final = logging.getLogger(__name__)


class Hub:
    """The open pages by match."""

    def __init__(self, store: FullStore, poll: float = POLL) -> None:
        self._store = store
        self._poll = poll
        self._pages: dict[str, set[OpenPage]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._pages.values()))

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
            await waiter.wait_for(self._poll)
            waiter.clear()
            try:
                await self.look()
            except Unavailable:
                await asyncio.sleep(self._poll)

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
        composed: dict[object, composing.Composed] = {}
        for page in pages:
            key = page.key()
            try:
                if key is None:
                    await page.show(match)
                    continue
                if key not in composed:
                    composed[key] = composing.view(page.present(match), (), page.share(match.id))
                await page.show(match, composed[key])
            except (PlayError, RulesError):
                page.shown = match.revision
                _log.exception("match %s cannot be shown", match.id)
            await asyncio.sleep(0)  # a press of someone else comes between
