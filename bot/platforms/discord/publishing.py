"""What Discord shows of the application: its description, tags, and how it is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from aiohttp import ClientError
from discord.http import Route

from bot.chat.i18n import words as words_for
from bot.config import Config
from bot.platforms.discord.client import set_up
from bot.platforms.discord.endpoint import ADDED
from bot.platforms.discord.registration import PERMISSIONS
from bot.platforms.platform import CannotConnect, CannotPublish

BY_HAND: Final = "bot.publish.by-hand.discord"
"""The key of what Discord lets people alone set."""

LIMIT: Final = 400  # characters of a description
TAGS: Final = ("games", "strategy", "board games", "turn-based", "puzzles")
"""At most five, of at most 20 characters; Discord has them in one language."""

_EVENTS_DISABLED: Final = 1
_EVENTS_ENABLED: Final = 2
_SCOPES: Final = ["applications.commands", "bot"]


async def publish(config: Config) -> Sequence[str]:
    """Set what differs, in the operator's language: Discord has one text for all; return what was set.

    Raises:
        CannotConnect: Discord rejects the token.
        CannotPublish: it does not answer, or refuses a text.
    """
    token = config.discord_token
    assert token is not None, "it is configured"  # noqa: S101
    set_up(config.discord_api)
    client = discord.Client(intents=discord.Intents(guilds=True))  # without any the library warns
    try:
        async with client:
            await client.login(token.get_secret_value())
            info = await client.application_info()
            wanted = _differing(info, words_for(config.language)("bot.publish.discord"))
            if wanted:
                await info.edit(
                    **{name: value for fields in wanted.values() for name, value in fields.items()}
                )
            brought: Any = await client.http.application_info()
            if moved := _endpoint(brought, config.discord_endpoint_url):
                # The library leaves these settings out. Discord tries the URL before it takes it.
                await client.http.request(Route("PATCH", "/applications/@me"), json=moved)
            return [*wanted, *(["endpoint"] if moved else [])]
    except discord.LoginFailure:
        raise CannotConnect("Discord", "DISCORD_TOKEN") from None
    except (discord.DiscordException, ClientError, TimeoutError, OSError) as refused:
        raise CannotPublish("Discord", str(refused)) from None


def _endpoint(brought: Mapping[str, Any], url: str | None) -> Mapping[str, Any]:
    """Events that come to another URL than the interactions do are not the bot's."""
    kinds = brought.get("event_webhooks_types") or []
    if url is None:
        before = brought.get("interactions_endpoint_url")
        if not before:
            return {}
        events = {"event_webhooks_url": None, "event_webhooks_status": _EVENTS_DISABLED}
        return {
            "interactions_endpoint_url": None,
            **(events if brought.get("event_webhooks_url") == before else {}),
        }
    wanted = {
        "interactions_endpoint_url": url,
        "event_webhooks_url": url,
        "event_webhooks_status": _EVENTS_ENABLED,
        "event_webhooks_types": sorted({*kinds, ADDED}),
    }
    return {} if all(brought.get(name) == value for name, value in wanted.items()) else wanted


def _differing(info: discord.AppInfo, description: str) -> dict[str, dict[str, Any]]:
    server, person = (
        each.oauth2_install_params if each is not None else None
        for each in (info.guild_integration_config, info.user_integration_config)
    )
    installed = (
        server is not None
        and sorted(server.scopes) == _SCOPES
        and server.permissions.value == PERMISSIONS
        and person is not None
        and person.scopes == _SCOPES[:1]
    )
    found: dict[str, dict[str, Any]] = {}
    if info.description != description:
        found["description"] = {"description": description}
    if sorted(info.tags) != sorted(TAGS):
        found["tags"] = {"tags": list(TAGS)}
    if not installed:
        found["installation"] = {
            "guild_install_scopes": _SCOPES,
            "guild_install_permissions": discord.Permissions(PERMISSIONS),
            "user_install_scopes": _SCOPES[:1],
        }
    return found
