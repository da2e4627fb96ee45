"""A place that plays: how a turn comes about, who has a say, and what is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.chat.view import Message
from bot.features.channels.keeping import Councils
from play.actions.playing import MakeMove
from play.match import Match, is_engine
from play.people import Player, channel
from play.request import Request
from tests.bot.world import ANN, BOB, CEM, ROOM, World

PLACE: Final = channel(ROOM)


class Channel:
    """The people of a room who play in its name."""

    def __init__(self) -> None:
        self.world = World()

    @property
    def match(self) -> Match:
        stored = self.world.store.matches.stored.values()
        return next(match for match in stored if match.seat_of(PLACE) is not None)

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


async def test_a_turn_is_proposed_voted_on_and_played() -> None:
    room = Channel()
    await room.say(ANN, "/challenge @Klop channel breakthrough 5x5")
    await room.say(ANN, "/move a2-a3")
    await room.say(BOB, "/move b2-b3")
    await room.wait(hours=13)
    for who, letter in ((ANN, "b"), (BOB, "b"), (CEM, "a")):
        await room.say(who, f"/vote {letter}")
    [board] = [each for each in await room.wait(hours=13) if each.to == ROOM]
    assert board.view.lines[0] == "b2-b3 had 2 of 3 votes; proposed by bob."
    assert [each.text for each in room.match.log if hasattr(each, "text")] == ["b2-b3"]
