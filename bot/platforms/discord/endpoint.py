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

from bot.chat import metrics
from bot.platforms.discord.rendering import PLATFORM
from bot.platforms.listening import PostLimits, PostListener
from play.errors import Unavailable

FRESH: Final = timedelta(minutes=5)
"""How old, or how far ahead of our clock, a request may be: Discord gives an interaction up after three seconds."""

SIGNATURE: Final = "X-Signature-Ed25519"
TIMESTAMP: Final = "X-Signature-Timestamp"

ADDED: Final = "APPLICATION_AUTHORIZED"
"""The one webhook event that the bot uses: it was added to a server, or to an account."""

LIMITS: Final = PostLimits(largest=1 << 18, small=1 << 16, body_within=3.0)
"""Bounds of what strangers can have the bot read.

A press or command has 2 to 20 kB. The most that this bot's can have is some 200 kB: 6000 characters in the embeds of the pressed
message and 100 in each entry of its five menus, at the 6 bytes of an escaped letter, beside a modal's 4000 emoji at 12, or ten
members with 250 roles each. After three seconds Discord waits no longer.
"""

_SIGNATURE_BYTES: Final = 64
_PING: Final = 1  # an interaction's type
_EVENTS_PING: Final = 0  # a webhook's type

Raw: TypeAlias = dict[str, Any]

Response: TypeAlias = Mapping[str, Any]  # an interaction's response: its type and data

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
        limits: PostLimits = LIMITS,
    ) -> None:
        super().__init__(path, limits)
        self._take = take
        self._key = VerifyKey(bytes.fromhex(key))
        self._now = now

    async def receive(self, request: web.Request) -> web.Response:
        """See `PostListener`."""
        signature = self._claimed(request.headers)
        if signature is None:  # a stranger's body is not read
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        body = await self.body(request)
        try:
            self._key.verify(request.headers[TIMESTAMP].encode() + body, signature)
        except BadSignatureError:
            return web.Response(status=HTTPStatus.UNAUTHORIZED)
        raw = _read(body)
        if raw is None:
            metrics.UNREADABLE.add(PLATFORM)
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

    def _claimed(self, headers: Mapping[str, str]) -> bytes | None:
        try:
            at = datetime.fromtimestamp(int(headers.get(TIMESTAMP, "")), UTC)
            signature = bytes.fromhex(headers.get(SIGNATURE, ""))
        except (ValueError, OverflowError, OSError):
            return None
        return signature if len(signature) == _SIGNATURE_BYTES and abs(self._now() - at) <= FRESH else None


def _read(body: bytes) -> Raw | None:
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) and isinstance(raw.get("type"), int) else None
