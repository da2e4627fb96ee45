"""The way in of interactions over HTTP: into the inbox, acknowledged, and handled by the process that reads them there.

An interaction that changes nothing (completions, a modal or an Activity that opens) is answered at once by the process that
received it. Any other is in the inbox before it is acknowledged, so any process may be killed at any moment.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import discord

from bot.metrics import ACKNOWLEDGE
from bot.on_discord.client import DiscordClient
from bot.on_discord.endpoint import ADDED, Raw, Response
from bot.on_discord.places import PLATFORM
from bot.on_discord.responses import Responder, acknowledgement, private_response
from bot.platform import Services
from bot.receiver import Receiver, Rest
from play.errors import Unavailable
from storage.inbox import Update

_log: Final = logging.getLogger(__name__)


class Intake:
    """Takes interactions and webhook events, and has them handled.

    Attributes:
        receiver: Handles what is in the inbox.
    """

    def __init__(
        self,
        services: Services,
        client: DiscordClient,
        responder: Responder,
        greet: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        self._client = client
        self._responder = responder
        self._greet = greet
        self.receiver = Receiver(
            services.store.inbox(PLATFORM), self._handle, passing=(discord.HTTPException,)
        )

    async def take(self, raw: Raw) -> Response | None:
        """See `endpoint.Take`."""
        try:
            added = _added(raw["event"]) if "event" in raw else None
            interaction = None if "event" in raw else self._client.interaction(raw)
            update = None if interaction is None else _stored(interaction, raw)
        except Exception:  # noqa: BLE001 - as with the gateway: it cannot be read today, and not if it comes again
            _log.exception("an event of Discord cannot be read and is skipped; update Klop")
            return None
        if interaction is not None and update is not None:
            return await self._take(interaction, update)
        if added is not None:
            await self.receiver.accept([added])
        return None

    async def _take(self, interaction: discord.Interaction[DiscordClient], update: Update) -> Response | None:
        """Return the response to an interaction; None where there is none, or it is sent already."""
        try:
            if await self._client.answered_at_once(interaction):
                return None
        except (discord.HTTPException, OSError) as failed:
            _log.warning("an interaction could not be answered: %s", failed)
            return None
        if self._client.question(interaction) is None or self._responder.dropped(interaction):
            return None  # Discord shows it as failed
        try:
            with ACKNOWLEDGE.timed(PLATFORM):
                await self.receiver.accept([update])
        except Unavailable as away:
            return private_response((await self._responder.words(interaction))(away.reason))
        return acknowledgement(interaction)

    async def _handle(self, update: Update, last: bool) -> Rest:
        """Decide an interaction, or greet a server. See `bot.receiver.receiver.Handle`."""
        raw = json.loads(update.body)
        if "token" not in raw:
            await self._greet(raw)
            return None
        interaction = self._client.interaction(raw)
        question = self._client.question(interaction)
        return await self._responder.decide(interaction, question, last=last) if question else None


def _added(event: Mapping[str, Any]) -> Update | None:
    """Return for the inbox that the bot was added to a server; None for any other event."""
    guild = (event.get("data") or {}).get("guild")
    if event["type"] != ADDED or guild is None:
        return None
    body = json.dumps({name: guild.get(name) for name in ("id", "system_channel_id")}).encode()
    return Update(f"added:{guild['id']}:{event['timestamp']}", str(guild["id"]), "", body)


def _stored(interaction: discord.Interaction[Any], raw: Raw) -> Update:
    """Return an interaction for the inbox, without what is not read: with every press comes the whole message."""
    message = raw.get("message")
    if message is not None:
        raw = {**raw, "message": {**message, "content": "", "embeds": [], "components": []}}
    person, body = str(interaction.user.id), json.dumps(raw).encode()
    return Update(str(interaction.id), str(interaction.channel_id), person, body)
