"""An evening in a Discord that others have made: what it refuses, the real one would too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
import simcord
from pydantic import SecretStr

from bot.commands import REGISTRY
from bot.config import Config
from bot.desk.context import Resources
from bot.desk.desk import Desk
from bot.on_discord.adapter import DiscordAdapter
from bot.platform import Services
from bot.sender import Sender
from bot.sender.composer import Composer
from play.match import Phase
from play.table import Table
from rules import GAMES
from storage.memory import MemoryStore
from tests.bot.world import Counted
from tests.platforms.discord.harness import Painted


class Simulated:
    """The bot in the simulated Discord; whatever follows is told by the time an act is over."""

    def __init__(self, env: simcord.Env, store: MemoryStore, table: Table, sender: Sender) -> None:
        self.env = env
        self.store = store
        self.table = table
        self.sender = sender
        guild = env.create_guild()
        self.channel: Any = guild.create_text_channel("games")
        self.people: dict[str, Any] = {
            name: guild.add_member(env.create_user(name)) for name in ("ann", "bob", "cem", "dan")
        }

    async def types(self, who: str, command: str, **options: Any) -> Any:
        done = await self.people[who].slash(self.channel, command, **options)
        await self.sender.drain()
        return done

    async def presses(self, who: str, message: Any, label: str) -> Any:
        done = await self.people[who].click(message, label=label)
        await self.sender.drain()
        return done

    @property
    def latest(self) -> Any:
        return self.channel.last_message


class Leaping:
    """Time that passes while somebody waits for it, and at once."""

    def __init__(self) -> None:
        self._now = datetime.now(UTC)

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        await asyncio.sleep(0)


@asynccontextmanager
async def simulated() -> AsyncIterator[Simulated]:
    given: dict[str, Any] = {
        "_env_file": None,
        "DISCORD_TOKEN": SecretStr("simulated"),
        "discord_shard_count": 1,
    }
    time = Leaping()
    store = MemoryStore(time.now)
    table = Table(store, GAMES, Counted())
    pictures = Painted()
    composer = Composer(table, store, "en")
    desk = Desk(REGISTRY, Resources(table, store, "en", pictures=pictures), store.clock)
    services = Services(Config(**given), table, store, desk, composer, store.clock, "en", pictures)
    platform = DiscordAdapter(services)
    sender = Sender(
        store.outgoing(), store.bucket(), composer, [platform.courier], now=store.now, sleep=time.sleep
    )
    async with simcord.run(platform.client) as env:
        yield Simulated(env, store, table, sender)
    await sender.close()
    pictures.close()


async def test_a_challenge_and_a_whole_match() -> None:
    async with simulated() as here:
        await here.types("ann", "challenge", person=here.people["bob"], game="lgame")
        card = here.latest
        assert "bob" in card.content
        await here.presses("bob", card, "Accept")
        assert here.people["ann"].mention in here.latest.content
        assert here.latest.attachments[0].description
        await here.types("ann", "move", move="L b3-b1-a1 n a4-a3")
        await here.types("bob", "move", move="L c1-c3-d3 n d1-b4")
        assert "Victory: bob" in here.latest.content
        (match,) = here.store.matches._matches.values()
        assert match.phase is Phase.OVER


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options"), [("breakthrough", "board:4x5"), ("klopodavka", "board:6x6")])
async def test_a_whole_match_of_another_game(game: str, options: str) -> None:
    chance = Random(game)
    async with simulated() as here:
        await here.types("ann", "challenge", person=here.people["bob"], game=game, options=options)
        await here.presses("bob", here.latest, "Accept")
        while (match := next(iter(here.store.matches._matches.values()))).phase is Phase.PLAYING:
            position = here.table.position(match)
            player = match.chairs[position.to_move].player
            assert player is not None
            text = GAMES[game].notation.format(chance.choice(position.legal_moves()))
            await here.types(player.name, "move", move=text)
            assert here.table.position(next(iter(here.store.matches._matches.values()))) != position
        assert "Victory" in here.latest.content or "Draw" in here.latest.content


async def test_a_lobby_of_four_with_teams() -> None:
    async with simulated() as here:
        await here.types("ann", "new", game="klopodavka", options="teams:2v2 board:6x6 actions:4")
        lobby = here.latest
        assert "1 of 4" in lobby.content
        await here.presses("bob", lobby, "Join team 1")
        await here.presses("cem", here.latest, "Join team 2")
        await here.presses("dan", here.latest, "Join team 2")
        assert here.latest.id == lobby.id  # one card, with its seats filling
        await here.presses("ann", here.latest, "Start")
        (match,) = here.store.matches._matches.values()
        assert match.phase is Phase.PLAYING
        assert sum(name in here.latest.content for name in ("ann", "bob", "cem", "dan")) == 4


async def test_a_move_that_could_be_several_is_asked_about_privately() -> None:
    async with simulated() as here:
        await here.types("ann", "challenge", person=here.people["bob"], game="lgame")
        await here.presses("bob", here.latest, "Accept")
        asked = await here.types("ann", "move", move="L b3-b1-a1")
        await here.types("ann", "undo")
        asked = await here.types("ann", "move", move="L a1-a3")
        assert asked.ephemeral
        (match,) = here.store.matches._matches.values()
        first = asked.response.components[0]["components"][0]
        await here.people["ann"].click(asked.response, custom_id=first["custom_id"])
        await here.sender.drain()
        assert here.store.matches._matches[match.id].revision > match.revision


async def test_a_picker_that_is_out_of_date_shows_the_board_as_it_is() -> None:
    async with simulated() as here:
        await here.types(
            "ann", "challenge", person=here.people["bob"], game="breakthrough", options="board:5x5"
        )
        await here.presses("bob", here.latest, "Accept")
        opened = await here.presses("ann", here.latest, "Move")
        picker = opened.followups[-1]
        await here.types("ann", "move", move="a2-a3")
        (match,) = here.store.matches._matches.values()
        key = picker.components[0]["components"][0]
        await here.people["ann"].click(picker, custom_id=key["custom_id"])
        await here.sender.drain()
        assert here.store.matches._matches[match.id] == match


async def test_a_move_is_typed_into_a_modal() -> None:
    async with simulated() as here:
        await here.types(
            "ann", "challenge", person=here.people["bob"], game="breakthrough", options="board:5x5"
        )
        await here.presses("bob", here.latest, "Accept")
        opened = await here.presses("ann", here.latest, "Move")
        modal = await here.presses("ann", opened.followups[-1], "Type it…")
        await here.people["ann"].submit_modal(modal, {"text": "a2-a3"})
        await here.sender.drain()
        assert "a2-a3" in here.latest.content.replace("\\", "")


async def test_somebody_elses_buttons_change_nothing() -> None:
    async with simulated() as here:
        await here.types("ann", "challenge", person=here.people["bob"], game="lgame")
        card = here.latest
        refused = await here.presses("cem", card, "Accept")
        assert refused.followups[-1].content
        (match,) = here.store.matches._matches.values()
        assert match.phase is Phase.OPEN
