"""Webhook for updates. An update is acknowledged once it is in the inbox; so is one that cannot be read, which would come again."""

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
from bot.on_telegram.raw_updates import KINDS, stored
from play.errors import Unavailable
from storage.inbox import Update

_log: Final = logging.getLogger(__name__)

CONNECTIONS: Final = 40  # updates that Telegram brings at the same time

_NUMBERS: Final = 2**63

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
        try:
            update = _update(await self.body(request))
        except web.HTTPRequestEntityTooLarge:
            update = None
        if update is None:
            metrics.UNREADABLE.add(PLATFORM)
            _log.warning("an update cannot be read: %s bytes", request.content_length)
            return web.Response()
        try:
            async with self._turn:
                await self._accept([update])
        except Unavailable:  # Telegram brings it again
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)
        return web.Response()


def _update(body: bytes) -> Update | None:
    """Return the update in a body; None for any other body."""
    try:
        raw = json.loads(body)
        if not isinstance(raw, dict) or not isinstance(number := raw.get("update_id"), int):
            return None
        if not 0 <= number < _NUMBERS or not (
            len(raw) <= 2 or any(isinstance(raw.get(kind), dict) for kind in KINDS)
        ):
            return None
        return stored(raw)
    except (ValueError, RecursionError, AttributeError, TypeError):  # the last two: a part is no object
        return None
