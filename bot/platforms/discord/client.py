"""The client: receives events, with no intent but guilds and no cache of members or messages."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any, Final, Self, TypeAlias
from urllib.parse import urlsplit

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.chat.callback_data import BadCallbackData, CallbackData, Verb
from bot.chat.page_links import launched, shown_on_page
from bot.chat.quotas import COMMANDS
from bot.features.commands import REGISTRY
from bot.platforms.discord.followups import ErrorTracing
from bot.platforms.discord.integration import DiscordSettings
from bot.platforms.discord.rendering import MOVE, TELL, BaseClient, filled_in, player, text_modal
from bot.platforms.discord.responses import Question, Responder, packed
from bot.platforms.discord.slash_commands import SlashCommands
from bot.platforms.platform import PlatformServices
from play.errors import PlayError

DISCORD: Final = "discord.com"  # the host of the API, unless the operator sets another
REGISTERED_WITHIN: Final = 2.0  # seconds for which the gateway waits for the commands to be registered
NEW_FOR: Final = timedelta(hours=1)  # how long a server counts as new

PRIVATE: Final = ("_parent", "_keep_alive", "_last_recv")
"""Private attributes of the library, of a shard's information, a connection and its heartbeat: nothing else says when a
shard was last heard."""

Raw: TypeAlias = dict[str, Any]  # an interaction or an event, as it came

Greet: TypeAlias = Callable[[int, int], Awaitable[None]]
"""Greets a server by its id and that of its channel for system messages; 0: it has none."""

_log: Final = logging.getLogger(__name__)


class DiscordClient(BaseClient):
    """Receives the events of Discord, and passes them to what `serve` was given."""

    def __init__(self, services: PlatformServices) -> None:
        config, intents = services.config.of(DiscordSettings), discord.Intents.none()
        ids = config.discord_shard_ids
        shards: Any = {"shard_count": config.discord_shard_count, "shard_ids": ids and list(ids)}
        intents.guilds = True  # to greet a new server
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            http_trace=ErrorTracing(),
            **shards,
        )
        self._services = services
        self._registering: asyncio.Task[None] | None = None
        self._responder: Responder
        self._commands: SlashCommands
        self._greet: Greet
        parsers = self._connection.parsers
        for event, parse in parsers.items():
            parsers[event] = _skipping(event, parse)

    def serve(
        self,
        responder: Responder,
        commands: SlashCommands,
        greet: Greet,
        bring: Callable[[Raw], None],
    ) -> None:
        """Set what handles events."""
        self._responder, self._commands, self._greet = responder, commands, greet
        # What is to be stored is an interaction as it came, of which the library keeps only parts.
        self._connection.parsers["INTERACTION_CREATE"] = _skipping("INTERACTION_CREATE", bring)

    def opened(self) -> Self:
        """Return this client, to be used as a context; it may have been closed before."""
        if self.is_closed():
            self.clear()
            self.http.connector = discord.utils.MISSING  # the library keeps the closed one
        return self

    async def setup_hook(self) -> None:
        """Register the commands, after the login; what takes long goes on beside the gateway."""
        config = self._services.config.of(DiscordSettings)
        gateway = config.takes_discord and config.discord_endpoint_url is None
        if gateway and urlsplit(config.discord_api).hostname != DISCORD:
            # After some errors the library connects to a built-in address instead.
            _, url, _ = await self.http.get_bot_gateway()
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url)
        self.logged_in = True
        if not config.takes_discord:
            return
        self._registering = asyncio.create_task(
            self._commands.register(self, self.application_id), name="commands of Discord"
        )
        await asyncio.wait([self._registering], timeout=REGISTERED_WITHIN)

    def silence(self) -> Mapping[str, float]:
        """Return by shard the seconds since the gateway was last heard, acknowledged heartbeats included."""
        now = time.perf_counter()
        silent = {}
        for shard_id, shard in self.shards.items():
            alive = shard._parent.ws._keep_alive  # noqa: SLF001 - see PRIVATE
            silent[str(shard_id)] = (
                math.inf if alive is None or shard.is_closed() else now - alive._last_recv  # noqa: SLF001
            )
        return silent or {"all": math.inf}

    async def close(self) -> None:
        """Close; nothing can be sent any more."""
        self.logged_in = False
        if self._registering:
            self._registering.cancel()
            await asyncio.gather(self._registering, return_exceptions=True)
        await super().close()

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Greet a server that the bot was added to."""
        await self._greet(guild.id, guild.system_channel.id if guild.system_channel else 0)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Greet a server that the bot was added to while it did not run."""
        me = guild.get_member(self.user.id) if self.user else None
        joined = me.joined_at if me else None
        if joined is not None and discord.utils.utcnow() - joined < NEW_FOR:
            await self.on_guild_join(guild)

    def interaction(self, raw: Raw) -> discord.Interaction[DiscordClient]:
        """Return an interaction as the library knows it."""
        data: Any = raw
        state: Any = self._connection
        return discord.Interaction(data=data, state=state)

    async def answered_at_once(self, interaction: discord.Interaction[Any]) -> bool:
        """Answer with completions, a modal or an Activity; return whether one of these was asked for."""
        match interaction.type:
            case discord.InteractionType.autocomplete:
                await self._commands.complete(interaction)
                return True
            case discord.InteractionType.application_command:
                return await self._commands.opened_modal(interaction)
            case discord.InteractionType.component:
                return await self._opened(interaction, packed(interaction.data))
        return False

    def question(self, interaction: discord.Interaction[Any]) -> Question | None:
        """Return what any other interaction asks; None for one of an unknown type."""
        desk = self._services.desk
        match interaction.type:
            case discord.InteractionType.application_command:
                data: Any = interaction.data or {}
                cost = REGISTRY.counts_for(f"/{data.get('name', '')}")
                return Question(partial(self._commands.run, interaction), cost)
            case discord.InteractionType.modal_submit:
                command = filled_in(interaction.data)
                if command is not None:
                    cost = REGISTRY.counts_for(f"/{command.name}")
                    return Question(lambda visitor: desk.run(visitor, command), cost)
            case discord.InteractionType.component:
                with suppress(BadCallbackData):
                    pressed = CallbackData.unpack(packed(interaction.data))
                    cost = REGISTRY.counts_for(pressed)
                    return Question(lambda visitor: desk.press(visitor, pressed), cost, pressed)
            case _:
                return None
        refusal = self._responder.refusal  # of a button or a modal of an unknown form
        return Question(lambda _: refusal(interaction, "bot.discord.old"), COMMANDS)

    async def _opened(self, interaction: discord.Interaction[Any], packed: str) -> bool:
        if packed.startswith(MOVE) or (packed.startswith(TELL) and not packed.endswith(":")):
            await interaction.response.send_modal(
                text_modal(packed, await self._responder.words(interaction))
            )
            return True
        try:
            callback = CallbackData.unpack(packed)
        except BadCallbackData:
            return False
        opens = callback.verb is Verb.PAGE and self._responder.activity and callback.code is not None
        return bool(opens) and await self._launch(interaction, callback)

    async def _launch(self, interaction: discord.Interaction[Any], pressed: CallbackData) -> bool:
        """Open the page as an Activity, for a match that is noted, as Discord carries none; False: the desk says why not."""
        store, code = self._services.store, pressed.code or ""
        try:
            if not await self._responder.admits(interaction.user.id, REGISTRY.counts_for(pressed)):
                return True
            if not await shown_on_page(store.settings, await self._services.table.get(code)):
                return False
            await launched(store.notes, player(interaction.user).account, code)
            await interaction.response.launch_activity()
        except PlayError:
            return False
        except (discord.HTTPException, OSError) as failed:
            _log.warning("an Activity could not be opened: %s", failed)
            return interaction.response.is_done()
        return True


def _skipping(event: str, parse: Callable[[Any], object]) -> Callable[[Any], None]:
    """Skip an event that the library cannot parse: it would end the connection, and Discord may send it again."""

    def parsed(data: Any) -> None:
        try:
            parse(data)
        except Exception:  # noqa: BLE001 - the last barrier: whatever the library raises ends the connection
            _log.exception("an event %s of Discord cannot be read and is skipped; update Klop", event)

    return parsed


def set_up(api: str) -> None:
    """Have the library use the API at this URL, without warnings that what voice needs is missing: the bot uses none."""
    Route.BASE = api
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
