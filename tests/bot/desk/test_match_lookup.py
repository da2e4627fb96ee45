"""A request looks at its room once, and again only after it has changed something there itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bot.callback_data import CallbackData, Verb
from bot.commands import REGISTRY
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.desk.visitor import Visitor
from play.match import Match, Phase
from play.people import Account, Address, Player
from play.ports import Loaded, Operation
from play.randomness import SystemChance
from play.table import Table
from rules import GAMES
from storage import MemoryStore
from storage.memory.matches import MemoryMatches
from tests.bot.world import ANN, BOB, World

ROOM = Address("console", "room")
ANNA, BORIS = (Player(Account("console", name), name) for name in ("anna", "boris"))


class Watched(MemoryMatches):
    """Matches that count how often a room's are read."""

    looks = 0
    looks_at_all = 0

    async def at(self, address: Address, *, over: bool = True) -> Sequence[Match]:
        self.looks += 1
        self.looks_at_all += over
        return await super().at(address, over=over)


class Clock:
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def opened() -> tuple[Watched, Clock, Desk]:
    store, clock = MemoryStore(), Clock()
    store.matches = watched = Watched(store.clock, store.timers, store.outbox)
    return watched, clock, Desk(REGISTRY, Resources(Table(store, GAMES, SystemChance()), store, "en"), clock)


async def said(desk: Desk, who: Player, line: str) -> int:
    """Say a line; how many messages follow."""
    people = {player.name: player for player in (ANNA, BORIS)}
    return len(await desk.hear(Visitor(who, ROOM, find=people.get), line))


async def test_a_move_looks_at_the_room_once() -> None:
    matches, _, desk = opened()
    await said(desk, ANNA, "/challenge boris breakthrough")
    await said(desk, BORIS, "/accept")
    matches.looks = 0
    await said(desk, ANNA, "/move a2-a3")
    assert matches.looks == 1
    (match,) = await matches.at(ROOM)
    assert len(match.log) == 1
    matches.looks = 0
    await said(desk, BORIS, "/move a7-a6")
    assert matches.looks == 1


async def test_what_the_request_itself_called_off_is_no_longer_there() -> None:
    matches, clock, desk = opened()
    await said(desk, ANNA, "/challenge boris breakthrough")
    clock.now += timedelta(days=400)
    matches.looks = 0
    assert (
        await said(desk, BORIS, "/accept") == 1
    )  # it was called off, which the sender tells; nothing is left to accept
    assert matches.looks == 2
    assert not [match for match in await matches.at(ROOM) if match.phase is not Phase.CALLED_OFF]


async def test_matches_that_are_over_are_looked_up_only_where_they_are_asked_for() -> None:
    matches, _, desk = opened()
    await said(desk, ANNA, "/challenge boris breakthrough")
    await said(desk, BORIS, "/accept")
    for line in (
        "/move a2-a3",
        "/undo",
        "/move a2-a3",
        "/takeback",
        "/draw",
        "/board",
        "a2-a3",
        "/rules",
        "/resign",
    ):
        await said(desk, ANNA, line)
    assert matches.looks_at_all == 0
    for line in ("/board", "/export", "/move a2-a3", "/undo", "/rematch"):
        matches.looks_at_all = 0
        assert await said(desk, ANNA, line) == (line != "/rematch")
        assert matches.looks_at_all == 1


async def test_a_press_asks_for_its_match_once_and_a_command_looks_at_the_room_once() -> None:
    world = World()
    match = await world.begin("breakthrough", {})
    asked: list[str] = []
    matches = world.store.matches
    load, at = matches.load, matches.at

    async def loaded(match_id: str, operation: Operation | None = None) -> Loaded:
        asked.append("load")
        return await load(match_id, operation)

    async def looked(address: Address, *, over: bool = True) -> Sequence[Match]:
        asked.append("at")
        return await at(address, over=over)

    matches.load, matches.at = loaded, looked  # type: ignore[method-assign]
    desk = Desk(REGISTRY, Resources(world.table, world.store, "en"), lambda: world.now)
    await desk.press(world.visitor(ANN), CallbackData(Verb.MOVE, match.id, match.revision, "a2-a3"))
    assert asked == ["load"]
    asked.clear()
    await desk.hear(world.visitor(BOB), "/move a7-a6")
    assert asked == ["at"]
