"""The board page: what its server adds to a move, how soon 500 watchers see it, what a connection and the client cost.

The page runs as its own process on a Redis of its own; the clients are in this one and take their own time. The floor is a
server of the same library that returns what it is sent, in a process too. Nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import sys
from asyncio.subprocess import Process, create_subprocess_exec
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from aiohttp import ClientSession, ClientWebSocketResponse, TCPConnector, web

from bench.measure import Budget, Goal, Row, Series
from bot.platforms.page.sessions import SESSION, Session, Sessions
from bot.platforms.page.shell import static_files
from play.actions.seating import Join
from play.opening import Challenge
from play.people import Account, Address, Player
from play.ports import SystemChance
from play.request import Request
from play.settings import Settings
from play.table import Table
from rules import GAMES
from storage.client.connecting import by_socket
from storage.redis.store import RedisStore
from tests.bot.process import command, environment
from tests.support.servers import free_port, redis_server

PLIES: Final = 30  # of a match: fewer for each page than it may play in ten seconds
WATCHERS: Final = 500
HELD: Final = 400  # connections whose memory is measured

MEDIAN, SLOWEST = 0.005, 0.020  # seconds wanted from a move to its answer: of half, and of 99 of 100
WORKED, MOST_WORKED = 0.010, 0.020  # seconds wanted of processor time, with what the other player is shown
WATCHED: Final = 0.3  # seconds wanted until 95 of 100 watchers see it
CONNECTION: Final = 30_000  # bytes wanted
CLIENT: Final = 26_000  # bytes wanted of script and style, by gzip

_GAME: Final = "breakthrough"
_ANN, _BOB = (Player(Account("console", name), name) for name in ("Ann", "Bob"))


def rows(budget: Budget) -> Sequence[Row]:
    """Each figure beside what is wanted, and where there is one beside the floor."""
    return asyncio.run(_rows(budget))


class ServedPage:
    """The page's process, a table on its store, and clients from many addresses."""

    def __init__(self, url: str, process: Process, table: Table, client: ClientSession) -> None:
        self.url, self.process, self.table, self.client = url, process, table, client
        self.address = 0

    @asynccontextmanager
    async def connected(self, **first: str) -> AsyncIterator[ClientWebSocketResponse]:
        """A connection, each from an address of its own: one may begin few."""
        self.address += 1
        first_ip = f"10.{self.address >> 16 & 255}.{self.address >> 8 & 255}.{self.address & 255}"
        headers = {"X-Forwarded-For": first_ip}
        async with self.client.post(f"{self.url}/w", json=first, headers=headers) as answer:
            line = (await answer.json())["line"]
        address = f"{self.url}/w?line={line}"
        async with self.client.ws_connect(address, headers=headers, compress=15) as socket:
            yield socket

    async def match(self, game: str = _GAME, options: Mapping[str, str] | None = None) -> str:
        """Begin a match, and return its code."""
        store = self.table.store
        assert isinstance(store, RedisStore)
        at = await store.now()
        opened = await self.table.open(
            Challenge(Address("console", "bench"), game, options or {}, opponents=[_BOB], side="first"),
            Request(_ANN, at),
        )
        return (await self.table.act(opened.match.id, Join(), Request(_BOB, at))).match.id

    async def keys(self, code: str) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        """Return the first frames of Ann, Bob and a spectator."""
        store = self.table.store
        assert isinstance(store, RedisStore)
        sessions, until = await Sessions.of(store.notes), await store.now() + SESSION
        ann, bob = (sessions.bearer(Session(who, "link", until)) for who in (_ANN, _BOB))
        match = {"code": code}
        return {**match, "bearer": ann}, {**match, "bearer": bob}, {**match, "key": sessions.watch_key(code)}


async def _rows(budget: Budget) -> list[Row]:
    with TemporaryDirectory() as folder, redis_server(Path(folder) / "redis") as socket:
        async with AsyncExitStack() as stack:
            page = await stack.enter_async_context(served_page(Path(folder), socket))
            bare, floor = await stack.enter_async_context(_bare())
            async with served_page(Path(folder) / "players", socket) as other:
                playing = await _held(other, player=True)
            watching = await _held(page, player=False)  # while nothing is free that was in use before
            bare_held = await _held_bare(bare, floor, page.client)
            both = [each for _ in range(budget.matches) for each in await _played(page, 0)]
            moves, works = [answered for answered, _ in both], [worked for _, worked in both]
            echoes = await _echoed(floor, page.client, len(moves))
            seen = [
                each for _ in range(max(1, budget.matches // 3)) for each, _ in await _played(page, WATCHERS)
            ]
    worked = Series("the page", tuple(works))
    answers, floors = Series("the page", tuple(moves)), Series("echo of a bare websocket", tuple(echoes))
    watcher = Series("a watcher", (watching,))
    _, files = static_files()
    client = Series("all files", (float(sum(len(gzip.compress(file)) for _, file in files.values())),))
    return [
        Row("move to its answer", "move", answers, floors, cost=True, rate=False),
        wanted("half of the moves by processor time, with what the other player is shown", worked, WORKED),
        wanted("99 of 100 moves by processor time", worked, MOST_WORKED, tail=True),
        wanted("half of the moves to their answers", answers, MEDIAN),
        wanted("99 of 100 moves to their answers", answers, SLOWEST, tail=True),
        wanted(
            f"move to what 95 of {WATCHERS} watchers see", Series("the page", tuple(seen)), WATCHED, tail=True
        ),
        Row("memory", "connection", watcher, Series("a bare websocket", (bare_held,)), cost=True, size=True),
        wanted("memory", watcher, CONNECTION, size=True),
        wanted("memory", Series("a player", (playing,)), CONNECTION, size=True),
        wanted("script and style by gzip", client, CLIENT, size=True),
    ]


def wanted(what: str, ours: Series, most: float, *, tail: bool = False, size: bool = False) -> Row:
    """Return a figure beside the most that it may be."""
    limit = Series("wanted", (float(most),) * len(ours.seconds))
    unit = "connection" if what == "memory" else "client" if size else "move"
    return Row(what, unit, ours, limit, cost=True, rate=False, goal=Goal(below=1), tail=tail, size=size)


async def _played(page: ServedPage, watchers: int) -> list[tuple[float, float]]:
    code, luck, taken = await page.match(), Random(16), []
    ann, bob, spectator = await page.keys(code)
    async with AsyncExitStack() as stack:
        movers = [await stack.enter_async_context(page.connected(**first)) for first in (ann, bob)]
        sockets = [await stack.enter_async_context(page.connected(**spectator)) for _ in range(watchers)]
        position: Any = GAMES[_GAME].start(GAMES[_GAME].choose({}))
        for ply in range(PLIES):
            moves = list(position.legal_moves())
            if not moves:
                break
            move = luck.choice(moves)
            revision = (await page.table.get(code)).revision
            text = GAMES[_GAME].notation.format(move)
            asked = {"op": f"{code}-{ply:03d}", "do": "type", "text": text, "seen": revision}
            views = [asyncio.create_task(_until(socket, "view")) for socket in sockets]
            mover = movers[ply % 2]
            worked, began = _processor_time(page.process), perf_counter()
            await mover.send_json(asked)
            answered = await _until(mover, f'"re":"{asked["op"]}"')
            if views:
                moments = [await view - began for view in views]
                answered = began + quantiles(moments, n=20)[-1]
            await asyncio.sleep(0.05)  # what the move leads to is over
            taken.append((answered - began, _processor_time(page.process) - worked))
            position = position.play(move)
    return taken


async def _until(socket: ClientWebSocketResponse, part: str) -> float:
    while True:
        data = (await socket.receive()).data
        moment = perf_counter()
        if not isinstance(data, str) or '"over"' in data[:60]:
            raise ValueError(f"the page ended: {data}")
        if part in data:
            return moment


async def _echoed(url: str, client: ClientSession, count: int) -> list[float]:
    taken, text = [], "x" * 400
    async with client.ws_connect(f"{url}/w", compress=15) as socket:
        for _ in range(count):
            await asyncio.sleep(0.01)
            began = perf_counter()
            await socket.send_str(text)
            await socket.receive()
            taken.append(perf_counter() - began)
    return taken


async def _held(page: ServedPage, *, player: bool) -> float:
    ann, _, spectator = await page.keys(await page.match())
    async with AsyncExitStack() as stack:

        async def connect() -> None:
            socket = await stack.enter_async_context(page.connected(**(ann if player else spectator)))
            if player:
                await socket.send_json({"op": "an-earlier-one", "do": "look", "text": "0", "seen": 1})
                await _until(socket, '"look"')

        for _ in range(HELD // 4):
            await connect()
        before = _memory(page.process)
        for _ in range(HELD):
            await connect()
        return (_memory(page.process) - before) / HELD


async def _held_bare(process: Process, url: str, client: ClientSession) -> float:
    async with AsyncExitStack() as stack:
        for _ in range(HELD // 4):
            await stack.enter_async_context(client.ws_connect(f"{url}/w", compress=15))
        before = _memory(process)
        for _ in range(HELD):
            await stack.enter_async_context(client.ws_connect(f"{url}/w", compress=15))
        return (_memory(process) - before) / HELD


def _processor_time(process: Process) -> float:
    """Return for how many seconds a process has worked, its threads left out."""
    return int(Path(f"/proc/{process.pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def _memory(process: Process) -> float:
    """Return the bytes that a process has in memory."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text(encoding="ascii").split()[1])
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


@asynccontextmanager
async def served_page(folder: Path, socket: Path) -> AsyncIterator[ServedPage]:
    """Serve the page from a process of its own, on a Redis that runs."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = {
        "REDIS_URL": f"unix://{socket}", "KLOP_ROLE": "page", "KLOP_PAGE_URL": url,
        "KLOP_PAGE_LISTEN": f"127.0.0.1:{port}", "KLOP_WORKERS": "0",
    }  # fmt: skip
    store_client = by_socket(socket)
    table = Table(RedisStore(store_client), GAMES, SystemChance())
    for who in (_ANN, _BOB):
        await RedisStore(store_client).settings.change(who.account, _unwarned)
    async with (
        _process(port, *command(folder / "data"), **settings) as process,
        ClientSession(connector=TCPConnector(limit=0)) as client,
    ):
        yield ServedPage(url, process, table, client)
    await store_client.aclose()


def _unwarned(settings: Settings) -> Settings:
    return replace(settings, warnings=False)


@asynccontextmanager
async def _bare() -> AsyncIterator[tuple[Process, str]]:
    port = free_port()
    words = (sys.executable, "-m", "bench.page", str(port))
    async with _process(port, *words) as process:
        yield process, f"http://127.0.0.1:{port}"


@asynccontextmanager
async def _process(port: int, *words: str, **settings: str) -> AsyncIterator[Process]:
    process = await create_subprocess_exec(*words, env=environment(**settings))
    try:
        async with asyncio.timeout(60):
            while True:
                with suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                if process.returncode is not None:
                    raise OSError(f"a process ended with {process.returncode}")
                await asyncio.sleep(0.02)
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _echo(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    async for message in socket:
        await socket.send_str(message.data)
    return socket


def _serve_echo(port: int) -> None:
    app = web.Application()
    app.router.add_get("/w", _echo)
    web.run_app(app, host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    _serve_echo(int(sys.argv[1]))
