"""Addresses that cannot be listened on: each listener of the bot ends the process with one line that names its setting."""

from __future__ import annotations

import asyncio
import socket
from asyncio.subprocess import DEVNULL, PIPE, create_subprocess_exec
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TypeAlias

import pytest
from aiohttp import web

from bot.config import ListenAddress
from bot.i18n import words
from bot.listening import Bounds, CannotListen, ListenFailure, listen
from tests.bot.process import PATIENCE, command, environment
from tests.platforms.discord.posting import PUBLIC_KEY
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.discord.server import Discord
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.platforms.telegram.server import BotApi

Served: TypeAlias = AbstractAsyncContextManager[Mapping[str, str]]
"""Serves what a bot connects to; its settings."""


def room(**settings: str) -> Callable[[], Served]:
    """A bot in the local room."""
    return lambda: nullcontext(settings)


@asynccontextmanager
async def telegram() -> AsyncIterator[Mapping[str, str]]:
    api = BotApi()
    async with api.serving():
        yield {
            "TELEGRAM_TOKEN": TELEGRAM_TOKEN,
            "KLOP_TELEGRAM_API": api.url,
            "KLOP_TELEGRAM_WEBHOOK_URL": "https://example.org/hook",
            "KLOP_TELEGRAM_WEBHOOK_SECRET": "a-Secret_1",
        }


@asynccontextmanager
async def discord() -> AsyncIterator[Mapping[str, str]]:
    async with Discord() as server:
        yield {
            "DISCORD_TOKEN": DISCORD_TOKEN,
            "KLOP_DISCORD_API": server.url,
            "KLOP_DISCORD_ENDPOINT_URL": "https://example.org/discord",
            "KLOP_DISCORD_PUBLIC_KEY": PUBLIC_KEY,
        }


@pytest.fixture
def taken() -> Iterator[str]:
    """An address that is in use."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        yield f"127.0.0.1:{holder.getsockname()[1]}"


@pytest.mark.parametrize(
    ("setting", "served"),
    [
        ("KLOP_PAGE_LISTEN", room(KLOP_PAGE_URL="http://127.0.0.1:8082")),
        ("KLOP_METRICS_LISTEN", room()),
        ("KLOP_JOBS_LISTEN", room()),
        ("KLOP_TELEGRAM_WEBHOOK_LISTEN", telegram),
        ("KLOP_DISCORD_ENDPOINT_LISTEN", discord),
    ],
)
async def test_an_address_in_use_ends_the_bot_with_the_name_of_its_setting(
    setting: str, served: Callable[[], Served], taken: str, tmp_path: Path
) -> None:
    async with served() as settings:
        bot = await create_subprocess_exec(
            *command(tmp_path / "data"),
            stdin=PIPE,  # the local room waits for a line
            stdout=DEVNULL,
            stderr=PIPE,
            cwd=tmp_path,
            env=environment(**settings, **{setting: taken}),
        )
        assert bot.stderr is not None
        complaints = await asyncio.wait_for(bot.stderr.read(), PATIENCE)
        assert await asyncio.wait_for(bot.wait(), PATIENCE) == 2
    assert complaints.decode() == words("en")(ListenFailure.IN_USE, address=taken, setting=setting) + "\n"


@pytest.mark.parametrize(
    ("host", "port", "shown"),
    [
        ("192.0.2.1", 8082, "192.0.2.1:8082"),
        ("2001:db8::1", 8082, "[2001:db8::1]:8082"),
        ("no-such-host.invalid", 8082, "no-such-host.invalid:8082"),
        ("127.0.0.1", 99999, "127.0.0.1:99999"),
    ],
)
async def test_an_address_that_is_not_the_machine_s(host: str, port: int, shown: str) -> None:
    address = ListenAddress(host, port, "KLOP_PAGE_LISTEN")
    with pytest.raises(CannotListen) as refused:
        await listen(web.Application(), address, Bounds(1, 1.0))
    assert refused.value.reason is ListenFailure.NOT_ALLOWED
    assert refused.value.fields == {"address": shown, "setting": "KLOP_PAGE_LISTEN"}
