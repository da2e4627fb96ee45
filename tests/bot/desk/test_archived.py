"""A match that has been over for a month, and is in the archive, is shown as any other, and forgotten as any other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.chat.context import Resources
from bot.chat.desk import Desk as BotDesk
from bot.chat.thinking import Thinker
from bot.chat.thinking.jobs import JobQueue
from bot.chat.view import File, Message
from bot.features.commands import REGISTRY
from play.actions.leaving import Resign
from play.match import Match
from play.people import Player
from play.request import Request
from play.table import Table
from rules import GAMES
from storage import RedisStore, keys
from storage.archive import Archive
from storage.maintenance.retention import Archiver
from storage.records import codec
from tests.bot.thinking.helpers import Inline
from tests.bot.world import ANN, BOB, Counted, World
from tests.support.desk import Desk
from tests.support.pages import page_house
from tests.support.waiting import LIMIT

MONTH = timedelta(days=31)


async def at_once(_seconds: float) -> None:
    """Make no pause."""


class Room:
    """A room on Redis with an archive, and engines."""

    def __init__(self, store: RedisStore) -> None:
        self.store = store
        self.world = World()
        self.world.store = store  # type: ignore[assignment]
        self.world.table = self.table = Table(store, GAMES, Counted())
        resources = Resources(self.table, store, "en", thinker=Thinker(Inline(), JobQueue(1)))
        self.desk = BotDesk(REGISTRY, resources, lambda: self.world.now)

    async def say(self, who: Player, line: str) -> Sequence[Message]:
        return await self.desk.answer(self.world.visitor(who), line)

    async def is_archived(self, match: Match) -> bool:
        record = await self.store.connection.command("GET", keys.match_key(match.id))
        return codec.is_head(bytes(record))


@pytest.fixture
async def room(redis_client: Redis, tmp_path: Path) -> AsyncIterator[tuple[Room, Match]]:
    """A room, and a match of Ann's and Bob's that was over a month ago."""
    archive = Archive(tmp_path / "archive")
    room = Room(RedisStore(redis_client, patience=LIMIT, archive=archive))
    match = await room.world.begin("breakthrough", {"board": "4x5"})
    await room.world.all_move(match)
    await room.table.act(match.id, Resign(), Request(ANN, room.world.now))
    room.world.now += MONTH
    assert await Archiver(room.store, at_once).sweep(room.world.now) == 1
    match = await room.table.get(match.id)
    assert await room.is_archived(match)
    yield room, match
    archive.close()


def files(messages: Sequence[Message]) -> list[File]:
    return [file for said in messages for file in said.view.files]


async def test_it_is_found_replayed_exported_and_analysed(room: tuple[Room, Match]) -> None:
    here, match = room
    assert match in list(await here.store.matches.of(BOB.account))
    for line in ("/replay", f"/replay #{match.id}"):
        (replayed,) = await here.say(BOB, line)
        assert f"#{match.id}" in replayed.view.lines[0]
        assert replayed.view.film is not None
    assert files(await here.say(BOB, f"/export #{match.id}"))
    (analysed,) = await here.say(BOB, f"/analyse #{match.id}")
    assert not analysed.refused
    assert files(await here.say(BOB, "/privacy export"))
    assert await here.is_archived(match)


async def test_the_page_shows_it(room: tuple[Room, Match]) -> None:
    here, match = room
    desk = Desk()
    desk.store, desk.table = here.store, here.table  # type: ignore[assignment]
    async with page_house(desk=desk) as house, house.page(match.id, BOB) as page:
        frame = await page.answer("view")
        assert frame["view"]["r"] == match.revision
        assert len(page.log) >= 2


async def test_who_played_it_is_forgotten(room: tuple[Room, Match]) -> None:
    here, match = room
    archive = here.store.archive
    assert archive is not None
    assert len(await archive.of([ANN.account])) == 1
    await here.say(ANN, "/forgetme yes")
    assert await here.is_archived(match)
    assert await archive.of([ANN.account]) == []
    after = await here.table.get(match.id)
    assert ANN.account not in list(after.people())
    assert BOB.account in list(after.people())
    assert after in list(await here.store.matches.of(BOB.account))
