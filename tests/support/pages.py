"""The board page on a port of this machine, over a table of a test, and clients that speak its protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from aiohttp import ClientSession, ClientTimeout, ClientWebSocketResponse, TCPConnector

from bot.chat.pictures import Pictures
from bot.config import ListenAddress
from bot.platforms.page.server import PageServer
from bot.platforms.page.sessions import SESSION, Session, Sessions
from play.people import Player
from tests.support.desk import ROOM, Desk
from tests.support.servers import free_port
from tests.support.services import services

PATIENCE: Final = 60.0


def told(board: dict[str, Any]) -> dict[str, str]:
    """Return what stands on each square of a board, in words."""
    names = [file + rank for rank in board["ranks"] for file in board["files"]]
    return {name: board["legend"][entry][1] for name, entry in zip(names, board["squares"], strict=True)}


class PageClient:
    """One page: what it was sent, frame by frame."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket
        self.view: dict[str, Any] = {}
        self.looks: dict[str, str] = {}
        self.log: list[Any] = []
        self._count = 0

    async def answer(self, *wanted: str) -> dict[str, Any]:
        """Return the next frame that has one of these fields, or the connection's end as `over`."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = await self.socket.receive()
                if not isinstance(message.data, str):
                    return {"over": "closed"}
                frame: dict[str, Any] = json.loads(message.data)
                self.looks |= frame.get("looks") or {}
                if frame.get("log") is not None:
                    self.log[frame.get("log_from", 0) :] = frame["log"]
                self.view = frame.get("view", self.view)
                if not wanted or any(field in frame for field in wanted):
                    return frame

    async def ask(
        self, do: str, text: str = "", *, op: str | None = None, seen: int | None = None, on: str = ""
    ) -> dict[str, Any]:
        """Send a request and return its answer."""
        self._count += 1
        op = op or f"request-{id(self)}-{self._count}"[:32]
        seen = self.view.get("r", 0) if seen is None else seen
        await self.socket.send_str(json.dumps({"op": op, "do": do, "text": text, "seen": seen, "on": on}))
        while True:
            frame = await self.answer("re", "view", "over")
            if frame.get("re") == op or "over" in frame or (do in ("flip", "theme") and "view" in frame):
                return frame


class PageHouse:
    """A table and its page."""

    def __init__(self, desk: Desk, port: int, server: PageServer, client: ClientSession) -> None:
        self.desk = desk
        self.url = f"http://127.0.0.1:{port}"
        self.server = server
        self.client = client

    async def bearer(self, player: Player, code: str = "") -> str:
        """Return a bearer of a session that has just begun."""
        sessions = await Sessions.of(self.desk.store.notes)
        return sessions.bearer(Session(player, "link", self.desk.now + SESSION, code))

    async def key(self, code: str) -> str:
        """Return the key with which a match can be watched."""
        return (await Sessions.of(self.desk.store.notes)).watch_key(code)

    @contextlib.asynccontextmanager
    async def page(self, code: str, player: Player | None = None, **first: str) -> AsyncIterator[PageClient]:
        """Open a page as a player, or as a spectator."""
        who = {"bearer": await self.bearer(player)} if player else {"key": await self.key(code)}
        async with self.client.ws_connect(f"{self.url}/w") as socket:
            await socket.send_str(json.dumps({"code": code, **who, **first}))
            yield PageClient(socket)


@contextlib.asynccontextmanager
async def page_house(
    clock: Callable[[], float] | None = lambda: 0.0, desk: Desk | None = None, **settings: Any
) -> AsyncIterator[PageHouse]:
    """Serve the page of a table, or a new one; its rate limits count by a clock, None: by the loop's."""
    desk = desk or Desk()
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    pictures = Pictures()
    held = services(desk.table, desk.store, lambda: desk.now, pictures=pictures, page_url=url, **settings)
    server = PageServer(held, ListenAddress("127.0.0.1", port, ""), url=url, room=ROOM, clock=clock)
    task = asyncio.create_task(server.run())
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                await asyncio.sleep(0.01)
        async with ClientSession(
            timeout=ClientTimeout(total=PATIENCE), connector=TCPConnector(limit=0)
        ) as client:
            yield PageHouse(desk, port, server, client)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        pictures.close()
