"""Serving platforms: each is given the services, all run together, and what will not have us says so."""

from __future__ import annotations

import asyncio
import socket
from asyncio.subprocess import DEVNULL, PIPE, create_subprocess_exec
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from aiohttp import ClientSession, TCPConnector, web

from bot.app.settings import ConfigError, read_config
from bot.chat.i18n import words
from bot.chat.services import Services
from bot.config import ListenAddress
from bot.platforms import CHATS
from bot.platforms.discord import proofs as discord_proofs
from bot.platforms.discord.adapter import DiscordAdapter
from bot.platforms.discord.integration import DiscordSettings
from bot.platforms.discord.publishing import DiscordOperations
from bot.platforms.integration import Identity, Operations
from bot.platforms.listening import Bounds, CannotListen, ListenFailure, listen
from bot.platforms.platform import Platform, PlatformServices
from bot.platforms.telegram import proofs as telegram_proofs
from bot.platforms.telegram.adapter import TelegramAdapter
from bot.platforms.telegram.publishing import TelegramOperations
from tests.bot.process import PATIENCE, command, environment
from tests.platforms.discord.rest import TOKEN as DISCORD_TOKEN
from tests.platforms.discord.server import Discord as ListeningDiscord
from tests.platforms.telegram.server import TOKEN as TELEGRAM_TOKEN
from tests.platforms.telegram.server import BotApi
from tests.support.servers import free_port
from tests.support.waiting import eventually


def test_a_chat_finds_its_parts_by_their_names() -> None:
    """The types that mypy cannot know of what is loaded by name are checked here."""
    adapters: list[Callable[[PlatformServices], Platform]] = [DiscordAdapter, TelegramAdapter]
    operations: list[Callable[[], Operations]] = [DiscordOperations, TelegramOperations]
    identities: list[Callable[[Services, str, Mapping[str, str]], Awaitable[Identity]]] = [
        discord_proofs.identity,
        telegram_proofs.identity,
    ]
    assert [chat.adapter() for chat in CHATS] == adapters
    assert [type(chat.operations()) for chat in CHATS] == operations
    assert [chat._part("proofs", "identity") for chat in CHATS] == identities


@pytest.mark.parametrize(
    ("set_", "name"),
    [
        ({"KLOP_DISCORD_SHARD_IDS": "0,1"}, "KLOP_DISCORD_SHARD_COUNT"),
        ({"KLOP_DISCORD_SHARD_IDS": "0,4", "KLOP_DISCORD_SHARD_COUNT": "4"}, "KLOP_DISCORD_SHARD_COUNT"),
        ({"KLOP_DISCORD_SHARD_IDS": "one", "KLOP_DISCORD_SHARD_COUNT": "4"}, "KLOP_DISCORD_SHARD_IDS"),
        ({"KLOP_DISCORD_API": "discord.com"}, "KLOP_DISCORD_API"),
        ({"KLOP_DISCORD_ENDPOINT_LISTEN": "nowhere"}, "KLOP_DISCORD_ENDPOINT_LISTEN"),
        ({"KLOP_TELEGRAM_WEBHOOK_LISTEN": "nowhere"}, "KLOP_TELEGRAM_WEBHOOK_LISTEN"),
    ],
)
def test_settings_of_platforms_that_cannot_be_used(
    set_: dict[str, str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for key, value in set_.items():
        monkeypatch.setenv(key, value)
    with pytest.raises(ConfigError) as caught:
        read_config()
    assert [(problem.name, problem.offered) for problem in caught.value.problems] == [(name, ())]


def test_settings_of_platforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KLOP_DISCORD_SHARD_IDS", "0, 2")
    monkeypatch.setenv("KLOP_DISCORD_SHARD_COUNT", "4")
    assert read_config().of(DiscordSettings).discord_shard_ids == (0, 2)


# Listening: addresses that cannot be listened on, and connections beyond the bound.


Served: TypeAlias = AbstractAsyncContextManager[Mapping[str, str]]
"""Serves what a bot connects to; its settings."""


def room() -> Served:
    """A bot in the local room, with a page."""
    return nullcontext({"KLOP_PAGE_URL": "http://127.0.0.1:8082"})


@asynccontextmanager
async def telegram() -> AsyncIterator[Mapping[str, str]]:
    api = BotApi()
    async with api.serving():
        yield {
            "TELEGRAM_TOKEN": TELEGRAM_TOKEN,
            "KLOP_TELEGRAM_API": api.url,
            "KLOP_TELEGRAM_WEBHOOK_URL": "https://example.org/hook",
        }


@asynccontextmanager
async def discord() -> AsyncIterator[Mapping[str, str]]:
    async with ListeningDiscord() as server:
        yield {
            "DISCORD_TOKEN": DISCORD_TOKEN,
            "KLOP_DISCORD_API": server.url,
            "KLOP_DISCORD_ENDPOINT_URL": "https://example.org/discord",
        }


@pytest.fixture
def taken() -> Iterator[str]:
    """An address that is in use."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        yield f"127.0.0.1:{holder.getsockname()[1]}"


@pytest.mark.parametrize(
    ("setting", "served"),
    [
        ("KLOP_PAGE_LISTEN", room),
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


HEADERS = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nX-"
SLOW = {
    "silence": "",
    "headers": HEADERS,
    "bodies": f"{HEADERS}Of: me\r\n\r\n{{",
    "refused": f"{HEADERS}Of: me\r\n\r\nrefuse it",
}
"""What strangers send and then nothing more, while the connection stays open."""

MOST = 10
STRANGERS = 3 * MOST


def cut(ended: Sequence[asyncio.Task[bytes]]) -> int:
    return sum(one.done() for one in ended)


@asynccontextmanager
async def bounded(answered: Callable[[], Awaitable[object]] | None = None) -> AsyncIterator[int]:
    """A listener with `MOST` connections; its port."""

    async def answer(request: web.Request) -> web.Response:
        status = 400 if await request.read() == b"refuse it" else 200
        if answered is not None:
            await answered()
        return web.Response(status=status)

    app, port, listening = web.Application(), free_port(), asyncio.Event()
    app.router.add_post("/", answer)
    listens = asyncio.create_task(
        listen(app, ListenAddress("127.0.0.1", port, ""), Bounds(MOST, 1e6), listening.set)
    )
    try:
        await listening.wait()
        yield port
    finally:
        listens.cancel()
        await asyncio.gather(listens, return_exceptions=True)


@asynccontextmanager
async def strangers(port: int, sent: str, hosts: int) -> AsyncIterator[list[asyncio.Task[bytes]]]:
    """Connections from so many addresses on which something is sent, in the order of their age; when each ends."""
    opened = []
    for number in range(STRANGERS):
        host = f"127.0.1.{number % hosts + 1}"
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0))
        writer.write(sent.encode())
        opened.append((asyncio.create_task(reader.read()), writer))
    try:
        yield [ended for ended, _ in opened]
    finally:
        for _, writer in opened:
            writer.close()
        await asyncio.gather(*(ended for ended, _ in opened), return_exceptions=True)


@asynccontextmanager
async def platform(port: int) -> AsyncIterator[Callable[[int], Coroutine[Any, Any, list[int]]]]:
    """Posts so many requests at once, all from one address, on connections that it keeps; their statuses."""
    async with ClientSession(connector=TCPConnector(local_addr=("127.0.0.2", 0))) as session:

        async def post() -> int:
            async with session.post(f"http://127.0.0.1:{port}/", data=b"{}") as answered:
                return answered.status

        async def posts(count: int) -> list[int]:
            return await asyncio.gather(*(post() for _ in range(count)))

        yield posts


@pytest.mark.parametrize("hosts", [1, STRANGERS])
@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
async def test_strangers_who_send_slowly_cut_off_each_other(sent: str, hosts: int) -> None:
    async with asyncio.timeout(20), bounded() as port, strangers(port, sent, hosts) as ended:
        await eventually(lambda: cut(ended) == STRANGERS - MOST)
        async with platform(port) as posts:
            for _ in range(5):
                assert await posts(MOST // 2) == [200] * (MOST // 2)
        assert cut(ended) <= STRANGERS - MOST // 2, "no more than need be"


async def test_a_platform_keeps_a_connection_on_which_it_was_granted_a_request() -> None:
    async with asyncio.timeout(20), bounded() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):
            writer.write(f"{HEADERS}Of: me\r\n\r\nanything!".encode())
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            async with strangers(port, HEADERS, STRANGERS) as ended:
                await eventually(lambda: cut(ended) == STRANGERS - MOST + 1)
        writer.close()


async def test_a_request_that_is_answered_is_not_cut() -> None:
    waiting, goes_on = asyncio.Semaphore(MOST), asyncio.Event()

    async def wait() -> None:
        await waiting.acquire()
        await goes_on.wait()

    async with asyncio.timeout(20), bounded(wait) as port, platform(port) as posts:
        answered = asyncio.create_task(posts(MOST))
        await eventually(waiting.locked)
        async with strangers(port, HEADERS, 1) as ended:
            await asyncio.wait(ended)
        goes_on.set()
        assert await answered == [200] * MOST
