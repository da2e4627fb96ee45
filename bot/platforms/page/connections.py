"""The connections of open pages, within limits.

A page connects by `POST /w` with its first frame, perhaps with a proof of who reads: the answer has a line, and what is to be
seen first, so that a board takes one round trip. A WebSocket then takes over the line. Where that fails, the page polls:
`GET /w` waits for what is to be sent on the line, `POST /w` with the line sends a frame.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final

import msgspec
from aiohttp import WSMsgType, web

from bot.platforms.integration import CodeNeeded, NotProved
from bot.platforms.page import wire
from bot.platforms.page.hub import Hub
from bot.platforms.page.open_page import OpenPage
from bot.platforms.page.sessions import Allowance, Denied, PageServices, Session, begun
from play.errors import PlayError, Unavailable
from rules.core import RulesError

_log: Final = logging.getLogger(__name__)

MOST_OPEN: Final = 2000  # connections at once; more are refused
PING: Final = 25.0  # seconds between pings, for which browsers have no event
BEAT: Final = 20.0  # seconds between empty frames, which show that a connection is alive
WORKING: Final = 2.0  # seconds between them while a request is carried out; pages wait for 5
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

_LOOKING: Final = frozenset({"pick", "look", "try", "check"})
_BEAT: Final = wire.write(wire.PageFrame())


class AskLater(Exception):
    """A request that may be made again after so many seconds."""

    def __init__(self, status: int, wait: float) -> None:
        super().__init__()
        self.status, self.wait = status, wait


class _Line:
    """What is to be sent to one page: a WebSocket sends it, or the next poll takes it. It keeps no task while that is nothing."""

    def __init__(self, shared: PageServices) -> None:
        self.name = secrets.token_urlsafe(16)
        self.page = OpenPage(shared, self.put)
        self.used = 0.0
        self.joined = False
        self.ended = False
        self._frames: list[bytes] = []
        self._socket: web.WebSocketResponse[bool] | None = None
        self._sending: asyncio.Task[None] | None = None
        self._polled: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def put(self, frame: bytes) -> None:
        """Queue a frame; a page that has not read the ones before gets no more, and its connection ends."""
        if len(self._frames) >= QUEUE:
            self._frames.clear()
            self.end()
        elif not self.ended:
            self._frames.append(frame)
            self._wake()

    def end(self) -> None:
        """Queue nothing more."""
        self.ended = True
        self._forget_timer()
        self._wake()

    def beat(self, every: float) -> None:
        """Send a frame at least so often from now on, an empty one if nothing else waits."""
        self._forget_timer()
        if not self.ended:
            self._timer = asyncio.get_running_loop().call_later(every, self._beat, every)

    def _beat(self, every: float) -> None:
        if not self._frames:
            self.put(_BEAT)
        self.beat(every)

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wake(self) -> None:
        if self._socket is not None:
            self._sending = self._sending or asyncio.create_task(self._send(self._socket))
        elif self._polled is not None and not self._polled.done():
            self._polled.set_result(None)

    async def _send(self, socket: web.WebSocketResponse[bool]) -> None:
        with suppress(ConnectionError):
            while self._frames:
                await socket.send_frame(self._frames.pop(0), WSMsgType.TEXT)
            if self.ended:
                await socket.close(code=1013)
        self._sending = None

    def open(self, socket: web.WebSocketResponse[bool]) -> None:
        """Send by a WebSocket from now on."""
        self._socket = socket
        self._wake()

    async def close(self) -> None:
        """Send what waits, unless that takes long."""
        self.end()
        if (sending := self._sending) is not None:
            await asyncio.wait([sending], timeout=1.0)
            sending.cancel()

    async def poll(self) -> list[msgspec.Raw]:
        """Return the frames that wait, once there are any or the line has ended."""
        if not self._frames and not self.ended:
            self._polled = self._polled or asyncio.get_running_loop().create_future()
            await asyncio.shield(self._polled)
            self._polled = None
        return self.take()

    def take(self) -> list[msgspec.Raw]:
        """Return the frames that wait, which are then those of the caller."""
        frames, self._frames = self._frames, []
        return [msgspec.Raw(frame) for frame in frames]


class Connections:
    """Answers `/w`; what `shared` returns is the same for all pages."""

    def __init__(
        self, shared: Callable[[], Awaitable[PageServices]], hub: Hub, clock: Callable[[], float]
    ) -> None:
        self._shared = shared
        self._hub = hub
        self._clock = clock
        self._lines: dict[str, _Line] = {}
        self.sockets: set[web.WebSocketResponse[bool]] = set()
        self.anybody = Allowance(*PER_ADDRESS, clock)
        self.watching = Allowance(*WATCHING_PER_ADDRESS, clock)
        self.connecting = Allowance(*CONNECTS_PER_ACCOUNT, clock)
        self._pace = Allowance(MOST_OPEN, BACK_WITHIN, clock)
        self._each = Allowance(*PER_ACCOUNT, clock)
        self._acting = Allowance(*ACTIONS_PER_PAGE, clock)
        self._looking = Allowance(*LOOKS_PER_PAGE, clock)
        self._beginning = 0  # pages that connect just now

    async def close(self, _app: web.Application) -> None:
        """Close the WebSockets; their pages connect again."""
        for socket in tuple(self.sockets):
            await socket.close(code=1012)

    async def post(self, request: web.Request) -> web.Response:
        """Connect a page, or take a frame of one that polls."""
        self._end_old()
        name = request.query.get("line", "")
        if not name:
            if self._beginning >= MOST_CONNECTING:
                raise AskLater(HTTPStatus.SERVICE_UNAVAILABLE, self._pace.turn(""))
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

    async def get(self, request: web.Request) -> web.StreamResponse:
        """Open the WebSocket of a line, or answer a poll."""
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return await self._poll(request)
        # Not deflated: browsers would then deflate their frames, and to inflate those takes 40 kB a connection.
        socket = web.WebSocketResponse(
            heartbeat=PING, max_msg_size=wire.MAX_FRAME, compress=False, decode_text=False
        )
        await socket.prepare(request)
        line = self._lines.pop(request.query.get("line", ""), None)
        if line is None:
            await socket.close()
            return socket
        self.sockets.add(socket)
        line.open(socket)
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT or not line.joined:
                    break
                if not await self._handle(line, message.data):
                    break
        finally:
            self.sockets.discard(socket)
            self._leave(line)
            await line.close()
            await socket.close()
        return socket

    async def admit(self, request: web.Request, asked: wire.PageConnect) -> None:
        """Count a page that connects; raises `AskLater`."""
        shared, address = await self._shared(), address_of(request)
        sessions = shared.sessions
        try:
            known = asked.proof is None and sessions.read(asked.bearer, shared.services.now())
        except NotProved:
            known = None
        if known:
            take(self.connecting, f"{known.player.account} {address}")
        elif asked.proof is None and sessions.may_watch(asked.code, asked.key):
            take(self.watching, address)
        else:
            take(self.anybody, address)

    async def _begun(self, request: web.Request) -> web.Response:
        if len(self._lines) >= MOST_LINES:
            raise AskLater(HTTPStatus.SERVICE_UNAVAILABLE, PAUSE)
        try:
            asked = wire.read_connect(await request.read())
        except wire.BadFrame:
            take(self.anybody, address_of(request))
            raise web.HTTPBadRequest from None
        await self.admit(request, asked)
        bearer = ""
        if asked.proof is not None:
            session = await self._session_by(asked.proof, request)
            asked.proof = None
            asked.bearer = bearer = (await self._shared()).sessions.bearer(session)
            asked.code = session.code or asked.code
        line = await self._connected(asked)
        if line.joined:
            self._lines[line.name] = line
        name = line.name if line.joined else ""
        return _Sent(request, wire.write(wire.PageBegun(name, bearer, asked.code, line.take())))

    async def _session_by(self, proof: wire.PageProof, request: web.Request) -> Session:
        shared = await self._shared()
        try:
            session = await begun(shared, proof, request.headers)
        except CodeNeeded:
            raise web.HTTPUnauthorized from None
        except NotProved:
            raise web.HTTPForbidden from None
        take(self._each, str(session.player.account))
        return session

    async def _connected(self, asked: wire.PageConnect) -> _Line:
        line = _Line(await self._shared())
        line.used = self._clock()
        try:
            await line.page.connect(asked)
        except Unavailable:
            raise
        except (Denied, PlayError, RulesError) as failed:
            line.page.end(str(failed) if isinstance(failed, Denied) else "match")
            line.end()
        else:
            self._hub.join(line.page)
            line.joined = True
            line.beat(BEAT)
        return line

    def _leave(self, line: _Line) -> None:
        if line.joined:
            line.joined = False
            self._hub.leave(line.page)
        line.end()

    async def _handle(self, line: _Line, frame: bytes) -> bool:
        try:
            asked = wire.read_request(frame)
        except wire.BadFrame:
            return False
        if line.page.ended:
            return False
        line.beat(WORKING)
        seated = line.page.seated
        try:
            reply = await self._reply(line, asked)
        finally:
            line.beat(BEAT)
        if line.page.seated != seated:
            self._hub.recount(line.page.code)
        line.page.reply(reply)
        return not reply.over

    async def _reply(self, line: _Line, asked: wire.PageRequest) -> wire.PageReply:
        words = line.page.reader.words
        allowance = self._looking if asked.do in _LOOKING else self._acting
        if not allowance.take(line.name):
            return wire.PageReply.refused(asked.op, words("bot.page.busy"))
        try:
            return await line.page.handle(asked)
        except Unavailable:
            return wire.PageReply(re=asked.op, over="busy")
        except (PlayError, RulesError):
            return wire.PageReply(re=asked.op, cards=[])
        except Exception:  # noqa: BLE001 - the last barrier: each request is answered, else it is asked for ever
            _log.exception("a request of a page failed")
            return wire.PageReply.refused(asked.op, words("bot.command.failed"))

    async def _poll(self, request: web.Request) -> web.Response:
        self._end_old()
        name = request.query.get("line", "")
        line = self._held(name)
        line.used = self._clock() + BEAT
        frames = await line.poll()
        line.used = self._clock()
        if line.ended:
            self._drop(name)
        return _Sent(request, wire.write(frames))

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


class _Sent(web.Response):
    """JSON that is forgotten once it is sent: the library keeps an answer until the next request of its connection is answered."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        super().__init__(body=body, content_type="application/json", headers={"Cache-Control": "no-store"})
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            self.enable_compression(web.ContentCoding.gzip)

    async def write_eof(self, data: bytes = b"") -> None:
        """See `web.Response`."""
        await super().write_eof(data)
        self.body = None


def take(allowance: Allowance, key: str) -> None:
    """Take one request of an allowance; raises `AskLater`."""
    if not allowance.take(key):
        raise AskLater(HTTPStatus.TOO_MANY_REQUESTS, allowance.turn(key))


def address_of(request: web.Request) -> str:
    """Return the address of who asks."""
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
