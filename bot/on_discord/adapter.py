"""Discord as one of the platforms that the bot serves."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

import aiohttp
import discord

from bot.i18n import pick
from bot.i18n import words as words_for
from bot.on_discord.client import DiscordClient, reach
from bot.on_discord.courier import DiscordCourier
from bot.on_discord.followups import Followups
from bot.on_discord.places import PLATFORM, place
from bot.on_discord.responses import Responder
from bot.on_discord.slash_commands import SlashCommands
from bot.on_discord.threads import Threads
from bot.platform import CannotConnect, ConnectFailure, Services
from bot.presenter.greeting import greeting
from bot.sender.ports import CourierError
from play.errors import Unavailable

_SHORTEST: Final = 1.0
_LONGEST: Final = 60.0
"""Seconds between tries to connect: twice as long each time."""

_FOR_EVER: Final = frozenset({4004, 4010, 4011, 4012, 4013, 4014})
"""Ways in which the gateway hangs up that trying again does not change: a bad token, bad shards, bad intents."""

_log: Final = logging.getLogger(__name__)


class DiscordAdapter:
    """Serves Discord.

    Attributes:
        name: `platform` of its addresses and accounts.
        client: What listens.
        courier: What carries.
    """

    name = PLATFORM

    def __init__(self, services: Services) -> None:
        self._services = services
        reach(services.settings.discord_api)
        self.client = DiscordClient(services)
        lent = Followups(asyncio.get_running_loop().time)
        threads = Threads(self.client, services.store)
        self.courier = DiscordCourier(self.client, services.pictures, lent, threads)
        answering = Responder(services, self.courier, lent)
        self.client.serve(answering, SlashCommands(services, answering), self._greet)

    async def run(self) -> None:
        """Connect, serve, and close when cancelled.

        Raises:
            CannotConnect: Discord will not have us, and trying again would not help.
        """
        token = self._services.settings.discord_token
        if token is None:
            raise CannotConnect(ConnectFailure.REFUSED, name="Discord", setting="DISCORD_TOKEN")
        pause = _SHORTEST
        async with self.client:
            while True:
                try:
                    if not self.client.logged_in:
                        await self.client.login(token.get_secret_value())
                    await self.client.connect()
                except (discord.LoginFailure, discord.PrivilegedIntentsRequired):
                    raise CannotConnect(
                        ConnectFailure.REFUSED, name="Discord", setting="DISCORD_TOKEN"
                    ) from None
                except discord.ConnectionClosed as closed:
                    if closed.code in _FOR_EVER:
                        raise CannotConnect(
                            ConnectFailure.REFUSED, name="Discord", setting="DISCORD_TOKEN"
                        ) from None
                    _log.warning("the gateway hung up: %s", closed.code)
                except (TimeoutError, discord.DiscordException, aiohttp.ClientError, OSError) as failed:
                    _log.warning("Discord cannot be reached: %s", failed)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST)
                self.client.clear()

    async def _greet(self, guild: discord.Guild) -> None:
        """Say what can be done here, once, where the bot may write."""
        channel = _where(guild)
        if channel is None:
            return
        try:
            if not await self._services.store.note_once(f"{PLATFORM}:greeted:{guild.id}", ""):
                return
            words = words_for(pick(guild.preferred_locale.value, self._services.language))
            await self.courier.post(place(channel.id), greeting(words), ping=(), nonce=f"hello{guild.id}")
        except (Unavailable, CourierError) as failed:
            _log.warning("a server could not be greeted: %s", type(failed).__name__)


def _where(guild: discord.Guild) -> discord.TextChannel | None:
    """Where the bot may write: where the server greets people, else in its first channel of that kind."""
    for channel in (guild.system_channel, *guild.text_channels):
        if channel is not None:
            may = channel.permissions_for(guild.me)
            if may.view_channel and may.send_messages:
                return channel
    return None


def connect(services: Services) -> DiscordAdapter:
    """Discord; connects to nothing yet."""
    return DiscordAdapter(services)
