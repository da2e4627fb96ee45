"""Webhook for updates. An update is acknowledged once it is in the inbox."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from http import HTTPStatus
from typing import Final

from aiohttp import web

from bot.on_telegram.polling import Accept
from bot.on_telegram.raw_updates import KINDS, Raw, stored
from play.errors import Unavailable

_log: Final = logging.getLogger(__name__)

LARGEST: Final = 1 << 20
"""Most bytes of an update; the largest that Telegram sends have some tens of thousands."""

CONNECTIONS: Final = 40  # updates that Telegram brings at the same time

_SECRET: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name
_SHUTDOWN: Final = 5.0  # seconds for the updates being accepted when the bot ends


class Webhook:
    """Listens for updates; a request without the secret is rejected."""

    def __init__(self, accept: Accept, secret: str, path: str) -> None:
        self._accept = accept
        self._secret = secret.encode()
        self._path = path or "/"
        self._turn = asyncio.Lock()  # one after the other: Telegram brings several at the same time

    async def serve(self, host: str, port: int) -> None:
        """Listen until cancelled; raises OSError if the address cannot be listened on."""
        app = web.Application(client_max_size=LARGEST)
        app.router.add_post(self._path, self._receive)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN)
        await runner.setup()
        try:
            await web.TCPSite(runner, host or None, port).start()
            _log.info("listening for updates on port %s", port)
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _receive(self, request: web.Request) -> web.Response:
        given = request.headers.get(_SECRET, "").encode(errors="replace")
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        raw = _update(await request.read())
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
