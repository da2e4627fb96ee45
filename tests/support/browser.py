"""A headless browser, frames in which hosts open the page, and clients that speak its protocol."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import random
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import pytest
from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ClientWebSocketResponse,
    TCPConnector,
)
from playwright.async_api import (
    Browser,
    BrowserContext,
    Page,
    Route,
    WebSocketRoute,
    async_playwright,
    expect,
)
from playwright.async_api import Error as PlaywrightError

from bot.chat.i18n import words
from bot.chat.pictures import Pictures
from bot.chat.presenting.selection import Selection, follow
from bot.config import ListenAddress
from bot.platforms.page import board, wire
from bot.platforms.page.server import PageServer
from bot.platforms.page.sessions import SESSION, Session, Sessions
from play.people import Player
from rules.core import AnyGame, Position
from tests.support.desk import GAMES, ROOM, Desk
from tests.support.servers import free_port
from tests.support.services import services

# A headless browser, driven by Playwright: pages of one origin, whose requests, complaints and errors are
# kept.


NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What `scripts/browser` looks for too."""

PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}

PATIENCE: Final = 60_000.0  # ms that anything may take on a busy machine

expect.set_options(timeout=PATIENCE)


def found() -> str | None:
    """Return the browser, if there is one."""
    return os.environ.get("KLOP_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


def executable() -> str:
    """Return the browser; without one, the test is skipped, or fails where a browser is needed."""
    path = found()
    if path is None and "KLOP_TESTS_NEED_BROWSER" in os.environ:
        pytest.fail("no browser: scripts/browser installs one")
    if path is None:
        pytest.skip("no browser: scripts/browser installs one")
    return path


_GIVEN_UP = "WebSocket is closed before the connection is established"


class Watched:
    """A browser's pages, and what they did that they must not."""

    def __init__(self, browser: Browser, origin: str) -> None:
        self._browser = browser
        self._origin = origin
        self.strayed: list[str] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []

    async def context(self, **how: Any) -> BrowserContext:
        """Return a new browser profile."""
        context = await self._browser.new_context(**{**DESKTOP, **how})
        context.set_default_timeout(PATIENCE)
        return context

    async def page(self, address: str, context: BrowserContext | None = None, **how: Any) -> Page:
        """Open an address; everything that the page asks for is noted."""
        page = await (context or await self.context(**how)).new_page()
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url.replace("ws://", "http://", 1)))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        await page.goto(address)
        return page

    def _asked(self, url: str) -> None:
        self.requests.append(url)
        if not url.startswith((self._origin, "blob:", "data:")):
            self.strayed.append(url)

    def clean(self, *, gave_up: bool = False) -> None:
        """Check that no request left the origin, and that the browser found no fault: no error, no breach of the policy.

        A page whose line was dead, or slower than it waits for, may have given up a connection that was not open yet.
        """
        assert self.strayed == []
        faults = [each for each in self.complaints if not (gave_up and _GIVEN_UP in each)]
        assert not faults, faults


@contextlib.asynccontextmanager
async def browser(origin: str) -> AsyncIterator[Watched]:
    """Start a browser for pages of one origin."""
    path = executable()
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        try:
            yield Watched(started, origin)
        finally:
            await started.close()


# Frames in which hosts open the page: what they hold, and where its requests go.


HOST: Final = """<!doctype html><title>host</title>
<iframe id="app" style="width:380px;height:780px;border:0" allow="clipboard-write" src="{src}"></iframe>
<script>heard = []; addEventListener("message", (event) => heard.push([event.origin, event.data]));</script>"""


async def proxied(
    context: BrowserContext,
    origin: str,
    to: str,
    headers: Callable[[], dict[str, str]] = dict,
    heard: Callable[[bytes], None] = lambda _: None,
) -> list[str]:
    """Have requests of an origin, WebSockets too, answered by the page's server.

    The bodies of the answers are given to `heard`. Return the addresses of the WebSockets, as they are opened.
    """
    bridges, opened = set[asyncio.Task[None]](), list[str]()

    async def proxy(route: Route) -> None:
        asked = route.request
        url = to + asked.url.removeprefix(origin)
        try:
            async with (
                ClientSession() as client,
                client.request(asked.method, url, data=asked.post_data, headers=headers()) as answer,
            ):
                kept = {"content-type", "content-security-policy"}
                passed = {name: value for name, value in answer.headers.items() if name.lower() in kept}
                body = await answer.read()
        except ClientError:
            await route.abort()  # the server has ended
            return
        heard(body)
        await route.fulfill(status=answer.status, body=body, headers=passed)

    def bridged(page: WebSocketRoute) -> None:
        asked: asyncio.Queue[str | None] = asyncio.Queue()
        page.on_message(lambda text: asked.put_nowait(str(text)))
        page.on_close(lambda *_: asked.put_nowait(None))
        url = f"{to}/{page.url.split('/', 3)[3]}"
        opened.append(page.url)
        bridges.add(task := asyncio.create_task(_bridge(page, url, headers(), asked)))
        task.add_done_callback(bridges.discard)

    await context.route(f"{origin}/**", proxy)
    await context.route_web_socket(f"{origin.replace('https', 'wss', 1)}/**", bridged)
    return opened


async def _bridge(
    page: WebSocketRoute, url: str, headers: dict[str, str], asked: asyncio.Queue[str | None]
) -> None:
    """Pass frames on both ways, until either end closes."""

    async def up(server: ClientWebSocketResponse) -> None:
        while (text := await asked.get()) is not None:
            await server.send_str(text)
        await server.close()

    with suppress(ClientError, PlaywrightError):  # the server, or the browser, has ended
        async with ClientSession() as client, client.ws_connect(url, headers=headers) as server:
            sending = asyncio.create_task(up(server))
            async for message in server:
                page.send(message.data)
            sending.cancel()
        await page.close()


# The board page on a port of this machine, over a table of a test, and clients that speak its protocol.


PAGES_PATIENCE: Final = 60.0


def told(board: dict[str, Any]) -> dict[str, str]:
    """Return what stands on each square of a board, in words."""
    names = [file + rank for rank in board["ranks"] for file in board["files"]]
    return {name: board["legend"][entry]["text"] for name, entry in zip(names, board["squares"], strict=True)}


def narrowing(position: Position[Any], luck: random.Random) -> Any:
    """Return a move after which the opponent has the fewest, so that a match comes to its end."""
    moves = list(position.legal_moves())
    luck.shuffle(moves)
    return min(moves, key=lambda move: len(position.play(move).legal_moves()))


def steps_to(
    game: AnyGame, position: Position[Any], wanted: str, *, flipped: bool = False
) -> list[wire.PageStep]:
    """Return the steps that lead to a ply from a position."""

    def through(at: str, node: wire.PageNode | None) -> Iterator[list[wire.PageStep]]:
        for step in node.steps if node else ():
            further = f"{at}/{step.path}" if at else step.path
            partial, after = follow(game, position, Selection.read(further)), step.after
            if after is None and partial.selection.moves == wanted:
                yield [step]
            elif after is not None:
                then = after if isinstance(after, wire.PageNode) else pick(partial).node
                yield from ([step, *rest] for rest in through(further, then))

    pick = functools.partial(board.pick_from, game, words("en"), flipped=flipped)
    return next(through("", pick(follow(game, position, Selection())).node))


class PageClient:
    """One page: what it was sent, frame by frame."""

    def __init__(self, socket: ClientWebSocketResponse, first: Sequence[dict[str, Any]]) -> None:
        self.socket = socket
        self._first = list(first)
        self.view: dict[str, Any] = {}
        self.looks: dict[str, str] = {}
        self.log: list[Any] = []
        self._count = 0

    async def answer(self, *wanted: str) -> dict[str, Any]:
        """Return the next frame that has one of these fields, or the connection's end as `over`."""
        async with asyncio.timeout(PAGES_PATIENCE):
            while True:
                frame = self._first.pop(0) if self._first else await self._received()
                self.looks |= frame.get("looks") or {}
                if frame.get("log") is not None:
                    self.log[frame.get("log_from", 0) :] = frame["log"]
                self.view = frame.get("view", self.view)
                if not wanted or any(field in frame for field in wanted):
                    return frame

    async def _received(self) -> dict[str, Any]:
        data = (await self.socket.receive()).data
        return dict(json.loads(data)) if isinstance(data, str) else {"over": "closed"}

    async def ask(
        self,
        do: str,
        text: str = "",
        *,
        op: str | None = None,
        seen: int | None = None,
        on: str = "",
        **more: Any,
    ) -> dict[str, Any]:
        """Send a request and return its answer."""
        self._count += 1
        op = op or f"request-{id(self)}-{self._count}"[:32]
        seen = self.view.get("r", 0) if seen is None else seen
        asked = {"op": op, "do": do, "text": text, "seen": seen, "on": on, **more}
        await self.socket.send_str(json.dumps(asked))
        while True:
            frame = await self.answer("re", "over")
            if frame.get("re") == op or "over" in frame:
                return frame


class PageHouse:
    """A table and its page."""

    def __init__(self, desk: Desk, port: int, server: PageServer, client: ClientSession) -> None:
        self.open = contextlib.AsyncExitStack()
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

    async def get(self, path: str, **headers: str) -> ClientResponse:
        """Return the answer to a request for a path or an address, with its body."""
        url = path if path.startswith(self.url) else self.url + path
        async with self.client.get(url, headers=headers) as answer:
            await answer.read()
            return answer

    async def asked(self, headers: Mapping[str, str] | None = None, **first: Any) -> tuple[int, Any]:
        """Return the status and the contents of the answer to the first frame of a page."""
        async with self.client.post(f"{self.url}/w", json=first, headers=headers) as answer:
            return answer.status, await answer.json() if answer.status == 200 else None

    async def begun(self, **first: Any) -> dict[str, Any]:
        """Return the answer to the first frame of a page."""
        status, begun = await self.asked(**first)
        assert status == 200
        return dict(begun)

    @contextlib.asynccontextmanager
    async def page(self, code: str, player: Player | None = None) -> AsyncIterator[PageClient]:
        """Open a page as a player, or as a spectator."""
        who = {"bearer": await self.bearer(player)} if player else {"key": await self.key(code)}
        begun = await self.begun(code=code, **who)
        async with self.client.ws_connect(f"{self.url}/w?line={begun['line']}", compress=15) as socket:
            yield PageClient(socket, begun["frames"])

    async def opened(self, code: str, player: Player | None = None) -> PageClient:
        """Return a page that shows its match, and stays open as long as the house."""
        page = await self.open.enter_async_context(self.page(code, player))
        await page.answer("view")
        return page


@contextlib.asynccontextmanager
async def page_house(
    clock: Callable[[], float] | None = lambda: 0.0, *, games: Mapping[str, AnyGame] = GAMES, **settings: Any
) -> AsyncIterator[PageHouse]:
    """Serve the page of a new table; its rate limits count by a clock, None: by the loop's."""
    desk = Desk(games)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    pictures = Pictures()
    held = services(desk.table, desk.store, lambda: desk.now, pictures=pictures, page_url=url, **settings)
    server = PageServer(held, ListenAddress("127.0.0.1", port, ""), url=url, room=ROOM, clock=clock)
    task = asyncio.create_task(server.run())
    try:
        async with asyncio.timeout(PAGES_PATIENCE):
            while True:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                await asyncio.sleep(0.01)
        async with ClientSession(
            timeout=ClientTimeout(total=PAGES_PATIENCE), connector=TCPConnector(limit=0)
        ) as client:
            house = PageHouse(desk, port, server, client)
            async with house.open:
                yield house
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        pictures.close()
