"""The page's HTTP server: files, boards to read, pictures. See `connections` for what an open page asks."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import lru_cache
from http import HTTPStatus
from math import ceil
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from bot.chat.i18n import Words, words_of
from bot.chat.i18n import words as words_for
from bot.chat.page_links import shown_on_page
from bot.chat.presenting import boards
from bot.chat.presenting.cards import LEGAL, Operator
from bot.config import ListenAddress
from bot.platforms import CHATS
from bot.platforms.listening import Bounds, listen
from bot.platforms.page import composing, shell, wire
from bot.platforms.page.connections import MOST_OPEN, PAUSE, AskLater, Connections, address_of, take
from bot.platforms.page.hub import Hub
from bot.platforms.page.sessions import THEMES, PageServices, Sessions
from bot.platforms.page.shell import static_files
from bot.platforms.platform import PlatformServices
from play.errors import PlayError, Unavailable
from play.match import Match
from play.people import Address
from render.picture import Theme
from rules.core import RulesError

HEADERS_WITHIN: Final = 20.0  # seconds
SHELL_KEPT: Final = 86_400  # seconds for which a browser keeps the page, which is the same for all matches
LEGAL_KEPT: Final = 3600  # seconds for which it keeps a text
BOARD_KEPT: Final = 60  # seconds for which it keeps one with a board to read

_RELOAD: Final = 'if (performance.getEntriesByType("navigation")[0]?.type !== "reload") location.reload();'
_NO_ONE: Final = "'none'"


class PageServer:
    """Serves the page; `run` is a part of the bot, and `listening` is set once it can be opened."""

    def __init__(
        self,
        services: PlatformServices,
        address: ListenAddress,
        *,
        url: str,
        room: Address | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._services = services
        self._listen_at = address
        self._url = url.rstrip("/")
        self._room = room
        self.hub = Hub(services)
        self.listening = asyncio.Event()
        self._shared: PageServices | None = None
        clock = clock or asyncio.get_running_loop().time
        self.connections = Connections(self.shared, self.hub, clock)
        parts = urlsplit(self._url)
        config = services.config
        sockets = [f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}"]
        alone = "page" in config.role  # it may serve bots whose tokens it has not
        framing = [each for each in reversed(CHATS) if alone or each.token(config)]
        hosts = [host for each in framing for host in each.frames]
        sockets += [socket for each in framing for socket in each.sockets]
        self._headers = {
            "Content-Security-Policy": (
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                f"connect-src 'self' {' '.join(sockets)}; base-uri 'none'; form-action 'none'; "
                f"frame-ancestors {' '.join(hosts) or _NO_ONE}"
            ),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
        }

    async def run(self) -> None:
        """Serve until cancelled; raises `CannotListen`."""
        pushing = asyncio.create_task(self.hub.run(), name="the pages' changes")
        try:
            await listen(self.app(), self._listen_at, Bounds(MOST_OPEN, HEADERS_WITHIN), self.listening.set)
        finally:
            pushing.cancel()
            await asyncio.gather(pushing, return_exceptions=True)

    def app(self) -> web.Application:
        """Return the routes."""
        app = web.Application(client_max_size=2 * wire.MAX_FRAME, middlewares=[self._guard])
        app.router.add_get("/", self._html)
        app.router.add_get("/m/{code:[a-z0-9]{6}}", self._html)
        app.router.add_get(f"/{{name:{'|'.join(LEGAL)}}}", self._legal)
        app.router.add_get("/s/{hash}/{name}", self._file)
        app.router.add_get("/w", self.connections.get)
        app.router.add_post("/w", self.connections.post)
        app.router.add_get("/i/{code:[a-z0-9]{6}}/{revision}.{theme}.png", self._picture)
        app.on_shutdown.append(self.connections.close)
        return app

    async def shared(self) -> PageServices:
        """What all pages share; the key of sessions is loaded once."""
        if self._shared is None:
            sessions = await Sessions.of(self._services.store.notes)
            self._shared = PageServices(self._services, sessions, self._url, self._room)
        return self._shared

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        try:
            if request.path.startswith("/i/") or request.path[1:] in LEGAL or "k" in request.query:
                take(self.connections.anybody, address_of(request))
            answer = await handler(request)
        except Unavailable:
            answer = self._problem(request, HTTPStatus.SERVICE_UNAVAILABLE, PAUSE)
        except AskLater as refused:
            answer = self._problem(request, refused.status, refused.wait)
        except (PlayError, RulesError):  # a match that is not there, or cannot be shown
            answer = self._problem(request, HTTPStatus.NOT_FOUND)
        except web.HTTPException as problem:
            answer = self._problem(request, problem.status)
        if not answer.prepared:
            answer.headers.update(self._headers)
        return answer

    def _problem(self, request: web.Request, status: int, wait: float = 0.0) -> web.Response:
        """An answer that is none; pages have one to read. It says after how many seconds to ask again, if that helps."""
        answer = web.Response(status=status)
        if request.method == "GET" and request.path != "/w" and not request.path.startswith(("/s/", "/i/")):
            words = words_of(shell.spoken(request), self._services.language)
            answer = web.Response(
                status=status, text=shell.problem_page(status, words), content_type="text/html"
            )
        if wait:
            answer.headers["Retry-After"] = str(ceil(wait))
        return answer

    async def _html(self, request: web.Request) -> web.Response:
        words = words_of(shell.spoken(request), self._services.language)
        code, key = request.match_info.get("code", ""), request.query.get("k", "")
        html, kept = shell.shell(words, meta="" if code else shell.preloads()), SHELL_KEPT
        if code and key and (await self.shared()).sessions.may_watch(code, key):
            html, kept = await self._readable(code, key, words), BOARD_KEPT
        return _page(html, kept)

    async def _legal(self, request: web.Request) -> web.Response:
        services, config = self._services, self._services.config
        words = words_of(request.query.get("lang"), shell.spoken(request), services.language)
        operator = Operator(config.operator, config.contact)
        return _page(shell.legal_page(request.match_info["name"], words, operator), LEGAL_KEPT)

    async def _readable(self, code: str, key: str, words: Words) -> str:
        match = await self._watched(code)
        presentation = self._services.present(match, words)
        view = boards.show(presentation)
        title, state = composing.title(presentation), " ".join(view.untimed)
        if view.diagram is None:
            return shell.shell(words, title)
        picture = f"{self._url}/i/{code}/{match.revision}.light.png?k={key}"
        body = shell.readable(picture, view.alt, f"{state} {view.position}")
        return shell.shell(words, title, body, shell.preview(picture, title, state))

    async def _watched(self, code: str) -> Match:
        match = await self._services.table.get(code)
        if not await shown_on_page(self._services.store.settings, match):
            raise web.HTTPNotFound
        return match

    async def _file(self, request: web.Request) -> web.Response:
        folder, found = static_files()
        file = found.get(request.match_info["name"])
        if file is None:
            raise web.HTTPNotFound
        if request.match_info["hash"] != folder:
            return self._outdated(request)
        headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
        kind, content = file
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            content, headers["Content-Encoding"] = _deflated(content), "gzip"
        return web.Response(body=content, content_type=kind, charset="utf-8", headers=headers)

    def _outdated(self, request: web.Request) -> web.Response:
        """A file of another version, which a page from a browser's cache asks for: its script loads the page anew."""
        if request.match_info["name"] not in shell.SCRIPTS:
            raise web.HTTPNotFound
        headers = {"Cache-Control": "no-store"}
        return web.Response(text=_RELOAD, content_type="text/javascript", headers=headers)

    async def _picture(self, request: web.Request) -> web.Response:
        """An old address shows the present board."""
        code, key = request.match_info["code"], request.query.get("k", "")
        if not (await self.shared()).sessions.may_watch(code, key):
            raise web.HTTPNotFound
        match = await self._watched(code)
        words = words_for(self._services.language)
        theme = THEMES.get(request.match_info["theme"], Theme.LIGHT)
        presentation = replace(self._services.present(match, words), theme=theme)
        etag = f'"{match.revision}.{theme.value}"'
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": etag})
        painted = await self._services.pictures.board(boards.show(presentation))
        if painted is None:
            raise web.HTTPNotFound
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        return web.Response(body=painted, content_type="image/png", headers=headers)


def _page(html: str, kept: int) -> web.Response:
    headers = {"Cache-Control": f"private, max-age={kept}", "Vary": "Accept-Language"}
    return web.Response(text=html, content_type="text/html", headers=headers)


@lru_cache(maxsize=16)
def _deflated(file: bytes) -> bytes:
    return gzip.compress(file)
