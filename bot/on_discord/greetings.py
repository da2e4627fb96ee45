"""The greeting of a server that the bot was added to."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any, Final

import discord

from bot.i18n import pick
from bot.i18n import words as words_for
from bot.on_discord.courier import DiscordCourier
from bot.on_discord.places import PLATFORM, place
from bot.on_discord.widgets import BaseClient
from bot.platform import Services
from bot.presenter.greeting import greeting
from bot.sender.ports import CourierError
from play.errors import Unavailable

_log: Final = logging.getLogger(__name__)


class Greetings:
    """Greets each server once, in a channel where the bot may write."""

    def __init__(self, services: Services, client: BaseClient, courier: DiscordCourier) -> None:
        self._services = services
        self._client = client
        self._courier = courier

    async def joined(self, guild: discord.Guild) -> None:
        """Greet a server that the gateway has described."""
        await self._greet(guild, guild.me, (guild.system_channel, *guild.text_channels))

    async def added(self, named: Mapping[str, Any]) -> None:
        """Greet a server that a webhook event names: its roles and channels are asked for."""
        own = self._client.user
        if own is None:
            return
        try:
            guild = await self._client.fetch_guild(int(named["id"]), with_counts=False)
            me = await guild.fetch_member(own.id)
            there = await guild.fetch_channels()
        except (discord.HTTPException, OSError) as failed:
            _log.warning("a server could not be greeted: %s", failed)
            return
        channels = [each for each in there if isinstance(each, discord.TextChannel)]
        system = str(named.get("system_channel_id"))
        channels.sort(key=lambda each: (str(each.id) != system, each.position))
        await self._greet(guild, me, channels)

    async def _greet(
        self, guild: discord.Guild, me: discord.Member, channels: Iterable[discord.TextChannel | None]
    ) -> None:
        channel = _where(me, channels)
        if channel is None:
            return
        try:
            if not await self._services.store.notes.write_once(f"{PLATFORM}:greeted:{guild.id}", ""):
                return
            words = words_for(pick(guild.preferred_locale.value, self._services.language))
            await self._courier.post(place(channel.id), greeting(words), ping=(), nonce=f"hello{guild.id}")
        except (Unavailable, CourierError) as failed:
            _log.warning("a server could not be greeted: %s", type(failed).__name__)


def _where(me: discord.Member, channels: Iterable[discord.TextChannel | None]) -> discord.TextChannel | None:
    """Return the first channel where the bot may write."""
    for channel in channels:
        if channel is not None:
            may = channel.permissions_for(me)
            if may.view_channel and may.send_messages:
                return channel
    return None
