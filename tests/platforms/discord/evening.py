"""A server with a channel and some people, and the bot as a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Message


class Evening:
    """A server with two channels, and people who are there.

    Attributes:
        discord: The whole of it.
        guild: The server.
        games: Its first channel.
        hall: Its second.
    """

    def __init__(self, discord: Discord, data: Path) -> None:
        self.discord = discord
        self.guild = discord.guilds[0]
        self.games, self.hall = self.guild.channels[:2]
        self._data = data

    def person(self, name: str, locale: str = "en-US") -> Person:
        """Return a person of the server, in its first channel."""
        return Person(self.discord, self.discord.named(name, name.capitalize(), locale), self.games)

    def bot(self, **settings: str) -> BotProcess:
        """The bot, started anew."""
        return BotProcess(self.discord, self._data, settings)

    async def latest(self, words: str, whose: Person | None = None) -> Message:
        """Return the latest message to all, or to a person alone, once it holds these words."""

        def found() -> Message | None:
            public = (each for each in self.games.messages.values() if each.only is None)
            shown = whose.private() if whose else list(public)
            return shown[-1] if shown and words in shown[-1].words.replace("\\", "") else None

        message = await self.discord.until(found, words)
        assert isinstance(message, Message)
        return message


@asynccontextmanager
async def evening(data: Path) -> AsyncIterator[Evening]:
    """An evening; it ends badly if the bot sent anything that Discord would not take."""
    guild = Guild("Somewhere", channels=[Channel(name="games"), Channel(name="hall")])
    async with Discord(guild) as discord:
        yield Evening(discord, data)
