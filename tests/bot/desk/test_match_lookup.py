"""A request reads its room once, and again only after it has changed something there itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.desk import Desk
from play.match import Match, Phase
from play.people import Address
from play.ports import Loaded, Operation
from tests.bot.world import ANN, BOB, ROOM, World
from tests.support.memory.matches import MemoryMatches


class Watched(MemoryMatches):
    """Matches that note what is read of them."""

    def __init__(self, world: World) -> None:
        store = world.store
        super().__init__(store.clock, store.timers, store.outbox)
        store.matches = self
        self.asked: list[str] = []

    async def at(self, address: Address, *, over: bool = True, most: int | None = None) -> Sequence[Match]:
        self.asked.append("all" if over else "at")
        return await super().at(address, over=over, most=most)

    async def load(self, match_id: str, operation: Operation | None = None) -> Loaded:
        self.asked.append("load")
        return await super().load(match_id, operation)

    def taken(self) -> list[str]:
        asked, self.asked = self.asked, []
        return asked


async def test_a_press_loads_its_match_once_and_a_command_reads_the_room_once() -> None:
    world = World()
    matches = Watched(world)
    match = await world.begin("breakthrough", {})
    matches.taken()
    await Desk.press(
        world.desk, world.visitor(ANN), CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3")
    )
    assert matches.taken() == ["load"]
    await Desk.answer(world.desk, world.visitor(BOB), "/move a7-a6")
    assert matches.taken() == ["at"]
    assert len((await world.table.get(match.id)).log) == 2


async def test_what_the_request_itself_called_off_is_no_longer_there() -> None:
    world = World()
    matches = Watched(world)
    await world.say(ANN, "/challenge bob breakthrough")
    world.now += timedelta(days=400)
    matches.taken()
    assert len(await Desk.answer(world.desk, world.visitor(BOB), "/accept")) == 1
    assert matches.taken().count("at") == 2
    assert [match.phase for match in await matches.at(ROOM)] == [Phase.CALLED_OFF]


async def test_matches_that_are_over_are_looked_up_only_where_they_are_asked_for() -> None:
    world = World()
    matches = Watched(world)
    await world.begin("breakthrough", {})
    live = (
        "/move a2-a3",
        "/undo",
        "/move a2-a3",
        "/takeback",
        "/draw",
        "/board",
        "a2-a3",
        "/rules",
        "/resign yes",
    )
    for line in live:
        await Desk.answer(world.desk, world.visitor(ANN), line)
    assert "all" not in matches.taken()
    for line in ("/board", "/export", "/move a2-a3", "/undo", "/rematch"):
        said = await Desk.answer(world.desk, world.visitor(ANN), line)
        assert len(said) == (line != "/rematch")
        assert matches.taken().count("all") == 1
