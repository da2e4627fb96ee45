"""A room whose people play in its name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.view import Message, View
from bot.chat.visitor import Visitor
from bot.features.channels.council import Council
from bot.features.channels.keeping import Councils
from play.actions.playing import MakeMove
from play.match import Match, is_engine
from play.people import Address, Player, channel
from play.request import Action, Request
from tests.bot.world import ANN, ROOM, World

PLACE: Final = channel(ROOM)
US: Final = Player(PLACE, "#room")
BEGINS: Final = "/challenge engine:1 channel breakthrough 5x5 side:first"


class Channel:
    """The people of a room who play in its name."""

    def __init__(self, language: str = "en") -> None:
        self.world = World(language)
        self.councils = Councils(self.world.desk._services)

    @property
    def match(self) -> Match:
        stored = self.world.store.matches.stored.values()
        return next(match for match in reversed(stored) if match.seat_of(PLACE) is not None)

    def visitor(self, who: Player, where: Address = ROOM, **more: Any) -> Visitor:
        return replace(self.world.visitor(who, where), place_name=f"#{where.place}", **more)

    async def say(self, who: Player, *lines: str, where: Address = ROOM, **more: Any) -> Sequence[Message]:
        said: Sequence[Message] = ()
        for line in lines:
            said = await self.world.desk.answer(self.visitor(who, where, **more), line)
        return said

    async def told(self, who: Player, *lines: str, where: Address = ROOM, **more: Any) -> str:
        return text(await self.say(who, *lines, where=where, **more))

    async def press(
        self, who: Player, verb: Verb, argument: str = "", match: Match | None = None
    ) -> Sequence[Message]:
        match = match or self.match
        button = CallbackData(verb, match.id, match.revision, argument)
        return await self.world.desk.press(self.visitor(who, buttons=True), button)

    async def act(self, who: Player, action: Action[Any], match: Match | None = None) -> Sequence[Message]:
        await self.world.table.act((match or self.match).id, action, Request(who, self.world.now))
        return await self.world.desk.drained()

    async def wait(self, **length: float) -> Sequence[Message]:
        """Time passes, and what is due is looked at."""
        self.world.now += timedelta(**length)
        await self.councils.tick()
        return await self.world.desk.drained()

    async def voted(self, turn: str = "", *, who: Player = ANN) -> Sequence[Message]:
        """A turn is proposed, any if none is said, and decided once its time is up."""
        await self.say(who, f"/move #{self.match.id} {turn or self.legal()}")
        return await self.wait(hours=24)

    def legal(self) -> str:
        """A legal turn, whole."""
        position, played = self.world.table.position(self.match), list[str]()
        notation = self.world.table.games[self.match.game].notation
        after = position
        while not played or (
            not after.outcome and after.to_move == position.to_move and after.plies_left != after.turn_length
        ):
            move = after.legal_moves()[0]
            played.append(notation.format(move))
            after = after.play(move)
        return " ".join(played)

    async def answered(self) -> Sequence[Message]:
        """The computer moves."""
        match = self.match
        mover = match.player(self.world.table.position(match).to_move)
        assert is_engine(mover.account)
        return await self.act(mover, MakeMove(self.legal()))

    async def council(self) -> Council:
        return await self.councils.present(self.match, PLACE)

    @property
    def turns(self) -> list[str]:
        return [entry.text for entry in self.match.log if hasattr(entry, "text")]


def text(said: Iterable[Message]) -> str:
    return "\n".join(line for each in said for line in (*each.view.lines, *each.view.after))


def keys(view: View) -> list[str]:
    return [each.label for each in view.controls]


async def playing(line: str = BEGINS, *, turns: int = 0) -> Channel:
    room = Channel()
    await room.say(ANN, line)
    for _ in range(turns):
        await room.voted()
        await room.answered()
    return room
