"""What the reader of a page does, as what it would be in a chat: a press, a typed move, a command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.errors import CommandError
from bot.chat.grammar import read
from bot.chat.presenting.selection import Selection, follow
from bot.chat.view import Message, Person, Picking, View
from bot.chat.visitor import Visitor
from bot.platforms.page import wire
from bot.platforms.page.sessions import PageServices, Reader
from play.errors import PlayError
from play.match import Match, Phase
from play.people import Account, Address, private_place
from play.ports import derived
from rules.core import Position, RulesError

_SHOWN: Final = frozenset({Verb.BOARD, Verb.BACK})  # presses that open the match they name

# Presses in the lobby: after which a match that has begun is opened; which are of a person alone, with no place.
_ENTERS: Final = frozenset({Verb.ACCEPT, Verb.JOIN, Verb.START})
_ALONE: Final = frozenset({Verb.LEARN, Verb.PUZZLE})

_BEGINS: Final = frozenset(
    {Verb.REMATCH, Verb.FROM, Verb.SAY}
)  # presses under one match that may begin another


class Presses:
    """Carries out one request of a page; `code` is that of its match, empty in the lobby, and `place` is where that is shown."""

    def __init__(
        self,
        shared: PageServices,
        reader: Reader,
        code: str,
        *,
        place: Address | None,
        op: str,
        progress: Callable[[Message], Awaitable[None]],
    ) -> None:
        session, room = reader.session, shared.room
        assert session is not None, "a spectator presses nothing"  # noqa: S101
        account = session.player.account
        at_home = room is not None and account.platform == room.platform
        self._services = shared.services
        self._reader = reader
        self._code = code
        self.visitor = Visitor(
            session.player,
            place or (room if room is not None and at_home else private_place(account)),
            find=lambda _: None,
            locale=session.locale or None,
            request=f"page.{op}",
            buttons=True,
            writable=False,
            progress=progress,
        )

    async def on_a_board(self, asked: wire.PageRequest) -> Sequence[Message]:
        """Pick on a board that belongs to no match, and play what is picked or typed, unless it is only picked."""
        data = replace(CallbackData.unpack(asked.on), argument="" if asked.do == "type" else asked.text)
        if not self._code:
            self._go_alone()  # as when the board was opened: it stays turned
        messages = await self._desk(data)
        picked = picking(messages)
        if picked is None or asked.do == "pick":
            return messages
        moves = asked.text if asked.do == "type" else Selection.read(picked.picked).moves
        return await self._desk(replace(data, verb=picked.plays, argument=moves))

    async def type(self, line: str) -> Sequence[Message]:
        """Return the answers to a typed command."""
        try:
            command = read(line)
        except CommandError as error:
            said = View(lines=(self._reader.words(error.reason, **error.fields),))
            return [Message(Person(self.visitor.player.account, self.visitor.place), said, refused=True)]
        assert command is not None, "it begins with a slash"  # noqa: S101
        return await self._services.desk.run(self.visitor, command)

    async def begin(self, line: str) -> tuple[Sequence[Message], str]:
        """Return the answers to a typed command that begins a match, and that match."""
        # A request that comes again has begun it already.
        begun = derived(f"{self.visitor.place.platform}:{self.visitor.request}", 0)
        before = await self._own() - {begun}
        messages = await self.type(line)
        return messages, next(iter(await self._own() - before), "")

    async def play(self, asked: wire.PageRequest) -> Sequence[Message]:
        """Play what is picked."""
        moves, table = asked.text, self._services.table
        match = await table.get(self._code)
        with suppress(PlayError):
            moves = self.moves_on(match, table.course(match).position, moves)
        return await self._desk(CallbackData(Verb.MOVE, self._code, asked.seen, moves))

    def moves_on(self, match: Match, position: Position[Any], picked: str) -> str:
        """Return the moves that a selection makes from a position, else the selection: the desk says what is wrong with it."""
        with suppress(RulesError):
            game = self._services.table.games[match.game]
            return follow(game, position, Selection.read(picked)).selection.moves
        return picked

    async def press(self, data: CallbackData) -> tuple[Sequence[Message], str]:
        """Return the answer to a button, and the match that is to be shown then: one that was begun, or asked for."""
        if data.verb in _SHOWN and data.code:
            return (), data.code
        if not self._code and data.verb in _ALONE:
            self._go_alone()
        opens = data.verb in _BEGINS or (not self._code and data.code is None)
        before = await self._own() if opens else frozenset()
        messages = await self._desk(data)
        if not self._code and data.verb in _ENTERS and not any(message.refused for message in messages):
            entered = await self._services.table.get(data.match)
            return (), entered.id if entered.phase is Phase.PLAYING else ""
        return messages, next(iter(await self._own() - before), "") if opens else ""

    def _go_alone(self) -> None:
        self.visitor = replace(self.visitor, place=private_place(self._reader.who[0]), home=_nowhere)

    async def _desk(self, data: CallbackData) -> Sequence[Message]:
        return await self._services.desk.press(self.visitor, data, brief=True)

    async def _own(self) -> frozenset[str]:
        matches = await self._services.store.matches.of(self._reader.who[0])
        return frozenset(match.id for match in matches)


def picking(messages: Sequence[Message]) -> Picking | None:
    """Return what is picked on the board of an answer."""
    return messages[0].view.picking if len(messages) == 1 and not messages[0].refused else None


async def _nowhere(_account: Account) -> None:
    pass
