"""A place that plays: how a turn comes about, who has a say, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.chat.view import Message
from bot.features.channels.keeping import Councils
from play.match import Match, engine, is_engine
from play.people import Player, channel
from play.request import Request
from play.actions.playing import MakeMove
from tests.bot.world import ANN, BOB, CEM, DAN, ROOM, World

PLACE: Final = channel(ROOM)


class Channel:
    """The people of a room who play in its name."""

    def __init__(self) -> None:
        self.world = World()

    @property
    def match(self) -> Match:
        return next(match for match in self.world.store.matches.stored.values() if match.seat_of(PLACE) is not None)

    async def say(self, who: Player, line: str) -> Sequence[Message]:
        return await self.world.say(who, line)

    async def wait(self, **length: float) -> Sequence[Message]:
        """Time passes, and what is due is looked at."""
        self.world.now += timedelta(**length)
        await Councils(self.world.desk._services).tick()
        return await self.world.desk.drained()

    async def answered(self) -> Sequence[Message]:
        """The computer moves."""
        match = self.match
        mover = match.player(self.world.table.position(match).to_move)
        assert is_engine(mover.account)
        move = self.world.table.position(match).legal_moves()[0]
        text = self.world.table.games[match.game].notation.format(move)
        await self.world.table.act(match.id, MakeMove(text), Request(mover, self.world.now))
        return await self.world.desk.drained()


async def test_try() -> None:
    room = Channel()
    for m in await room.say(ANN, "/challenge @Klop channel breakthrough 5x5"):
        print(m.to, m.refused, m.view.lines, [c.label for c in m.view.controls], m.view.after)
    print(room.match.chairs, room.match.clock)
    for who, line in ((ANN, "/move a2-a3"), (BOB, "/move b2-b3"), (CEM, "/vote b"), (DAN, "/vote"), (BOB, "/resign")):
        print("==", who.name, line)
        for m in await room.say(who, line):
            print(m.to, m.refused, m.view.lines, [c.label for c in m.view.controls])
    for hours in (0, 13, 13):
        for m in await room.wait(hours=hours):
            print("--", m.to, m.view.lines, m.view.after, [c.label for c in m.view.controls], m.view.alt)
        if hours == 13:
            for who, line in ((ANN, "/vote b"), (BOB, "/vote b"), (CEM, "/vote a")):
                for m in await room.say(who, line):
                    print(m.to, m.refused, m.view.lines)
    for m in await room.answered():
            print("--", m.to, m.view.lines, m.view.after, [c.label for c in m.view.controls], m.view.alt)
