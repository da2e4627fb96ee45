from __future__ import annotations

from collections.abc import Mapping

import discord
import pytest

from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild


@pytest.mark.parametrize(
    ("settings", "shards"),
    [({}, {0, 1}), ({"KLOP_DISCORD_SHARD_IDS": "1", "KLOP_DISCORD_SHARD_COUNT": "2"}, {1})],
)
async def test_a_process_serves_all_shards_or_those_that_are_set(
    monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, str], shards: set[int]
) -> None:
    async def at_once(*_: object, **__: object) -> None:
        """The library waits five seconds before it identifies a second shard."""

    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    guild = Guild("Somewhere", channels=[Channel(name="games"), Channel(name="hall")])
    async with Discord(guild, shards=2) as server, DiscordHarness(discord=server):
        await server.until(lambda: server.gateway.connected == shards, "its shards")
        assert set(server.gateway.opened) == {("identify", shard) for shard in shards}
