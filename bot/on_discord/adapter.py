"""Connect to Discord's gateway, or receive interactions over HTTP."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping
from contextlib import closing
from typing import Final
from urllib.parse import urlsplit

import aiohttp
import discord

from bot.on_discord.client import DiscordClient, set_up
from bot.on_discord.courier import DiscordCourier
from bot.on_discord.endpoint import Endpoint
from bot.on_discord.followups import Followups
from bot.on_discord.greetings import Greetings
from bot.on_discord.intake import Intake
from bot.on_discord.places import PLATFORM
from bot.on_discord.responses import Responder
from bot.on_discord.slash_commands import SlashCommands
from bot.on_discord.threads import Threads
from bot.platform import CannotConnect, Services, WrongKey
from bot.sender.backoff import delay

_FATAL: Final = frozenset({4004, 4010, 4011, 4012, 4013, 4014})
"""Close codes of the gateway that a new connection does not change: bad token, bad shards, bad intents."""

_LISTENING: Final = "listening to Discord"

_log: Final = logging.getLogger(__name__)


class DiscordAdapter:
    """Discord as a platform; connects when it runs."""

    name = PLATFORM

    def __init__(self, services: Services) -> None:
        self._services = services
        set_up(services.config.discord_api)
        self.client = DiscordClient(services)
        over_http = services.config.discord_endpoint_url is not None
        if over_http:
            logging.getLogger(discord.client.__name__).addFilter(_unexpected)
        followups = Followups(services.store.notes)
        self._threads = Threads(self.client, services)
        self.courier = DiscordCourier(
            self.client,
            services.pictures,
            followups,
            self._threads,
            told=services.config.takes_discord,
        )
        self._responder = responder = Responder(services, self.courier, followups)
        greetings = Greetings(services, self.client, self.courier)
        self._intake = Intake(services, self.client, responder, greetings.added)
        commands = SlashCommands(services, responder, self.courier)
        self.client.serve(responder, commands, greetings.joined, self._intake.bring)
        self._over_http = over_http
        self._listening = asyncio.Event()  # the endpoint
        self._endpoint: asyncio.Task[None] | None = None

    def silence(self) -> Mapping[str, float]:
        """See `Platform.silence`: of each shard."""
        if not self._services.config.takes_discord:
            return {"login": 0.0 if self.client.logged_in else math.inf}
        if self._over_http:
            return {"endpoint": 0.0 if self._listening.is_set() else math.inf}
        return self.client.silence()

    async def run(self) -> None:
        """See `Platform.run`."""
        token = self._services.config.discord_token
        if token is None:
            raise _rejected()
        tries = 0
        with closing(self._responder):
            while True:
                try:
                    async with self.client.opened():
                        await self.client.login(token.get_secret_value())
                        await self._serve()
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
        if self._endpoint is not None:
            self._endpoint.cancel()
            await asyncio.gather(self._endpoint, return_exceptions=True)
        await asyncio.gather(*(shard.disconnect() for shard in self.client.shards.values()))
        await self._intake.finish()

    async def _serve(self) -> None:
        """Take and handle interactions, and keep threads open, as far as this process is to, until one of that fails."""
        config = self._services.config
        parts = {"threads of Discord": self._threads.run(self.courier)} if config.does("sender") else {}
        if config.takes_discord:
            parts["requests on Discord"] = self._intake.receiver.run()
            parts[_LISTENING] = self._listen() if self._over_http else self.client.connect()
        tasks = {name: asyncio.create_task(part, name=name) for name, part in parts.items()}
        self._endpoint = tasks.get(_LISTENING) if self._over_http else None
        try:
            left = set(tasks.values())
            while left:
                done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if not task.cancelled():  # as `finish` does with the endpoint
                        return task.result()
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _listen(self) -> None:
        """Receive interactions over HTTP until cancelled."""
        config, key = self._services.config, self._services.config.discord_public_key or ""
        application = self.client.application
        if application is not None and application.verify_key.lower() != key.lower():
            raise WrongKey("Discord", "KLOP_DISCORD_PUBLIC_KEY")
        path = urlsplit(config.discord_endpoint_url or "").path
        endpoint = Endpoint(self._intake.take, key, path, self._services.now)
        try:
            await endpoint.serve(config.discord_endpoint_address, self._listening.set)
        finally:
            self._listening.clear()


def _unexpected(record: logging.LogRecord) -> bool:
    """Whether a record is not the library's warning that interactions come to an endpoint in place of the gateway."""
    return "interaction endpoint URL" not in str(record.msg)


def _rejected() -> CannotConnect:
    return CannotConnect("Discord", "DISCORD_TOKEN")
