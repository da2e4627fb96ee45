"""The open pages: what the reader of one asks for, what they are sent, and the loop that sends changes by revision.

A press, a typed move or a selection becomes a press of the same button in a chat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, Final, TypeVar

from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.errors import CommandError
from bot.chat.grammar import read
from bot.chat.page_links import shown_on_page
from bot.chat.presenting.boards import from_the_top, want_hints
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection, follow
from bot.chat.registry import OFFERINGS, TURNING_POINTS, Offering
from bot.chat.sending.composer import Coach
from bot.chat.services import Services
from bot.chat.view import Message, Person, Picking, View, ViewKind
from bot.chat.visitor import Visitor
from bot.platforms.page import composing, new_game, wire
from bot.platforms.page.lobby import Lobby
from bot.platforms.page.sessions import THEMES, PageServices, Reader, admitted, identified, invite
from play.errors import NoSuchMatch, PlayError, Unavailable
from play.match import Match, Phase, plays_alone
from play.people import Account, Address, private_place
from play.ports import NoteStore, derived
from play.ratings.model import RatingChange
from play.ratings.records import counted
from play.table import Table
from rules.core import Position, RulesError


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


async def rating_changes(table: Table, match: Match) -> Sequence[RatingChange | None]:
    """Return what a match did to ratings; nothing while that cannot be loaded."""
    with suppress(PlayError):
        return await counted(table, match)
    return ()


def _number(text: str) -> int:
    return int(text[:9]) if text.isascii() and text.isdecimal() else 0


_Frame = TypeVar("_Frame", bound=wire.PageFrame)

AHEAD: Final = "ahead"  # names the board on which a move is prepared

_SHOWN: Final = frozenset({Verb.BOARD, Verb.BACK})  # presses that open the match they name

# Presses in the lobby: after which a match that has begun is opened; which are of a person alone, with no place.
_ENTERS: Final = frozenset({Verb.ACCEPT, Verb.JOIN, Verb.START})
_ALONE: Final = frozenset({Verb.LEARN, Verb.PUZZLE})


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
        self._ways: Mapping[str, str] = {}  # in which others come to a free seat; see `PageServices.ways_in`
        self._fair = True  # whether the places of the match allow hints
        self._lobby: Lobby | None = None
        self.reader: Reader  # set by `connect`
        self.changes: Sequence[RatingChange | None] = ()  # what the match did to ratings
        self._marked = False  # whether its turning points were sent
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
                match = await self._rated(await admitted(self._shared, reader, asked))
                self._ways = await self._shared.ways_in(match)
                if reader.plays(match):
                    self._fair = want_hints(await store.settings.get_many(*match.addresses))
                    hello.note = await noted(store.notes, reader.who, match.id)
        finally:
            self._frame(wire.PageFrame(hello=hello))  # it has words for a refusal, too
        if match is None:
            self._lobby = Lobby(self._services, reader, self.present)
            self._frame(await self._in_lobby(wire.PageFrame()))
        elif asked.r == match.revision:
            self._log_since(match)
        else:
            self.show(match)
        if match is not None and (marked := await self._marks(match)):
            self._frame(wire.PageFrame(marks=marked))

    async def _marks(self, match: Match) -> list[wire.PageMark] | None:
        """Return the turning points of the match, once there are any to send."""
        if self._marked or match.phase is not Phase.OVER:
            return None
        course = self._services.table.course(match)
        found = await TURNING_POINTS.all(self._services.store, match, course)
        self._marked = bool(found)
        return [composing.mark(point, self.reader.words) for points in found for point in points] or None

    async def _rated(self, match: Match) -> Match:
        self.changes = self.changes or await rating_changes(self._services.table, match)
        return match

    async def refresh(self, offerings: Sequence[Offering]) -> None:
        """Send the cards of the lobby that have changed, if any: those of matches, and of these features; raises `Unavailable`."""
        frame = await self._in_lobby(wire.PageFrame(), offerings)
        if frame.lobby is not None or frame.new is not None:
            self._frame(frame)

    async def _in_lobby(self, frame: _Frame, offerings: Sequence[Offering] = OFFERINGS) -> _Frame:
        """Add to a frame what has changed in the lobby: in the matches, and in what these features have."""
        if self._lobby is not None:
            frame.lobby = await self._lobby.update(self._looks, offerings)
            frame.new = self._lobby.form()
        return frame

    def show(self, match: Match, composed: tuple[wire.PageView, dict[str, str]] | None = None) -> None:
        """Send a match as it is now, unless this or a later revision was sent; raises `PlayError`."""
        if match.id != self.code or match.revision < self.shown:
            return
        same, entries = self._log_since(match)
        view, looks = composed or self.compose(match)
        self._looks |= looks
        self._frame(wire.PageFrame(view=view, log=entries, log_from=same))
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
        presentation, who = self.present(match), self.reader.who
        share, tries = self._shared.to_watch(match.id), self._tries(match)
        view = composing.view(presentation, who, share, looks, tries=tries, shown=shown)
        if view.pick is not None:
            view.pick.at_once = not self.reader.confirms
        invite(view, match, self.reader, self._ways)
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
            self.changes,
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

    def reply(self, reply: wire.PageReply) -> None:
        """Send the answer to a request."""
        self._frame(reply)

    async def handle(self, asked: wire.PageRequest) -> wire.PageReply:
        """Carry out what the reader asks for, and return the answer."""
        looking = {
            "pick": self._picked,
            "look": self._looked,
            "try": self._tried,
            "flip": self._restyled,
            "theme": self._restyled,
        }
        acting = {"note": self._noted, "new": self._begun}
        if asked.on.startswith("~"):  # the board of a line
            return await self._tried(asked)
        if asked.do in looking and (not asked.on or (asked.on == AHEAD and asked.do == "pick")):
            return await looking[asked.do](asked)
        if self.reader.session is None or asked.do == "check":
            return wire.PageReply(re=asked.op, cards=None if asked.do == "check" else [])
        answer = await acting.get(asked.do, self._acted)(asked)
        return answer if asked.do in ("pick", "note") else await self._in_lobby(answer)

    async def _current(self) -> Match:
        return await self._rated(await self._services.table.get(self.code))

    async def _tried(self, asked: wire.PageRequest) -> wire.PageReply:
        match = await self._current()
        if not self._tries(match):
            return wire.PageReply(re=asked.op, cards=[])
        return composing.tried(self.present(match), asked, self._looks)

    async def _picked(self, asked: wire.PageRequest) -> wire.PageReply:
        match = await self._current()
        try:
            if match.revision != asked.seen and match.position_since > asked.seen:
                return self._picked_earlier(asked, match)
            presentation, start = self.present(match), None
            if asked.on == AHEAD:
                start = composing.planned_on(presentation, composing.seats_of(match, self.reader.who))
                if start is None:
                    return wire.PageReply(re=asked.op, cards=[])
            picked = composing.picked(presentation, Selection.read(asked.text), self._looks, start)
        except (RulesError, PlayError):
            return wire.PageReply(re=asked.op, cards=[])
        return wire.PageReply(re=asked.op, pick=picked)

    def _picked_earlier(self, asked: wire.PageRequest, match: Match) -> wire.PageReply:
        """The half-made move of a position that has changed: what of it is still legal stays picked, and what is not is said."""
        self.show(match)
        reply = wire.PageReply(re=asked.op)
        presentation = self.present(match)
        mine = match.phase is Phase.PLAYING and match.player(presentation.course.position.to_move)
        if mine and mine.account in self.reader.who:
            kept, whole = composing.kept(presentation, Selection.read(asked.text))
            if kept != Selection():
                reply.pick = composing.picked(presentation, kept, self._looks)
            if not whole:
                said = self.reader.words("bot.page.changed")
                reply.cards = [wire.PageView([said], refused=True)]
        return reply

    async def _looked(self, asked: wire.PageRequest) -> wire.PageReply:
        first, _, last = asked.text.partition(":")
        presentation = self.present(await self._current())
        reel = composing.reel(presentation, _number(first), _number(last), self._looks)
        return wire.PageReply(re=asked.op, reel=reel)

    async def _noted(self, asked: wire.PageRequest) -> wire.PageReply:
        if self.seated:
            await note(self._services.store.notes, self.reader.who, self.code, asked.text)
        return wire.PageReply(re=asked.op)

    async def _restyled(self, asked: wire.PageRequest) -> wire.PageReply:
        if asked.do == "flip":
            self._flip = not self._flip
        elif asked.text in THEMES:
            self.reader = replace(self.reader, theme=THEMES[asked.text])
        if self.code:
            self.show(await self._current())
        if self._lobby is not None:
            self._lobby.restyle(self.reader)
        return await self._in_lobby(wire.PageReply(re=asked.op))

    async def _begun(self, asked: wire.PageRequest) -> wire.PageReply:
        """Begin a new game, by the command of the chat."""
        services, words, who = self._services, self.reader.words, self.reader.who
        matches, frame = await services.store.matches.of(who[0]), wire.PageReply(re=asked.op, cards=[])
        visitor, setup = await self._visitor(asked.op), asked.setup
        order = await new_game.ordered(services, setup, visitor, matches, who) if setup else None
        if setup is None or order is None:
            frame.cards = [wire.PageView([words("bot.page.refused.person")], refused=True)]
            return frame
        messages = await services.desk.run(order.visitor, order.command)
        if any(message.refused for message in messages):
            frame.cards = self._worded(messages)
            return frame
        # A request that comes again has begun its match already.
        known = {match.id for match in matches} - {
            derived(f"{order.visitor.place.platform}:page.{asked.op}", 0)
        }
        friend = setup.opponent == "friend"
        unreached = any(message.view.kind is ViewKind.INVITE for message in messages)
        for match in await services.store.matches.of(who[0]):
            if match.id not in known:
                frame.go = match.id if match.phase is Phase.PLAYING or friend else ""
                if friend or unreached:
                    ways = await self._shared.ways_in(match)
                    frame.link = ways.get(visitor.account.platform, self._shared.to_watch(match.id))
                frame.cards = [wire.PageView([words("bot.page.new.unreached")])] if unreached else []
        return frame

    def _worded(self, messages: Sequence[Message]) -> list[wire.PageView]:
        words, looks = self.reader.words, self._looks
        return [composing.card(each.view, words, looks, refused=each.refused) for each in messages]

    async def _acted(self, asked: wire.PageRequest) -> wire.PageReply:
        visitor, words, go = await self._visitor(asked.op), self.reader.words, ""
        messages: Sequence[Message] = ()
        try:
            if asked.do == "ahead":
                messages = await self._prepared(visitor, asked)
            elif asked.on:
                messages = await self._on_a_board(visitor, asked)
                if asked.do == "pick" and _picking(messages) is not None:
                    made = composing.card(messages[0].view, words, self._looks)
                    assert made.pick is not None, "its view has what is picked"  # noqa: S101
                    made.pick.board = made.board
                    return wire.PageReply(re=asked.op, pick=made.pick)
            elif asked.do == "type":
                messages = await self._typed(visitor, f"/move #{self.code} {' '.join(asked.text.split())}")
            elif asked.do == "play":
                data = CallbackData(Verb.MOVE, self.code, asked.seen, await self._moves(asked.text))
                messages = await self._services.desk.press(visitor, data, brief=True)
            else:
                messages, go = await self._pressed(visitor, CallbackData.unpack(asked.text))
        except BadCallbackData:
            pass
        marked = None
        if self.code and not go:
            match = await self._current()
            self.show(match)
            marked = await self._marks(match)
        return wire.PageReply(re=asked.op, cards=self._worded(messages), go=go, marks=marked)

    async def _prepared(self, visitor: Visitor, asked: wire.PageRequest) -> Sequence[Message]:
        """Plan what is picked for any reply, or delete the plan; the view tells, unless it is refused."""
        match = await self._current()
        start = composing.planned_on(self.present(match), composing.seats_of(match, self.reader.who))
        moves = self._moves_on(match, start, asked.text) if start is not None else asked.text
        wanted = " ".join(moves.split()) if asked.text else "off"
        messages = await self._typed(visitor, f"/plan #{self.code} {wanted}")
        return [message for message in messages if message.refused]

    async def _on_a_board(self, visitor: Visitor, asked: wire.PageRequest) -> Sequence[Message]:
        """Pick on a board that belongs to no match, and play what is picked or typed, unless it is only picked."""
        desk = self._services.desk
        data = replace(CallbackData.unpack(asked.on), argument="" if asked.do == "type" else asked.text)
        visitor = (
            visitor if self.code else self._alone(visitor)
        )  # as when the board was opened: it stays turned
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
        match = await self._current()
        try:
            return self._moves_on(match, self._services.table.course(match).position, picked)
        except PlayError:
            return picked

    def _moves_on(self, match: Match, position: Position[Any], picked: str) -> str:
        try:
            return follow(
                self._services.table.games[match.game], position, Selection.read(picked)
            ).selection.moves
        except RulesError:
            return picked  # the desk says what is wrong, or that it was played already

    async def _pressed(self, visitor: Visitor, data: CallbackData) -> tuple[Sequence[Message], str]:
        """Return the answer to a button, and the match that is to be shown then: one that was begun, or asked for."""
        if data.verb in _SHOWN and data.code:
            return (), data.code
        if not self.code and data.verb in _ALONE:
            visitor = self._alone(visitor)
        opens = data.verb is Verb.REMATCH or (not self.code and data.code is None)
        before = await self._own() if opens else frozenset()
        messages = await self._services.desk.press(visitor, data, brief=True)
        if not self.code and data.verb in _ENTERS and not any(message.refused for message in messages):
            entered = await self._services.table.get(data.match)
            return (), entered.id if entered.phase is Phase.PLAYING else ""
        return messages, next(iter(await self._own() - before), "") if opens else ""

    def _alone(self, visitor: Visitor) -> Visitor:
        return replace(visitor, place=private_place(self.reader.who[0]), home=_nowhere)

    async def _own(self) -> frozenset[str]:
        matches = await self._services.store.matches.of(self.reader.who[0])
        return frozenset(match.id for match in matches)

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


async def _nowhere(_account: Account) -> None:
    pass


_POLL: Final = 0.25
"""Seconds until commits of other processes are looked for; those of this one wake the loop."""

_LOBBIES: Final = 0.5
"""Seconds between looks at the marks of all people in lobbies, however often something is committed."""

_BESIDE: Final = 5.0
"""Seconds between looks at what is beside the matches there."""

_AT_ONCE: Final = 16  # lobbies that are refreshed at once

_log: Final = logging.getLogger(__name__)


class Hub:
    """The open pages by match, and the lobbies by person."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store, self._table = services.store, services.table
        self._pages: dict[str, set[OpenPage]] = {}
        self._lobbies: dict[Account, set[OpenPage]] = {}
        # Of people whose lobbies are as they were then: of their matches, and of each of the `OFFERINGS`.
        self._marks: dict[Account, tuple[object, ...]] = {}

    def join(self, page: OpenPage) -> None:
        """Send a page the changes of its match, or of its lobby, from now on."""
        if page.code:
            self._pages.setdefault(page.code, set()).add(page)
            self._count(page.code)
        else:
            self._lobbies.setdefault(page.reader.who[0], set()).add(page)
            self._marks.pop(page.reader.who[0], None)  # something may have changed while it was composed

    def leave(self, page: OpenPage) -> None:
        """Send it nothing any more."""
        if not page.code:
            lobbies = self._lobbies.get(page.reader.who[0], set())
            lobbies.discard(page)
            if not lobbies:
                self._lobbies.pop(page.reader.who[0], None)
                self._marks.pop(page.reader.who[0], None)
            return
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
        """Send changes until cancelled. Boards do not wait for lobbies, of which there may be many."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._run_boards())
            tasks.create_task(self._run_lobbies())

    async def _run_boards(self) -> None:
        waiter = self._store.commits()
        while True:
            await waiter.wait_for(_POLL)
            waiter.clear()
            try:
                await self.look()
            except Unavailable:
                await asyncio.sleep(_POLL)

    async def _run_lobbies(self) -> None:
        waiter, clock, due = self._store.commits(), asyncio.get_running_loop().time, 0.0
        while True:
            await waiter.wait_for(_POLL)
            waiter.clear()
            whole = clock() >= due
            with suppress(Unavailable):
                await self.look_at_lobbies(whole=whole)
                due = clock() + _BESIDE if whole else due
            await asyncio.sleep(_LOBBIES)

    async def look_at_lobbies(self, *, whole: bool = False) -> None:
        """Send the lobbies what has changed in their people's matches: one trip for all, and more only for those who have changes.

        With `whole` likewise beside the matches: one or two trips more for each feature that offers something there.
        """
        if not self._lobbies:
            return
        people = tuple(self._lobbies)
        matches = await self._store.matches.marks(people)
        beside = [await each.marks(self._services, people) for each in OFFERINGS] if whole else ()
        changed = dict[Account, tuple[object, ...]]()
        stale = dict[Account, Sequence[Offering]]()
        for number, each in enumerate(people):
            known = self._marks.get(each, ())
            marks = matches[number], *([column[number] for column in beside] or known[1:])
            if marks != known:
                pairs = zip(OFFERINGS, marks[1:], chain(known[1:], repeat(-1)), strict=False)
                changed[each], stale[each] = marks, [offering for offering, new, old in pairs if new != old]
        slots = asyncio.Semaphore(_AT_ONCE)

        async def refresh(page: OpenPage) -> None:
            async with slots:
                try:
                    await page.refresh(stale[page.reader.who[0]])
                except (PlayError, RulesError) as error:
                    if isinstance(error, Unavailable):
                        raise
                    _log.exception("a lobby cannot be shown")

        self._marks |= changed  # who joins from here on is refreshed again
        try:
            await asyncio.gather(*(refresh(page) for each in changed for page in self._lobbies.get(each, ())))
        except Unavailable:
            for each in changed:
                self._marks.pop(each, None)
            raise

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
        changes = await rating_changes(self._table, match)
        for page in pages:
            page.changes = changes
            key = page.key()
            try:
                if key is not None and key not in composed:
                    composed[key] = page.compose(match)
                page.show(match, composed.get(key))
            except (PlayError, RulesError):
                page.shown = match.revision
                _log.exception("match %s cannot be shown", match.id)
            await asyncio.sleep(0)  # a press of someone else comes between
