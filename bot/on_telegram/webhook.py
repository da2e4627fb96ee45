"""Webhook for updates. An update is acknowledged once it is in the inbox."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from http import HTTPStatus
from typing import Final

from aiohttp import web

from bot import metrics
from bot.listening import PostLimits, PostListener
from bot.on_telegram.places import PLATFORM
from bot.on_telegram.polling import Accept
from bot.on_telegram.raw_updates import KINDS, Raw, stored
from play.errors import Unavailable

_log: Final = logging.getLogger(__name__)

CONNECTIONS: Final = 40  # updates that Telegram brings at the same time

_SECRET: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name


class Webhook(PostListener):
    """Listens for updates; a request without the secret is rejected."""

    def __init__(self, accept: Accept, secret: str, path: str, limits: PostLimits | None = None) -> None:
        super().__init__(path, limits)
        self._accept = accept
        self._secret = secret.encode()
        self._turn = asyncio.Lock()  # one after the other: Telegram brings several at the same time

    async def receive(self, request: web.Request) -> web.Response:
        """See `PostListener`."""
        given = request.headers.get(_SECRET, "").encode(errors="replace")
        if not hmac.compare_digest(given, self._secret):
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        raw = _update(await self.body(request))
        if raw is None:
            return web.Response(status=HTTPStatus.BAD_REQUEST)
        try:
            update = stored(raw)
        except (TypeError, ValueError) as error:  # Telegram would bring it again
            metrics.UNREADABLE.add(PLATFORM)
            _log.warning("an update cannot be read: %s", error)
            return web.Response()
        try:
            async with self._turn:
                await self._accept([update])
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
