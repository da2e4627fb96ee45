"""Listens for HTTP, with bounds on connections, on sizes and on how long a request may take.

At a bound, a connection that waits for its client gives way to a new one. A platform sends its requests whole and at once, on
connections on which they are granted, and perhaps from one address; strangers who send slowly cut off each other.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.log import server_logger

from bot.chat import metrics
from bot.config import CannotRun, ListenAddress
from rules.core import Reason

_log: Final = logging.getLogger(__name__)

_REST: Final = 2.0  # seconds in which the rest of a refused body is read, so that the refusal arrives
_SHUTDOWN: Final = 2.0  # seconds for the requests being answered when the bot ends


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a listener."""

    most_open: int = 100  # connections at once; then one that waits for its client is cut for each new one
    # Seconds for the headers of a request, and for which an idle connection is kept.
    headers_within: float = 20.0


class ListenFailure(Reason):
    """Why an address cannot be listened on."""

    IN_USE = "bot.listen.in-use"  # address, setting
    NOT_ALLOWED = "bot.listen.not-allowed"  # address, setting


class CannotListen(CannotRun):
    """An address that is in use, is not one of this machine, or may not be listened on."""

    def __init__(self, address: ListenAddress, *, in_use: bool) -> None:
        self.reason = ListenFailure.IN_USE if in_use else ListenFailure.NOT_ALLOWED
        host = f"[{address.host}]" if ":" in address.host else address.host
        super().__init__(address=f"{host}:{address.port}", setting=address.setting)


async def listen(
    app: web.Application,
    address: ListenAddress,
    bounds: Bounds,
    listening: Callable[[], None] = lambda: None,
) -> None:
    """Listen until cancelled, and say when connections are accepted; raises `CannotListen`."""
    server_logger.addFilter(_is_ours)
    app.middlewares.insert(0, _answering)
    runner = web.AppRunner(app, shutdown_timeout=_SHUTDOWN)
    await runner.setup()
    handlers = runner.server
    assert handlers is not None, "set up"  # noqa: S101
    try:
        async with await _server(partial(_Connection, handlers, bounds), address):
            _log.info("listening on port %s", address.port)
            listening()
            await asyncio.Event().wait()
    finally:
        await runner.cleanup()


async def _server(connected: Callable[[], asyncio.Protocol], address: ListenAddress) -> asyncio.Server:
    try:
        return await asyncio.get_running_loop().create_server(connected, address.host or None, address.port)
    except (OSError, OverflowError) as failed:  # the latter: a port above 65535
        in_use = getattr(failed, "errno", None) == errno.EADDRINUSE
        raise CannotListen(address, in_use=in_use) from None


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a record is not about a request that breaks HTTP or breaks off: anyone could fill the log with tracebacks."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError | web.RequestPayloadError | ConnectionResetError)


class _Connection(web.RequestHandler):
    """A connection; it waits for its client unless a whole request is being answered."""

    def __init__(self, server: web.Server, bounds: Bounds) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(
            server,
            loop=loop,
            access_log=None,  # type: ignore[arg-type] # there is none
            # From the connection or the last answer to the end of the next request's headers.
            keepalive_timeout=bounds.headers_within,
            lingering_time=_REST,
            auto_decompress=False,  # no platform and no browser compresses what it sends
        )
        self._server = server
        self._most = bounds.most_open
        self.address = ""
        self.since = loop.time()
        self.request: web.Request | None = None
        self.granted = False
        self.is_cut = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if isinstance(peer, tuple) else ""
        there = self._server.connections
        if len(there) > self._most:
            held = [each for each in there if isinstance(each, _Connection) and not each.is_cut]
            if len(held) > self._most:
                _giving_way([each for each in held if each.waits]).cut()

    @property
    def waits(self) -> bool:
        """Whether it waits for its client, to send a request or the rest of one, or to read an answer."""
        return self.request is None or not self.request.content.is_eof()

    def cut(self) -> None:
        self.is_cut = True
        metrics.CUT.add()
        if self.transport is not None:
            self.transport.abort()


def _giving_way(waiting: Sequence[_Connection]) -> _Connection:
    """Take one that was granted nothing first, then one of an address that has most of them, then the one waiting longest."""
    held = Counter(each.address for each in waiting)
    return min(waiting, key=lambda each: (each.granted, 2 * held[each.address] <= len(waiting), each.since))


@web.middleware
async def _answering(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    connection: Any = request.protocol
    connection.request, granted = request, False
    try:
        answer = await handler(request)
        granted = answer.status < HTTPStatus.BAD_REQUEST
        return answer
    finally:
        connection.request, connection.granted = None, granted
        connection.since = asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class PostLimits(Bounds):
    """Limits of what a platform posts; they hold for all others too, before anything is believed."""

    largest: int = 1 << 20  # most bytes of a body
    # Most bytes of a body of which each connection may send one; a body of unknown length is not small.
    small: int = 1 << 20
    large_at_once: int = 8  # bodies beyond that which are read at once; then one is cut for each new one
    body_within: float = 10.0  # seconds for the body of a request


class PostListener(ABC):
    """Listens for what a platform posts at a path."""

    def __init__(self, path: str, limits: PostLimits | None = None) -> None:
        self._path = path or "/"
        self._limits = limits or PostLimits()
        self._large: list[_Connection] = []  # whose bodies are read now

    async def serve(self, address: ListenAddress, listening: Callable[[], None] = lambda: None) -> None:
        """Listen until cancelled, and say when; raises `CannotListen`."""
        app = web.Application(client_max_size=self._limits.largest)
        app.router.add_post(self._path, self.receive)
        await listen(app, address, self._limits, listening)

    @abstractmethod
    async def receive(self, request: web.Request) -> web.Response:
        """Return the response to a request."""

    async def body(self, request: web.Request) -> bytes:
        """Return the body of a request.

        Raises:
            web.HTTPRequestEntityTooLarge: it is too large; where its length is given, nothing of it is read.
            web.HTTPRequestTimeout: it takes too long.
            web.HTTPBadRequest: it breaks HTTP, or breaks off.
        """
        limits, length = self._limits, request.content_length
        if length is not None and length > limits.largest:
            raise web.HTTPRequestEntityTooLarge(limits.largest, length)
        if length is not None and length <= limits.small:
            return await self._read(request)
        connection = request.protocol
        assert isinstance(connection, _Connection), "of `listen`"  # noqa: S101
        self._large.append(connection)
        if len(there := [each for each in self._large if not each.is_cut]) > limits.large_at_once:
            _giving_way(there).cut()
        try:
            return await self._read(request)
        finally:
            self._large.remove(connection)

    async def _read(self, request: web.Request) -> bytes:
        try:
            async with asyncio.timeout(self._limits.body_within):
                return await request.read()
        except TimeoutError:
            raise web.HTTPRequestTimeout from None
        except (web.RequestPayloadError, ConnectionError):
            raise web.HTTPBadRequest from None
