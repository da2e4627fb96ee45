"""The open pages: what the reader of one asks for, what they are sent, and the loop that sends changes by revision.

A press, a typed move or a selection becomes a press of the same button in a chat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.match_notes import MOST, note, noted
from bot.chat.presenting import trying
from bot.chat.presenting.boards import from_the_top, want_hints
from bot.chat.presenting.naming import Presentation
from bot.chat.presenting.selection import Selection
from bot.chat.presenting.trying import TriedLine
from bot.chat.registry import OFFERINGS, STORIES, TURNING_POINTS, Offering
from bot.chat.sending.composer import Coach
from bot.chat.services import weeks_of
from bot.chat.view import Message, View, ViewKind
from bot.platforms.page import beside, board, composing, new_game, wire
from bot.platforms.page.lobby import Lobby
from bot.platforms.page.presses import Presses, picking
from bot.platforms.page.sessions import THEMES, PageServices, Reader, admitted, identified, invite
from play.errors import PlayError, Unavailable
from play.match import Match, Phase, plays_alone
from play.people import Account, Address
from play.ports import derived
from play.ratings.model import RatingChange
from play.ratings.records import counted
from play.replay import turn_after
from play.table import Table
from play.time.week import Week
from rules.core import RulesError


async def rating_changes(table: Table, match: Match) -> Sequence[RatingChange | None]:
    """Return what a match did to ratings; nothing while that cannot be loaded."""
    with suppress(PlayError):
        return await counted(table, match)
    return ()


def _number(text: str) -> int:
    return int(text[:9]) if text.isascii() and text.isdecimal() else 0


_Frame = TypeVar("_Frame", bound=wire.PageFrame)

AHEAD: Final = "ahead"  # names the board on which a move is prepared


@dataclass(frozen=True, slots=True)
class Composed:
    """A match as one reader sees it, or all spectators alike, and the looks of its squares."""

    view: wire.PageView
    looks: dict[str, str]
    log: list[wire.PageEntry]
    frames: dict[tuple[int, Set[str]], bytes] = field(
        default_factory=dict
    )  # what is sent of it, by what the page has not had


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
        self._weeks: Sequence[Week | None] = ()  # of the invitation
        self._watched = -1  # how many watch, as it was sent
        self._marked = False  # whether its turning points were sent
        self._place: Address | None = None  # the first one where the match is shown
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
            self._log_since(match, composing.log(self.present(match)))
        else:
            self.show(match)
        if match is not None:
            marked, story = await self._marks(match), await self._story(match)
            if marked or story:
                self._frame(wire.PageFrame(marks=marked, story=story))

    async def _marks(self, match: Match) -> list[wire.PageMark] | None:
        """Return the turning points of the match, once there are any to send."""
        if self._marked or match.phase is not Phase.OVER:
            return None
        course = self._services.table.course(match)
        found = await TURNING_POINTS.all(self._services.store, match, course)
        self._marked = bool(found)
        return [composing.mark(point, self.reader.words) for points in found for point in points] or None

    async def _story(self, match: Match) -> wire.PageView | None:
        """Return the story of a match for a reader who is not offered it, where it can be told at once."""
        if self.seated or match.phase is not Phase.OVER:
            return None
        found = await STORIES.all(self._services.store, self.present(match))
        told = [composing.card(replace(view, buttons=()), self.reader.words, self._looks) for view in found]
        return told[0] if told else None

    async def _rated(self, match: Match) -> Match:
        self.changes = self.changes or await rating_changes(self._services.table, match)
        self._weeks = await weeks_of(self._services.store, match)
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

    def show(self, match: Match, composed: Composed | None = None) -> None:
        """Send a match as it is now, unless this or a later revision was sent; raises `PlayError`."""
        if match.id != self.code or match.revision < self.shown:
            return
        made = composed or self.compose(match)
        same, new = self._log_since(match, made.log), made.looks.keys() - self._sent_looks
        had = same, frozenset(new)
        if had not in made.frames:
            looks = {key: made.looks[key] for key in new}
            frame = wire.PageFrame(view=made.view, log=made.log[same:], log_from=same, looks=looks or None)
            made.frames[had] = wire.write(frame)
        self._sent_looks |= new
        self._send(made.frames[had])
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

    def _log_since(self, match: Match, entries: list[wire.PageEntry]) -> int:
        """Note that a match is shown; return how many entries of its log are as they were sent."""
        self.shown, self.seated = match.revision, self.reader.plays(match)
        self._place = next(iter(match.addresses), None)
        sent, self._sent_log = self._sent_log, entries
        pairs = enumerate(zip(sent, entries, strict=False))
        return next((at for at, (old, new) in pairs if old != new), min(len(sent), len(entries)))

    def compose(self, match: Match, shown: View | None = None) -> Composed:
        """Return a match as the reader sees it; raises `PlayError`."""
        looks: dict[str, str] = {}
        presentation, who = self.present(match), self.reader.who
        share, tries = self._shared.to_watch(match.id), self._tries(match)
        view = composing.view(presentation, who, share, looks, tries=tries, shown=shown)
        if view.pick is not None:
            view.pick.at_once = not self.reader.own.confirm
        invite(view, match, self.reader, self._ways)
        return Composed(view, looks, composing.log(presentation))

    def _tries(self, match: Match) -> bool:
        return trying.refusal(match, plays=self.reader.plays(match), hints=self._fair) is None

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
            self.reader.own.own_zone,
            self._weeks if match.phase is Phase.OPEN else (),
        )

    def end(self, why: str) -> None:
        """Send that the page is no longer served, by a word as in `Denied`; what it still asks for is refused."""
        self.ended = True
        self._frame(wire.PageFrame(over=why))

    def watched_by(self, count: int) -> None:
        """Send how many watch, unless that was sent."""
        if count != self._watched:
            self._watched = count
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
        line = asked.do == "press" and asked.text.startswith("~")
        answer = await (self._played_from if line else acting.get(asked.do, self._acted))(asked)
        return answer if asked.do in ("pick", "note") else await self._in_lobby(answer)

    async def _current(self) -> Match:
        return await self._rated(await self._services.table.get(self.code))

    async def _tried(self, asked: wire.PageRequest) -> wire.PageReply:
        match = await self._current()
        if not self._tries(match):
            return wire.PageReply(re=asked.op, cards=[])
        known = self.reader.session is not None
        return beside.tried(
            self.present(match), asked, self._looks, begins=known and match.phase is Phase.OVER
        )

    async def _played_from(self, asked: wire.PageRequest) -> wire.PageReply:
        """Begin a match at the end of a line beside this one: `~12~~engine:2`; without an opponent, ask against whom."""
        presses, reply = self._presses(asked.op), wire.PageReply(re=asked.op, cards=[])
        presentation = self.present(await self._current())
        text, _, opponent = asked.text.rpartition("~")
        with suppress(ValueError):  # no page asks for what is none
            line = TriedLine.read(text)
            command, turn = beside.beginning(presentation, line)
            if opponent and presentation.match.phase is Phase.OVER:
                messages, reply.go = await presses.begin(f"{command} {opponent}")
                reply.cards = self._worded(messages)
            else:
                messages, _ = await presses.press(CallbackData(Verb.FROM, self.code, asked.seen, turn))
                reply.cards = [beside.opponents(card, line, turn) for card in self._worded(messages)]
        return reply

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
            picked = board.picked(presentation, Selection.read(asked.text), self._looks, start)
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
            kept, whole = board.kept(presentation, Selection.read(asked.text))
            if kept != Selection():
                reply.pick = board.picked(presentation, kept, self._looks)
            if not whole:
                said = self.reader.words("bot.page.changed")
                reply.cards = [wire.PageView([said], refused=True)]
        return reply

    async def _looked(self, asked: wire.PageRequest) -> wire.PageReply:
        first, _, last = asked.text.partition(":")
        presentation = self.present(await self._current())
        reel = beside.reel(presentation, _number(first), _number(last), self._looks)
        return wire.PageReply(re=asked.op, reel=reel)

    async def _noted(self, asked: wire.PageRequest) -> wire.PageReply:
        notes, who = self._services.store.notes, self.reader.who
        if self.seated and (oldest := await note(notes, who, self.code, asked.text)):
            full = self.reader.words("bot.note.full", most=MOST, code=f"#{oldest}")
            return wire.PageReply.refused(asked.op, full)
        return wire.PageReply(re=asked.op)

    async def _restyled(self, asked: wire.PageRequest) -> wire.PageReply:
        if asked.do == "flip":
            self._flip = not self._flip
        elif asked.text in THEMES:
            self.reader = replace(self.reader, theme=THEMES[asked.text])
        reply = wire.PageReply(re=asked.op)
        if self.code:
            match = await self._current()
            self.show(match)
            reply.story = await self._story(match)
        if self._lobby is not None:
            self._lobby.restyle(self.reader)
        return await self._in_lobby(reply)

    async def _begun(self, asked: wire.PageRequest) -> wire.PageReply:
        """Begin a new game, by the command of the chat."""
        services, words, who = self._services, self.reader.words, self.reader.who
        matches, frame = await services.store.matches.of(who[0]), wire.PageReply(re=asked.op, cards=[])
        visitor, setup = self._presses(asked.op).visitor, asked.setup
        order = await new_game.ordered(services, setup, visitor, matches, who) if setup else None
        if setup is None or order is None:
            return wire.PageReply.refused(asked.op, words("bot.page.refused.person"))
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
        words, looks, theme = self.reader.words, self._looks, self.reader.theme
        return [
            composing.card(replace(each.view, theme=theme), words, looks, refused=each.refused)
            for each in messages
        ]

    async def _acted(self, asked: wire.PageRequest) -> wire.PageReply:
        presses, go = self._presses(asked.op), ""
        messages: Sequence[Message] = ()
        try:
            if asked.do == "ahead":
                messages = await self._prepared(presses, asked)
            elif asked.on:
                messages = await presses.on_a_board(asked)
                if asked.do == "pick" and picking(messages) is not None:
                    (made,) = self._worded(messages)
                    assert made.pick is not None, "its view has what is picked"  # noqa: S101
                    made.pick.board = made.board
                    return wire.PageReply(re=asked.op, pick=made.pick)
            elif asked.do == "type":
                messages = await presses.type(f"/move #{self.code} {' '.join(asked.text.split())}")
            elif asked.do == "rules":
                messages = await presses.type(f"/rules #{self.code}")
            elif asked.do == "takeback":
                turn = turn_after(self.present(await self._current()).course, _number(asked.text))
                number = str(turn.number if turn else 0)
                messages, _ = await presses.press(CallbackData(Verb.TAKEBACK, self.code, asked.seen, number))
            elif asked.do == "play":
                messages = await presses.play(asked)
            else:
                messages, go = await presses.press(CallbackData.unpack(asked.text))
        except BadCallbackData:
            pass
        marked = None
        if self.code and not go:
            match = await self._current()
            self.show(match)
            marked = await self._marks(match)
        return wire.PageReply(re=asked.op, cards=self._worded(messages), go=go, marks=marked)

    async def _prepared(self, presses: Presses, asked: wire.PageRequest) -> Sequence[Message]:
        """Plan what is picked for any reply, or delete the plan; the view tells, unless it is refused."""
        match = await self._current()
        start = composing.planned_on(self.present(match), composing.seats_of(match, self.reader.who))
        moves = presses.moves_on(match, start, asked.text) if start is not None else asked.text
        wanted = " ".join(moves.split()) if asked.text else "off"
        messages = await presses.type(f"/plan #{self.code} {wanted}")
        return [message for message in messages if message.refused]

    def _presses(self, op: str) -> Presses:
        place = self._place if self.seated else None
        return Presses(self._shared, self.reader, self.code, place=place, op=op, progress=self._progress)

    async def _progress(self, message: Message) -> None:
        self._frame(wire.PageFrame(bar=" ".join(message.view.lines)))
