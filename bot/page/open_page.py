"""One open page: what its reader asks for, and what they are sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from msgspec import Raw

from bot.desk.page_links import shown_on_page
from bot.page import composing, lines, notes, wire
from bot.page.acting import Actor
from bot.page.reader import THEMES, Denied, House, Reader, identified
from bot.presenter.boards import from_the_top
from bot.presenter.controls import want_hints
from bot.presenter.presentation import Presentation
from bot.presenter.selection import Selection
from bot.view import Message
from play.errors import NoSuchMatch, PlayError
from play.match import Match, Phase
from rules.core import RulesError


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
        services = self._services
        self._reader = await identified(self._house, asked)
        who, hello = self._reader.who, self._reader.hello
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
            await self._home()

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
        if lines.names_one(asked.on):
            return self._tried
        if not asked.on and asked.do in looking:
            return looking[asked.do]
        if self.reader.session is None:
            return None
        return self._noted if asked.do == "note" and not asked.on else self._acted

    async def _acted(self, asked: wire.Request) -> None:
        """Have the desk carry out what is asked for; send its answer, and the match as it is then."""
        answer = await self._actor.act(asked)
        if answer.picked is not None:
            composed = composing.picked_on(answer.picked, self.reader.words)
            self._frame(wire.Frame(re=asked.op, pick=composed.data), composed)
            return
        if self.code and not answer.go:
            await self.show(await self._services.table.get(self.code))
        looks: dict[str, str] = {}
        cards = [
            composing.card(each.view, self.reader.words, looks, refused=each.refused)
            for each in answer.messages
        ]
        self._frame(wire.Frame(re=asked.op, cards=cards, go=answer.go), composing.Composed(None, looks))

    async def _home(self) -> None:
        """Send the reader's matches, and how to begin one."""
        actor, looks = self._actor, dict[str, str]()
        cards = [composing.card(view, self.reader.words, looks) for view in await actor.home()]
        cards[-1].buttons += actor.commands()
        self._frame(wire.Frame(cards=cards), composing.Composed(None, looks))

    @property
    def _actor(self) -> Actor:
        return Actor(self._house, self.reader, self.code, self.seated, self._progress)

    async def _progress(self, message: Message) -> None:
        self._frame(wire.Frame(bar=" ".join(message.view.lines)))

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

    async def _restyled(self, asked: wire.Request) -> None:
        if asked.do == "flip":
            self._flip = not self._flip
        elif asked.text in THEMES:
            self._reader = replace(self.reader, theme=THEMES[asked.text])
        if self.code:
            await self.show(await self._services.table.get(self.code))

    def _frame(self, frame: wire.Frame, composed: composing.Composed | None = None) -> None:
        if composed is not None:
            new = {key: svg for key, svg in composed.looks.items() if key not in self._sent_looks}
            self._sent_looks |= new.keys()
            frame.looks = new or None
        self._send(wire.write(frame))
