"""The endpoint for interactions and webhook events, which Discord posts and signs.

"Preparing for Interactions", https://docs.discord.com/developers/interactions/overview; "Preparing for Events",
https://docs.discord.com/developers/events/webhook-events.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from aiohttp import web
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bot.listening import PostLimits, PostListener
from play.errors import Unavailable

FRESH: Final = timedelta(minutes=5)
"""How old, or how far ahead of our clock, a request may be: Discord gives an interaction up after three seconds."""

SIGNATURE: Final = "X-Signature-Ed25519"
TIMESTAMP: Final = "X-Signature-Timestamp"

ADDED: Final = "APPLICATION_AUTHORIZED"
"""The one webhook event that the bot uses: it was added to a server, or to an account."""

_PING: Final = 1  # an interaction's type
_EVENTS_PING: Final = 0  # a webhook's type

Raw: TypeAlias = dict[str, Any]

Response: TypeAlias = Mapping[str, Any]
"""An interaction's response: its type and data."""

Take: TypeAlias = Callable[[Raw], Awaitable[Response | None]]
"""Takes an interaction or a webhook event; returns the response, or None if there is none, or it was sent by another request.

Raises `Unavailable` if the store does not answer.
"""


class Endpoint(PostListener):
    """Listens for interactions and webhook events; what Discord has not signed is rejected before it is read."""

    def __init__(
        self,
        take: Take,
        key: str,
        path: str,
        now: Callable[[], datetime],
        limits: PostLimits | None = None,
    ) -> None:
        super().__init__(path, limits)
        self._take = take
        self._key = VerifyKey(bytes.fromhex(key))
        self._now = now

    async def receive(self, request: web.Request) -> web.Response:
        """See `PostListener`."""
        body = await self.body(request)
        if not self._signed(request.headers, body):
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        raw = _read(body)
        if raw is None:
            return web.Response(status=HTTPStatus.BAD_REQUEST)
        try:
            return await self._respond(raw)
        except Unavailable:  # Discord brings an event again
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)

    async def _respond(self, raw: Raw) -> web.Response:
        is_event = "event" in raw
        if raw["type"] == _PING and not is_event:
            return web.json_response({"type": _PING})
        response = None if raw["type"] == _EVENTS_PING else await self._take(raw)
        if response is not None:
            return web.json_response(response)
        # Without a body; its type is given all the same.
        status = HTTPStatus.NO_CONTENT if is_event or raw["type"] == _EVENTS_PING else HTTPStatus.ACCEPTED
        return web.Response(status=status, content_type="application/json")

    def _signed(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Whether Discord has signed a request, just now."""
        timestamp = headers.get(TIMESTAMP, "")
        try:
            at = datetime.fromtimestamp(int(timestamp), UTC)
            self._key.verify(timestamp.encode() + body, bytes.fromhex(headers.get(SIGNATURE, "")))
        except (ValueError, OverflowError, OSError, BadSignatureError):
            return False
        return abs(self._now() - at) <= FRESH


def _read(body: bytes) -> Raw | None:
    """Return the object in a body; None for any other body."""
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) and isinstance(raw.get("type"), int) else None
