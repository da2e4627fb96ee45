"""A server with a channel and some people, and the bot in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest_asyncio

from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, User


@dataclass(slots=True)
class Evening:
    """A server with two channels, and five people who are there."""

    discord: Discord
    guild: Guild
    games: Channel
    hall: Channel
    data: Path

    def person(self, name: str, locale: str = "en-US") -> Person:
        """Somebody of the server, in its first channel."""
        for user in self.discord.users.values():
            if user.name == name:
                return Person(self.discord, user, self.games)
        user = User(name, name.capitalize(), locale=locale)
        return Person(self.discord, self.discord.person(user), self.games)

    def bot(self, **settings: str) -> BotProcess:
        """The bot, started anew."""
        return BotProcess(self.discord, self.data, settings)


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[Evening]:
    games, hall = Channel(name="games"), Channel(name="hall")
    guild = Guild("Somewhere", channels=[games, hall])
    async with Discord(guild) as discord:
        yield Evening(discord, guild, games, hall, tmp_path / "data")
