"""Webhook for updates. An update is acknowledged once it is in the inbox."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from aiohttp import web

from bot.listening import Bounds, listen
from bot.on_telegram.polling import Accept
from bot.on_telegram.raw_updates import KINDS, Raw, stored
from play.errors import Unavailable

LARGEST: Final = 1 << 20
"""Most bytes of an update; the largest that Telegram sends have some tens of thousands."""

CONNECTIONS: Final = 40  # updates that Telegram brings at the same time

MOST_OPEN: Final = 100  # connections at once, also from others than Telegram; more are refused
HEADERS_WITHIN: Final = 20.0  # seconds for the headers of a request, and for which an idle connection is kept
BODY_WITHIN: Final = 10.0  # seconds for the body of a request

_SECRET: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


class Webhook:
    """Listens for updates; a request without the secret is rejected."""

    def __init__(
        self,
        accept: Accept,
        secret: str,
        path: str,
        *,
        most_open: int = MOST_OPEN,
        within: tuple[float, float] = (HEADERS_WITHIN, BODY_WITHIN),
    ) -> None:
        self._accept = accept
        self._secret = secret.encode()
        self._path = path or "/"
        self._most_open = most_open
        self._headers_within, self._body_within = within
        self._turn = asyncio.Lock()  # one after the other: Telegram brings several at the same time

    async def serve(self, host: str, port: int, listening: Callable[[], None] = lambda: None) -> None:
        """Listen until cancelled, and say when; raises OSError if the address cannot be listened on."""
        app = web.Application(client_max_size=LARGEST)
        app.router.add_post(self._path, self._receive)
        await listen(app, host, port, Bounds(self._most_open, self._headers_within), listening)

    async def _receive(self, request: web.Request) -> web.Response:
        given = request.headers.get(_SECRET, "").encode(errors="replace")
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        try:
            async with asyncio.timeout(self._body_within):
                raw = _update(await request.read())
        except TimeoutError:
            return web.Response(status=HTTPStatus.REQUEST_TIMEOUT)
        if raw is None:
            return web.Response(status=HTTPStatus.BAD_REQUEST)
        try:
            async with self._turn:
                await self._accept([stored(raw)])
        except Unavailable:  # Telegram brings it again
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)
        return web.Response()


def _update(body: bytes) -> Raw | None:
    """Return the update in a body; None for any other body."""
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict) or not isinstance(raw.get("update_id"), int):
        return None
    return raw if any(isinstance(raw.get(kind), dict) for kind in KINDS) or len(raw) <= 2 else None
