"""A server with a channel and some people, and the bot as a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.platforms.discord.people import Person
from tests.platforms.discord.process import BotProcess
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Interaction, Message, User


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
        for user in self.discord.users.values():
            if user.name == name:
                return Person(self.discord, user, self.games)
        user = User(name, name.capitalize(), locale=locale)
        return Person(self.discord, self.discord.person(user), self.games)

    def bot(self, **settings: str) -> BotProcess:
        """The bot, started anew."""
        return BotProcess(self.discord, self._data, settings)

    async def latest(self, words: str, where: Channel | None = None) -> Message:
        """The latest public message, once it has those words in it, and its buttons if it is to have any."""

        def found() -> Message | None:
            shown = [each for each in (where or self.games).messages.values() if each.only is None]
            return shown[-1] if shown and words in shown[-1].words.replace("\\", "") else None

        message = await self.discord.until(found, words)
        assert isinstance(message, Message)
        return message

    async def settled(self, done: Interaction) -> None:
        """Wait until an interaction has its whole answer."""
        await self.discord.until(lambda: done.settled, "an answer")

    async def told(self, person: Person, words: str) -> Message:
        """Return the latest private message to a person, once it holds these words."""

        def found() -> Message | None:
            shown = person.private()
            return shown[-1] if shown and words in shown[-1].words.replace("\\", "") else None

        message = await self.discord.until(found, words)
        assert isinstance(message, Message)
        return message


@asynccontextmanager
async def evening(data: Path, *, shards: int = 1) -> AsyncIterator[Evening]:
    """An evening; it ends badly if the bot sent anything that Discord would not take."""
    guild = Guild("Somewhere", channels=[Channel(name="games"), Channel(name="hall")])
    async with Discord(guild, shards=shards) as discord:
        yield Evening(discord, data)
