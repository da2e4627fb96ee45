"""Listens for HTTP, with bounds on connections, on sizes and on how long a request may take."""

from __future__ import annotations

import asyncio
import errno
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.log import server_logger

from bot.config import CannotRun, ListenAddress
from rules.core import Reason

_log: Final = logging.getLogger(__name__)

_REST: Final = 2.0  # seconds in which the rest of a refused body is read, so that the refusal arrives
_SHUTDOWN: Final = 2.0  # seconds for the requests being answered when the bot ends


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a listener.

    Attributes:
        most_open: Connections at once; more are refused.
        headers_within: Seconds for the headers of a request, and for which an idle connection is kept.
    """

    most_open: int
    headers_within: float


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
    """Listen until cancelled, and say when connections are accepted.

    Raises:
        CannotListen: the address cannot be listened on.
    """
    server_logger.addFilter(_is_ours)
    runner = web.AppRunner(
        app,
        access_log=None,
        shutdown_timeout=_SHUTDOWN,
        # From the connection or the last answer to the end of the next request's headers.
        keepalive_timeout=bounds.headers_within,
        lingering_time=_REST,
        auto_decompress=False,  # no platform and no browser compresses what it sends
    )
    await runner.setup()
    handlers = runner.server
    assert handlers is not None, "set up"  # noqa: S101

    def connected() -> asyncio.Protocol:
        return handlers() if len(handlers.connections) < bounds.most_open else _Refused()

    try:
        async with await _server(connected, address):
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


class _Refused(asyncio.Protocol):
    """A connection beyond those that may be open."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it."""
        transport.close()


@dataclass(frozen=True, slots=True)
class PostLimits:
    """Limits of what a platform posts; they hold for all others too, before anything is believed.

    Attributes:
        largest: Most bytes of a body.
        small: Most bytes of a body of which each connection may send one; a body of unknown length is not small.
        large_at_once: Bodies beyond that which are read at once; more are refused.
        most_open: Connections at once; more are refused.
        headers_within: Seconds for the headers of a request, and for which an idle connection is kept.
        body_within: Seconds for the body of a request.
    """

    largest: int = 1 << 20
    small: int = 1 << 20
    large_at_once: int = 8
    most_open: int = 100
    headers_within: float = 20.0
    body_within: float = 10.0


class PostListener(ABC):
    """Listens for what a platform posts at a path."""

    def __init__(self, path: str, limits: PostLimits | None = None) -> None:
        self._path = path or "/"
        self._limits = limits or PostLimits()
        self._large = 0  # bodies that are read now

    async def serve(self, address: ListenAddress, listening: Callable[[], None] = lambda: None) -> None:
        """Listen until cancelled, and say when; raises `CannotListen`."""
        app = web.Application(client_max_size=self._limits.largest)
        app.router.add_post(self._path, self.receive)
        bounds = Bounds(self._limits.most_open, self._limits.headers_within)
        await listen(app, address, bounds, listening)

    @abstractmethod
    async def receive(self, request: web.Request) -> web.Response:
        """Return the response to a request."""

    async def body(self, request: web.Request) -> bytes:
        """Return the body of a request.

        Raises:
            web.HTTPRequestEntityTooLarge: it is too large; where its length is given, nothing of it is read.
            web.HTTPServiceUnavailable: it is large, and enough of them are read now.
            web.HTTPRequestTimeout: it takes too long.
        """
        limits, length = self._limits, request.content_length
        if length is not None and length > limits.largest:
            raise web.HTTPRequestEntityTooLarge(limits.largest, length)
        if length is not None and length <= limits.small:
            return await self._read(request)
        if self._large >= limits.large_at_once:
            raise web.HTTPServiceUnavailable
        self._large += 1
        try:
            return await self._read(request)
        finally:
            self._large -= 1

    async def _read(self, request: web.Request) -> bytes:
        try:
            async with asyncio.timeout(self._limits.body_within):
                return await request.read()
        except TimeoutError:
            raise web.HTTPRequestTimeout from None
