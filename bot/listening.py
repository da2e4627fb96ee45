"""Listens for HTTP, with bounds on connections, on sizes and on how long a request may take."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.log import server_logger

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


async def listen(
    app: web.Application,
    host: str,
    port: int,
    bounds: Bounds,
    listening: Callable[[], None] = lambda: None,
) -> None:
    """Listen until cancelled, and say when connections are accepted; raises OSError if the address cannot be listened on."""
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
        server = await asyncio.get_running_loop().create_server(connected, host or None, port)
        async with server:
            _log.info("listening on port %s", port)
            listening()
            await asyncio.Event().wait()
    finally:
        await runner.cleanup()


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
        largest: Most bytes of a body; the largest that a platform sends have some tens of thousands.
        most_open: Connections at once; more are refused.
        headers_within: Seconds for the headers of a request, and for which an idle connection is kept.
        body_within: Seconds for the body of a request.
    """

    largest: int = 1 << 20
    most_open: int = 100
    headers_within: float = 20.0
    body_within: float = 10.0


class PostListener(ABC):
    """Listens for what a platform posts at a path."""

    def __init__(self, path: str, limits: PostLimits | None = None) -> None:
        self._path = path or "/"
        self._limits = limits or PostLimits()

    async def serve(self, host: str, port: int, listening: Callable[[], None] = lambda: None) -> None:
        """Listen until cancelled, and say when; raises OSError if the address cannot be listened on."""
        app = web.Application(client_max_size=self._limits.largest)
        app.router.add_post(self._path, self.receive)
        bounds = Bounds(self._limits.most_open, self._limits.headers_within)
        await listen(app, host, port, bounds, listening)

    @abstractmethod
    async def receive(self, request: web.Request) -> web.Response:
        """Return the response to a request."""

    async def body(self, request: web.Request) -> bytes:
        """Return the body of a request.

        Raises:
            web.HTTPRequestEntityTooLarge: it is too large.
            web.HTTPRequestTimeout: it takes too long.
        """
        try:
            async with asyncio.timeout(self._limits.body_within):
                return await request.read()
        except TimeoutError:
            raise web.HTTPRequestTimeout from None
