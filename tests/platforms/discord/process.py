"""The bot as a process of its own, connected to a Discord on this machine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tests.bot.process import command, environment
from tests.platforms.discord.rest import PATIENCE, TOKEN
from tests.platforms.discord.server import Discord

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
