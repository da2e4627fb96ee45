"""The bot as a process of its own, connected to a Discord on this machine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.bot.process import command, environment
from tests.platforms.discord.people import Person
from tests.platforms.discord.rest import PATIENCE, TOKEN
from tests.platforms.discord.server import Discord
from tests.platforms.discord.world import Channel, Guild, Message

_ENDING: Final = 20.0


class BotProcess:
    """A bot that connects to a Discord, and ends with the context.

    Args:
        discord: Where to.
        data: Its data directory; two after the other with the same one are one bot that was restarted.
        settings: More of its environment.
    """

    def __init__(self, discord: Discord, data: Path, settings: Mapping[str, str] | None = None) -> None:
        self._discord = discord
        self._data = data
        self._settings = {
            "DISCORD_TOKEN": TOKEN,
            "KLOP_DISCORD_API": discord.url,
            "KLOP_LOG": "info",
            **(settings or {}),
        }
        self.process: asyncio.subprocess.Process
        self.logged = b""

    async def __aenter__(self) -> Self:
        self._data.parent.mkdir(parents=True, exist_ok=True)
        before = len(self._discord.gateway.opened)
        self.process = await asyncio.create_subprocess_exec(
            *command(self._data),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self._data.parent,
            env=environment(**self._settings),
        )
        self._reading = asyncio.create_task(self._read())
        connected = asyncio.create_task(
            self._discord.until(
                lambda: len(self._discord.gateway.opened) > before and self._discord.gateway.connected,
                "a connection",
            )
        )
        ended = asyncio.create_task(self.process.wait())
        done, pending = await asyncio.wait((connected, ended), return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        if connected not in done:
            await asyncio.wait_for(self._reading, PATIENCE)
            raise AssertionError(f"the bot ended: {self.logged.decode()}")
        await connected
        return self

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.logged += line

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.returncode is None:
            self.process.terminate()
        try:
            await asyncio.wait_for(self.process.wait(), _ENDING)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        await asyncio.wait_for(self._reading, PATIENCE)
        if kind is not None:
            sys.stderr.write(self.logged.decode("utf-8", "replace"))

    async def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        await asyncio.wait_for(self.process.wait(), PATIENCE)


# A server with a channel and some people, and the bot as a process of its own.


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
