"""The bot in a process of its own, which knows nothing but the URL of the server."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process, create_subprocess_exec
from collections.abc import AsyncIterator
from pathlib import Path

from tests.bot.process import PATIENCE, command, environment
from tests.platforms.telegram.server import TOKEN, BotApi


class BotProcess:
    """A bot that can be killed and started again on what it left."""

    def __init__(self, api: BotApi, data: Path, **settings: str) -> None:
        self._api = api
        self._data = data
        self._settings = settings
        self.log = ""
        self.process: Process | None = None

    async def start(self) -> None:
        """Start, and wait until it has asked who it is."""
        known = len(self._api.calls)
        await self._launch()
        await self._api.until(
            lambda: any(call.method in ("deleteWebhook", "setWebhook") for call in self._api.calls[known:]),
            PATIENCE,
        )

    async def ended(self) -> int:
        """Start, and wait until it ends by itself; the exit status."""
        await self._launch()
        assert self.process
        status = await asyncio.wait_for(self.process.wait(), PATIENCE)
        await asyncio.wait_for(self._reader, PATIENCE)
        return status

    async def _launch(self) -> None:
        settings = {"TELEGRAM_TOKEN": TOKEN, "KLOP_TELEGRAM_API": self._api.url, "KLOP_LOG": "debug"}
        self.process = await create_subprocess_exec(
            *command(self._data), stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, cwd=self._data.parent,
            env=environment(**settings | self._settings),
        )  # fmt: skip
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process
        assert self.process.stderr
        async for line in self.process.stderr:
            self.log += line.decode(errors="replace")

    async def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal, and wait for the end; the exit status."""
        assert self.process
        if self.process.returncode is None:
            self.process.send_signal(how)
        status = await asyncio.wait_for(self.process.wait(), PATIENCE)
        await asyncio.wait_for(self._reader, PATIENCE)
        return status

    async def kill(self) -> None:
        """As if the plug was pulled."""
        await self.end(signal.SIGKILL)


@contextlib.asynccontextmanager
async def running(api: BotApi, data: Path, **settings: str) -> AsyncIterator[BotProcess]:
    """A bot for as long as the context lasts; what it sent has to be valid, and its log without the token."""
    bot = BotProcess(api, data, **settings)
    await bot.start()
    try:
        yield bot
    finally:
        await bot.end()
    assert not api.invalid, api.invalid
    assert TOKEN not in bot.log
    assert TOKEN.partition(":")[2] not in bot.log
