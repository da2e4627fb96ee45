"""The page's HTTP server: files, sessions, pictures, and one connection for each open page.

A page connects by `POST /w` with its first frame, perhaps with a proof of who reads: the answer has a line, and what is to be
seen first, so that a board takes one round trip. A WebSocket then takes over the line. Where that fails, the page polls:
`GET /w` waits for what is to be sent on the line, `POST /w` with the line sends a frame.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from ipaddress import ip_address
from math import ceil
from typing import Final
from urllib.parse import urlsplit

import msgspec
from aiohttp import WSMsgType, web

from bot.chat.i18n import Words, words_of
from bot.chat.i18n import words as words_for
from bot.chat.page_links import shown_on_page
from bot.chat.presenting import boards
from bot.chat.presenting.cards import LEGAL, Operator
from bot.config import ListenAddress
from bot.platforms import CHATS
from bot.platforms.integration import CodeNeeded, NotProved
from bot.platforms.listening import Bounds, listen
from bot.platforms.page import composing, shell, wire
from bot.platforms.page.open_page import Hub, OpenPage
from bot.platforms.page.sessions import (
    THEMES,
    Allowance,
    Denied,
    PageServices,
    Session,
    Sessions,
    begun,
)
from bot.platforms.page.shell import static_files
from bot.platforms.platform import PlatformServices
from play.errors import PlayError, Unavailable
from play.match import Match
from play.people import Address
from render.picture import Theme
from rules.core import RulesError

_log: Final = logging.getLogger(__name__)

MOST_OPEN: Final = 2000  # connections at once; more are refused
HEADERS_WITHIN: Final = 20.0  # seconds
PING: Final = 25.0  # seconds between pings, for which browsers have no event
BEAT: Final = 20.0  # seconds without a frame after which an empty one is sent, and for which a poll waits
WORKING: Final = 2.0  # seconds between empty frames while a request is carried out; pages wait for 5
QUEUE: Final = 64
"""Frames that wait to be sent; a page that reads more slowly is disconnected, and connects again."""

MOST_LINES: Final = 500  # pages that poll, or whose WebSocket is not there yet
LINE_KEPT: Final = 60.0  # seconds without a poll after which a line ends

PER_ADDRESS: Final = (60, 60.0)
"""Requests of one address in so many seconds that begin something and prove nothing: boards to read, sessions, pictures."""

WATCHING_PER_ADDRESS: Final = (300, 60.0)  # pages of one address that connect with a spectator's key
CONNECTS_PER_ACCOUNT: Final = (60, 60.0)  # pages of one account that connect from one address
MOST_CONNECTING: Final = (
    100  # pages that connect at once, as after a restart; more are refused, and come again
)
BACK_WITHIN: Final = 20.0  # seconds over which those are spread, if they are as many as can be open
PER_ACCOUNT: Final = (10, 60.0)  # sessions of one account
PAUSE: Final = 2.0  # seconds after which to ask again where the store cannot be reached, or there is no room
ACTIONS_PER_PAGE: Final = (20, 10.0)  # moves, presses and typed moves of one page
LOOKS_PER_PAGE: Final = (120, 10.0)  # steps of half-made moves and earlier positions of one page

SHELL_KEPT: Final = 86_400  # seconds for which a browser keeps the page, which is the same for all matches
LEGAL_KEPT: Final = 3600  # seconds for which it keeps a text
BOARD_KEPT: Final = 60  # seconds for which it keeps one with a board to read

_RELOAD: Final = 'if (performance.getEntriesByType("navigation")[0]?.type !== "reload") location.reload();'
_LOOKING: Final = frozenset({"pick", "look", "try", "check"})
_BEAT: Final = wire.write(wire.PageFrame())
_NO_ONE: Final = "'none'"


@dataclass(slots=True, eq=False)
class _Line:
    page: OpenPage
    asks: Allowance
    looks: Allowance
    queue: asyncio.Queue[bytes | None]
    used: float = 0.0
    joined: bool = False


class _Refused(Exception):
    """A request that may be made again after so many seconds."""

    def __init__(self, status: int, wait: float) -> None:
        super().__init__()
        self.status, self.wait = status, wait


def _take(allowance: Allowance, key: str) -> None:
    if not allowance.take(key):
        raise _Refused(HTTPStatus.TOO_MANY_REQUESTS, allowance.turn(key))


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
        self._lines: dict[str, _Line] = {}
        self._sockets: set[web.WebSocketResponse] = set()
        clock = clock or asyncio.get_running_loop().time
        self._clock = clock
        self._anybody = Allowance(*PER_ADDRESS, clock)
        self._watching = Allowance(*WATCHING_PER_ADDRESS, clock)
        self._connecting = Allowance(*CONNECTS_PER_ACCOUNT, clock)
        self._pace = Allowance(MOST_OPEN, BACK_WITHIN, clock)
        self._beginning = 0  # pages that connect just now
        self._each = Allowance(*PER_ACCOUNT, clock)
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
        app.router.add_get("/w", self._connection)
        app.router.add_post("/w", self._post)
        app.router.add_get("/i/{code:[a-z0-9]{6}}/{revision}.{theme}.png", self._picture)
        app.on_shutdown.append(self._close)
        return app

    async def _close(self, _app: web.Application) -> None:
        for socket in tuple(self._sockets):
            await socket.close(code=1012)

    @property
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
                _take(self._anybody, _address(request))
            answer = await handler(request)
        except Unavailable:
            answer = self._problem(request, HTTPStatus.SERVICE_UNAVAILABLE, PAUSE)
        except _Refused as refused:
            answer = self._problem(request, refused.status, refused.wait)
        except web.HTTPException as problem:
            answer = self._problem(request, problem.status)
        if not answer.prepared:
            answer.headers.update(
                {name: value for name, value in self._headers.items() if name not in answer.headers}
            )
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
        if code and key and (await self.shared).sessions.may_watch(code, key):
            html, kept = await self._readable(code, key, words), BOARD_KEPT
        return _page(html, kept)

    async def _legal(self, request: web.Request) -> web.Response:
        services, config = self._services, self._services.config
        words = words_of(request.query.get("lang"), shell.spoken(request), services.language)
        operator = Operator(config.operator, config.contact)
        return _page(shell.legal_page(request.match_info["name"], words, operator), LEGAL_KEPT)

    async def _readable(self, code: str, key: str, words: Words) -> str:
        try:
            match = await self._watched(code)
            presentation = self._services.present(match, words)
            view = boards.show(presentation)
        except Unavailable:
            raise
        except (PlayError, RulesError):
            raise web.HTTPNotFound from None
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
        answer = web.Response(body=content, content_type=kind, charset="utf-8", headers=headers)
        return _packed(request, answer)

    def _outdated(self, request: web.Request) -> web.Response:
        """A file of another version, which a page from a browser's cache asks for: its script loads the page anew."""
        if request.match_info["name"] not in shell.SCRIPTS:
            raise web.HTTPNotFound
        headers = {"Cache-Control": "no-store"}
        return web.Response(text=_RELOAD, content_type="text/javascript", headers=headers)

    async def _picture(self, request: web.Request) -> web.Response:
        """An old address shows the present board."""
        code, key = request.match_info["code"], request.query.get("k", "")
        if not (await self.shared).sessions.may_watch(code, key):
            raise web.HTTPNotFound
        try:
            match = await self._watched(code)
            words = words_for(self._services.language)
            theme = THEMES.get(request.match_info["theme"], Theme.LIGHT)
            presentation = replace(self._services.present(match, words), theme=theme)
            etag = f'"{match.revision}.{theme.value}"'
            if request.headers.get("If-None-Match") == etag:
                return web.Response(status=HTTPStatus.NOT_MODIFIED, headers={"ETag": etag})
            painted = await self._services.pictures.board(boards.show(presentation))
        except Unavailable:
            raise
        except (PlayError, RulesError):
            raise web.HTTPNotFound from None
        if painted is None:
            raise web.HTTPNotFound
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        return web.Response(body=painted, content_type="image/png", headers=headers)

    async def _session_by(self, proof: wire.PageProof, request: web.Request) -> tuple[str, Session]:
        sessions = (await self.shared).sessions
        try:
            session = await begun(await self.shared, proof, request.headers)
        except CodeNeeded:
            raise web.HTTPUnauthorized from None
        except NotProved:
            raise web.HTTPForbidden from None
        _take(self._each, str(session.player.account))
        return sessions.bearer(session), session

    async def _line(self, asked: wire.PageConnect) -> _Line:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUE)
        page = OpenPage(await self.shared, lambda frame: _put(queue, frame))
        line = _Line(
            page, Allowance(*ACTIONS_PER_PAGE, self._clock), Allowance(*LOOKS_PER_PAGE, self._clock), queue
        )
        line.used = self._clock()
        try:
            await page.connect(asked)
        except Unavailable:
            raise
        except (Denied, PlayError, RulesError) as failed:
            page.end(str(failed) if isinstance(failed, Denied) else "match")
            _put(queue, None)
        else:
            self.hub.join(page)
            line.joined = True
        return line

    async def _admit(self, request: web.Request, asked: wire.PageConnect) -> None:
        """Count a page that connects; raises `_Refused`."""
        sessions, address = (await self.shared).sessions, _address(request)
        try:
            known = asked.proof is None and sessions.read(asked.bearer, self._services.now())
        except NotProved:
            known = None
        if known:
            _take(self._connecting, f"{known.player.account} {address}")
        elif asked.proof is None and sessions.may_watch(asked.code, asked.key):
            _take(self._watching, address)
        else:
            _take(self._anybody, address)

    async def _begun(self, request: web.Request) -> web.Response:
        if len(self._lines) >= MOST_LINES:
            raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, PAUSE)
        try:
            asked = wire.read_connect(await request.read())
        except wire.BadFrame:
            _take(self._anybody, _address(request))
            raise web.HTTPBadRequest from None
        await self._admit(request, asked)
        bearer = ""
        if asked.proof is not None:
            bearer, session = await self._session_by(asked.proof, request)
            asked.bearer, asked.proof = bearer, None
            asked.code = session.code or asked.code
        line = await self._line(asked)
        name = ""
        if line.joined:
            name = secrets.token_urlsafe(16)
            self._lines[name] = line
        body = wire.write(wire.PageBegun(name, bearer, asked.code, _waiting(line)))
        return _json(request, body)

    def _leave(self, line: _Line) -> None:
        if line.joined:
            line.joined = False
            self.hub.leave(line.page)

    async def _handle(self, line: _Line, frame: bytes) -> bool:
        try:
            asked = wire.read_request(frame)
        except wire.BadFrame:
            return False
        if line.page.ended:
            return False
        with self._alive(line):
            reply = await self._reply(line, asked)
        line.page.reply(reply)
        return not reply.over

    async def _reply(self, line: _Line, asked: wire.PageRequest) -> wire.PageReply:
        words = line.page.reader.words
        allowance = line.looks if asked.do in _LOOKING else line.asks
        if not allowance.take(""):
            return wire.PageReply(re=asked.op, cards=[wire.PageView([words("bot.page.busy")], refused=True)])
        try:
            return await line.page.handle(asked)
        except Unavailable:
            return wire.PageReply(re=asked.op, over="busy")
        except (PlayError, RulesError):
            return wire.PageReply(re=asked.op, cards=[])
        except Exception:  # noqa: BLE001 - the last barrier: each request is answered, else it is asked for ever
            _log.exception("a request of a page failed")
            said = wire.PageView([words("bot.command.failed")], refused=True)
            return wire.PageReply(re=asked.op, cards=[said])

    @contextmanager
    def _alive(self, line: _Line) -> Iterator[None]:
        """Send a page that waits for an answer a frame now and then, so that it does not take the connection for dead."""
        loop = asyncio.get_running_loop()

        def beat() -> None:
            _put(line.queue, _BEAT)
            timer[:] = [loop.call_later(WORKING, beat)]

        timer = [loop.call_later(WORKING, beat)]
        try:
            yield
        finally:
            timer[0].cancel()

    async def _connection(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return await self._poll(request)
        socket = web.WebSocketResponse(heartbeat=PING, max_msg_size=wire.MAX_FRAME, compress=False)
        await socket.prepare(request)
        line = self._lines.pop(request.query.get("line", ""), None)
        if line is None:
            await socket.close()
            return socket
        self._sockets.add(socket)
        sending = asyncio.create_task(_sent(socket, line.queue))
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT or not line.joined:
                    break
                if not await self._handle(line, message.data.encode()):
                    break
        finally:
            self._sockets.discard(socket)
            self._leave(line)
            _put(line.queue, None)
            await asyncio.wait([sending], timeout=1.0)
            sending.cancel()
            await socket.close()
        return socket

    async def _post(self, request: web.Request) -> web.Response:
        self._end_old()
        name = request.query.get("line", "")
        if not name:
            if self._beginning >= MOST_CONNECTING:
                raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, self._pace.turn(""))
            self._beginning += 1
            try:
                return await self._begun(request)
            finally:
                self._beginning -= 1
        line = self._held(name)
        if not await self._handle(line, await request.read()):
            self._drop(name)
            raise web.HTTPBadRequest
        return web.Response(status=HTTPStatus.NO_CONTENT)

    async def _poll(self, request: web.Request) -> web.Response:
        self._end_old()
        name = request.query.get("line", "")
        line = self._held(name)
        line.used = self._clock() + BEAT
        frames: list[msgspec.Raw] = []
        try:
            async with asyncio.timeout(BEAT):
                frame = await line.queue.get()
        except TimeoutError:
            frame = _BEAT
        if frame is not None:
            frames = [msgspec.Raw(frame), *_waiting(line)]
        line.used = self._clock()
        if frame is None:
            self._drop(name)
        return _json(request, wire.write(frames))

    def _held(self, name: str) -> _Line:
        line = self._lines.get(name)
        if line is None:
            raise web.HTTPGone
        return line

    def _drop(self, name: str) -> None:
        if (line := self._lines.pop(name, None)) is not None:
            self._leave(line)

    def _end_old(self) -> None:
        before = self._clock() - LINE_KEPT
        for name in [name for name, line in self._lines.items() if line.used < before]:
            self._drop(name)


def _address(request: web.Request) -> str:
    return client_address(request.headers.get("X-Forwarded-For", ""), request.remote or "")


def client_address(forwarded: str, remote: str) -> str:
    """Return the last address that is not in a private network, of those that proxies passed on (`X-Forwarded-For`) and the peer's.

    Where all are, it is what the nearest proxy says: what stands before that, the client may have written.
    """
    passed = [*filter(None, (part.strip() for part in forwarded.split(","))), remote]
    return next(filter(_is_public, reversed(passed)), passed[-2:][0])


def _is_public(address: str) -> bool:
    try:
        return ip_address(address).is_global
    except ValueError:
        return False


def _put(queue: asyncio.Queue[bytes | None], frame: bytes | None) -> None:
    """Queue a frame; a page that has not read the ones before gets no more, and its connection ends."""
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        frame = None
    queue.put_nowait(frame)


def _waiting(line: _Line) -> list[msgspec.Raw]:
    frames = []
    while not line.queue.empty():
        frame = line.queue.get_nowait()
        if frame is None:
            line.queue.put_nowait(None)
            break
        frames.append(msgspec.Raw(frame))
    return frames


def _page(html: str, kept: int) -> web.Response:
    headers = {"Cache-Control": f"private, max-age={kept}", "Vary": "Accept-Language"}
    return web.Response(text=html, content_type="text/html", headers=headers)


def _json(request: web.Request, body: bytes) -> web.Response:
    headers = {"Cache-Control": "no-store"}
    return _packed(request, web.Response(body=body, content_type="application/json", headers=headers))


def _packed(request: web.Request, answer: web.Response) -> web.Response:
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        answer.enable_compression(web.ContentCoding.gzip)
    return answer


async def _sent(socket: web.WebSocketResponse, queue: asyncio.Queue[bytes | None]) -> None:
    """Frames are not deflated: browsers would then deflate theirs, and to inflate those takes 40 kB a connection."""
    while True:
        try:
            async with asyncio.timeout(BEAT):
                frame = await queue.get()
        except TimeoutError:
            frame = _BEAT
        if frame is None:
            break
        await socket.send_str(frame.decode())
    await socket.close(code=1013)
