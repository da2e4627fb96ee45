"""Connect to Discord, and greet new servers."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping
from contextlib import aclosing
from typing import Final

import aiohttp
import discord

from bot.i18n import pick
from bot.i18n import words as words_for
from bot.on_discord.client import DiscordClient, set_api
from bot.on_discord.courier import DiscordCourier
from bot.on_discord.followups import Followups
from bot.on_discord.places import PLATFORM, place
from bot.on_discord.responses import Responder
from bot.on_discord.slash_commands import SlashCommands
from bot.on_discord.threads import Threads
from bot.platform import CannotConnect, Services
from bot.presenter.greeting import greeting
from bot.sender.backoff import delay
from bot.sender.ports import CourierError
from play.errors import Unavailable

_FATAL: Final = frozenset({4004, 4010, 4011, 4012, 4013, 4014})
"""Close codes of the gateway that a new connection does not change: bad token, bad shards, bad intents."""

_log: Final = logging.getLogger(__name__)


class DiscordAdapter:
    """Discord as a platform; connects when it runs."""

    name = PLATFORM

    def __init__(self, services: Services) -> None:
        self._services = services
        set_api(services.config.discord_api)
        self.client = DiscordClient(services)
        followups = Followups(services.store.notes)
        threads = Threads(self.client, services.store)
        self.courier = DiscordCourier(
            self.client,
            services.pictures,
            followups,
            threads,
            told=services.config.takes_discord,
        )
        self._responder = Responder(services, self.courier, followups)
        self.client.serve(self._responder, SlashCommands(services, self._responder), self._greet)

    def silence(self) -> Mapping[str, float]:
        """See `Platform.silence`: of each shard."""
        if not self._services.config.takes_discord:
            return {"login": 0.0 if self.client.logged_in else math.inf}
        return self.client.silence()

    async def run(self) -> None:
        """See `Platform.run`."""
        token = self._services.config.discord_token
        if token is None:
            raise _rejected()
        tries = 0
        async with aclosing(self._responder):
            while True:
                try:
                    async with self.client.opened():
                        await self.client.login(token.get_secret_value())
                        if not self._services.config.takes_discord:
                            await asyncio.Event().wait()
                        await self.client.connect()
                except (discord.LoginFailure, discord.PrivilegedIntentsRequired):
                    raise _rejected() from None
                except discord.ConnectionClosed as closed:
                    if closed.code in _FATAL:
                        raise _rejected() from None
                    _log.warning("the gateway hung up: %s", closed.code)
                except (TimeoutError, discord.DiscordException, aiohttp.ClientError, OSError) as failed:
                    _log.warning("Discord cannot be reached: %s", failed)
                tries += 1
                await asyncio.sleep(delay(tries))

    async def finish(self) -> None:
        """See `Platform.finish`."""
        await asyncio.gather(*(shard.disconnect() for shard in self.client.shards.values()))
        await self._responder.settled()

    async def _greet(self, guild: discord.Guild) -> None:
        """Greet a server once, in a channel where the bot may write."""
        channel = _where(guild)
        if channel is None:
            return
        try:
            if not await self._services.store.notes.write_once(f"{PLATFORM}:greeted:{guild.id}", ""):
                return
            words = words_for(pick(guild.preferred_locale.value, self._services.language))
            await self.courier.post(place(channel.id), greeting(words), ping=(), nonce=f"hello{guild.id}")
        except (Unavailable, CourierError) as failed:
            _log.warning("a server could not be greeted: %s", type(failed).__name__)


def _where(guild: discord.Guild) -> discord.TextChannel | None:
    """Return a channel where the bot may write: the system channel, else the first that it may."""
    for channel in (guild.system_channel, *guild.text_channels):
        if channel is not None:
            may = channel.permissions_for(guild.me)
            if may.view_channel and may.send_messages:
                return channel
    return None


def _rejected() -> CannotConnect:
    return CannotConnect("Discord", "DISCORD_TOKEN")
