"""The client: no intents but the servers' own, no cache of people or messages; what people do is brought to the desk."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.callback_data import BadCallbackData
from bot.on_discord import widgets
from bot.on_discord.base_client import BaseClient
from bot.on_discord.components import callback_of
from bot.on_discord.errors import ErrorTracing
from bot.on_discord.modals import MOVE, TextModal, filled_in

if TYPE_CHECKING:
    from bot.config import Config
    from bot.on_discord.responses import Responder
    from bot.on_discord.slash_commands import SlashCommands
    from bot.platform import Services
    from bot.view import Message

DISCORD: Final = "discord.com"
"""Where the API is, unless the operator says otherwise."""

NEW_FOR: Final = timedelta(hours=1)
"""How long a server counts as new."""

_log: Final = logging.getLogger(__name__)


class DiscordClient(BaseClient):
    """Listens to Discord. What it does with what it hears is set once it is made: `serve`."""

    def __init__(self, services: Services) -> None:
        intents = discord.Intents.none()
        intents.guilds = True  # to be told of a new server, and greet it
        # Nobody speaks here: what that would need is not missed.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            http_trace=ErrorTracing(),
            **_shards(services.settings),
        )
        self._services = services
        self._responder: Responder
        self._commands: SlashCommands
        self._greet: Callable[[discord.Guild], Awaitable[None]]
        self.add_dynamic_items(*widgets.ITEMS)

    def serve(
        self,
        answering: Responder,
        commanding: SlashCommands,
        greet: Callable[[discord.Guild], Awaitable[None]],
    ) -> None:
        """Say what is to be done with what is heard."""
        self._responder, self._commands, self._greet = answering, commanding, greet

    async def setup_hook(self) -> None:
        """Logged in, and not connected yet."""
        if urlsplit(self._services.settings.discord_api).hostname != DISCORD:
            # The library would connect again to an address of its own after some troubles, wherever the API is.
            _, url, _ = await self.http.get_bot_gateway()
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url)
        self.logged_in = True
        await self._commands.register(self)

    async def close(self) -> None:
        """Nothing can be sent any more."""
        self.logged_in = False
        await super().close()

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was added to a server."""
        await self._greet(guild)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server that the bot is in; it may have been added a moment ago, while it was not running."""
        me = guild.get_member(self.user.id) if self.user else None
        joined = me.joined_at if me else None
        if joined is not None and discord.utils.utcnow() - joined < NEW_FOR:
            await self._greet(guild)

    async def on_interaction(self, interaction: discord.Interaction[DiscordClient]) -> None:
        """Somebody did something, other than to press what the library brings to its item by itself."""
        match interaction.type:
            case discord.InteractionType.application_command:
                await self._commands.run(interaction)
            case discord.InteractionType.autocomplete:
                await self._commands.complete(interaction)
            case discord.InteractionType.modal_submit:
                command = filled_in(interaction.data)
                if command is None:
                    await self._old(interaction)
                else:
                    said = self._services.desk.run(self._responder.visitor(interaction), command)
                    await self._responder.answer(interaction, said)
            case discord.InteractionType.component if not widgets.ours(interaction):
                await self.pressed(interaction, _packed(interaction.data))

    async def pressed(self, interaction: discord.Interaction[Any], packed: str) -> None:
        """See `Connected`."""
        if packed.startswith(MOVE):
            await interaction.response.send_modal(TextModal(packed, await self._responder.words(interaction)))
            return
        try:
            callback = callback_of(packed)
        except BadCallbackData:
            await self._old(interaction)
            return
        await self._responder.answer(
            interaction, self._services.desk.press(self._responder.visitor(interaction), callback)
        )

    async def _old(self, interaction: discord.Interaction[DiscordClient]) -> None:
        """A button or a modal that is not known any more: say so, and what to do."""

        async def said() -> Sequence[Message]:
            return await self._commands.old(interaction)

        await self._responder.answer(interaction, said())


def _packed(data: Any) -> str:
    values = data.get("values") or ()
    return str(values[0] if values else data.get("custom_id", ""))


def _shards(settings: Config) -> dict[str, Any]:
    """Which shards this process serves; without any said, all that there are."""
    chosen: dict[str, Any] = {}
    if settings.discord_shard_count is not None:
        chosen["shard_count"] = settings.discord_shard_count
    if settings.discord_shard_ids is not None:
        chosen["shard_ids"] = list(settings.discord_shard_ids)
    return chosen


def reach(api: str) -> None:
    """Have the library speak to the API at this address."""
    Route.BASE = api
