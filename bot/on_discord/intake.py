"""The way in of interactions: into the inbox, acknowledged, and handled by the process that reads them there.

An interaction that changes nothing (completions, a modal or an Activity that opens) is answered at once by the process that
received it. Any other is in the inbox before it is acknowledged, so any process may be killed at any moment.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final

import aiohttp
import discord

from bot.metrics import ACKNOWLEDGE
from bot.on_discord.client import DiscordClient
from bot.on_discord.endpoint import ADDED, Raw, Response
from bot.on_discord.places import PLATFORM
from bot.on_discord.responses import Responder, acknowledge, acknowledgement
from bot.platform import Services
from bot.receiver import Receiver, Rest
from play.errors import Unavailable
from storage.inbox import Update

ACCEPTED_WITHIN: Final = 2.0
"""Seconds in which an interaction is stored; then it is handled at once, while Discord still takes an answer."""

ACKNOWLEDGED_WITHIN: Final = 3.0  # seconds after which Discord shows an interaction as failed

MOST_OPEN: Final = 64
"""Interactions of one person that wait for their turn; more are refused."""

TAKING: Final = "interaction of Discord"  # the name of a task that takes one, or handles it at once

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
        self._taking: set[asyncio.Task[None]] = set()  # tasks that take or handle interactions
        self._storing: Counter[str] = Counter()  # by person
        self._acknowledging: dict[str, asyncio.Future[bool]] = {}  # by update: whether Discord took it

    async def take(self, raw: Raw) -> Response | None:
        """See `endpoint.Take`."""
        try:
            added = _added(raw["event"]) if "event" in raw else None
            interaction = None if "event" in raw else self._client.interaction(raw)
            update = None if interaction is None else _stored(interaction, raw)
        except Exception:  # noqa: BLE001 - as with the gateway: it cannot be read today, and not if it comes again
            _log.exception("an event of Discord cannot be read and is skipped; update Klop")
            return None
        if interaction is not None and update is not None and await self._asks(interaction):
            try:
                with ACKNOWLEDGE.timed(PLATFORM):
                    await self._accept(update)
            except Unavailable:
                self._begin(self._handle_now(interaction))
            return acknowledgement(interaction)
        if added is not None:
            await self.receiver.accept([added])
        return None

    def bring(self, raw: Raw) -> None:
        """Take an interaction that the gateway brings."""
        self._begin(self._take(self._client.interaction(raw), raw))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name=TAKING)
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)

    async def _take(self, interaction: discord.Interaction[DiscordClient], raw: Raw) -> None:
        """Store and acknowledge an interaction of the gateway, unless it is answered at once."""
        if not await self._asks(interaction):
            return
        update, acknowledged = _stored(interaction, raw), False
        acknowledging = self._acknowledging[update.id] = asyncio.get_running_loop().create_future()
        try:
            try:
                with ACKNOWLEDGE.timed(PLATFORM):
                    await self._accept(update)
                    await acknowledge(interaction)
                acknowledged = True
            except Unavailable:
                acknowledging.set_result(False)
                await acknowledge(interaction)
                await self._handle_now(interaction)
        except discord.NotFound as late:
            _log.warning("an interaction was acknowledged too late: %s", late)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as failed:  # or only the reply is lost
            _log.warning("an interaction could not be acknowledged: %s", failed)
            acknowledged = True
        finally:
            if not acknowledging.done():
                acknowledging.set_result(acknowledged)
            self._acknowledging.pop(update.id, None)

    async def _handle_now(self, interaction: discord.Interaction[DiscordClient]) -> None:
        """Decide an interaction that the store does not take: what only reads is answered, all else is refused in words."""
        question = self._client.question(interaction)
        if question and (rest := await self._responder.decide(interaction, question, last=True)):
            await rest

    async def finish(self) -> None:
        """Return once all that was taken is stored, and what was begun is answered; the rest waits in the inbox."""
        await asyncio.gather(*self._taking, return_exceptions=True)
        await self.receiver.finish()

    async def _asks(self, interaction: discord.Interaction[DiscordClient]) -> bool:
        """Whether an interaction is to be handled: it is not answered at once, and its author sends not too many."""
        try:
            if await self._client.answered_at_once(interaction):
                return False
        except (discord.HTTPException, OSError) as failed:
            _log.warning("an interaction could not be answered: %s", failed)
            return False
        who = str(interaction.user.id)
        waiting = self._storing[who] + self.receiver.waiting(who)
        if self._client.question(interaction) is None:
            return False  # Discord shows it as failed
        if waiting >= MOST_OPEN:
            _log.info("too many interactions of %s wait", who)
        elif not self._responder.dropped(interaction, waiting):
            return True
        await self._responder.refuse(interaction)
        return False

    async def _accept(self, update: Update) -> None:
        self._storing[update.person] += 1
        try:
            async with asyncio.timeout(ACCEPTED_WITHIN):
                await self.receiver.accept([update])
        except TimeoutError:
            raise Unavailable from None
        finally:
            self._storing -= Counter([update.person])  # which keeps no count of nothing

    async def _handle(self, update: Update, last: bool) -> Rest:
        """Decide an interaction, or greet a server. See `bot.receiver.receiver.Handle`.

        Discord shows a person what was not acknowledged in time as failed, and they do it again: so it is not done.
        """
        raw = json.loads(update.body)
        if "token" not in raw:
            await self._greet(raw)
            return None
        if (acknowledging := self._acknowledging.get(update.id)) is not None:
            await asyncio.wait([acknowledging], timeout=ACKNOWLEDGED_WITHIN)
            if acknowledging.done() and not acknowledging.result():
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
