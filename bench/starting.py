"""The processor time of a process from nothing until it serves: what counts after a kill, where others keep the processors busy.

The bot until it listens to Telegram or to Discord, and the local room until it reads, with a server of its own and no matches;
the page alone until it listens; the question of a container whether the bot is ready. The start of the server is not counted.
Beside each the time to load the libraries that it needs, without any of Klop.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import subprocess
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.measure import Budget, Row, Series
from bench.page import served_page
from bench.presses import spent
from tests.bot.process import Bot, command, environment
from tests.platforms.discord.process import BotProcess as DiscordBot
from tests.platforms.discord.server import Discord
from tests.platforms.telegram.process import BotProcess as TelegramBot
from tests.platforms.telegram.server import BotApi
from tests.support.servers import redis_server

_COMMON: Final = (
    "aiohttp.web, babel.dates, msgspec, pebble, PIL.Image, pydantic_settings, redis.asyncio, structlog"
)


async def _telegram(folder: Path) -> float:
    api = BotApi()
    async with api.serving():
        bot = TelegramBot(api, folder / "data")
        await bot.start()
        assert bot.process
        taken = spent(bot.process.pid)
        await bot.end()
    return taken


async def _discord(folder: Path) -> float:
    async with Discord() as discord, DiscordBot(discord, folder / "data") as bot:
        return spent(bot.process.pid)


async def _room(folder: Path) -> float:
    with Bot(folder / "data") as bot:
        await asyncio.to_thread(bot.until, "")
        return spent(bot.process.pid)


async def _page(folder: Path) -> float:
    with redis_server(folder / "redis") as socket:
        async with served_page(folder, socket) as page:
            return spent(page.process.pid)


async def _healthcheck(folder: Path) -> float:
    settings = environment(KLOP_METRICS_LISTEN="127.0.0.1:9")
    return await asyncio.to_thread(_run, command(folder / "data", "healthcheck"), settings)


_STARTS: Final[dict[str, tuple[Callable[[Path], Coroutine[Any, Any, float]], str]]] = {
    "the bot until it listens to Telegram": (_telegram, f"{_COMMON}, telegram"),
    "the bot until Discord has it": (_discord, f"{_COMMON}, discord"),
    "the local room until it reads": (_room, _COMMON),
    "the page until it listens": (_page, f"{_COMMON}, nacl.signing"),
    "the question whether the bot is ready": (
        _healthcheck,
        "aiohttp, babel.dates, pydantic_settings, structlog",
    ),
}


def rows(budget: Budget) -> Sequence[Row]:
    """Each start."""
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # the bot ends in the middle of a question
    rounds = max(2, budget.rounds // 3)
    return [_row(what, start, libraries, rounds) for what, (start, libraries) in _STARTS.items()]


def _row(what: str, start: Callable[[Path], Coroutine[Any, Any, float]], libraries: str, rounds: int) -> Row:
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(rounds):
        with TemporaryDirectory(prefix="klop-bench-") as folder:
            ours.append(asyncio.run(start(Path(folder))))
        bare.append(_run([sys.executable, "-c", f"import {libraries}"], environment()))
    return Row(
        what,
        "start",
        Series("Klop", tuple(ours)),
        Series("its libraries", tuple(bare)),
        cost=True,
        rate=False,
    )


def _run(words: Sequence[str], settings: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=settings, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
