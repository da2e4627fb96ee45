"""What Discord shows of the application: its description, tags, and how it is installed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Any, Final

import discord
from aiohttp import ClientError, ClientResponse, ClientSession
from discord.http import Route

from bot.chat.i18n import words as words_for
from bot.config import Config
from bot.platforms.discord.adapter import ADDED
from bot.platforms.discord.client import set_up
from bot.platforms.discord.integration import DiscordSettings
from bot.platforms.discord.registration import COMMANDS, PERMISSIONS
from bot.platforms.integration import (
    BotProfile,
    Finding,
    Operations,
    RejectedToken,
    Severity,
    answer_to,
    either,
    found,
)
from bot.platforms.platform import CannotConnect, CannotPublish
from storage import RedisStore

LIMIT: Final = 400  # characters of a description
TAGS: Final = ("games", "strategy", "board games", "turn-based", "puzzles")
"""At most five, of at most 20 characters; Discord has them in one language."""

_EVENTS_DISABLED: Final = 1
_EVENTS_ENABLED: Final = 2
_SCOPES: Final = ["applications.commands", "bot"]


class DiscordOperations(Operations):
    """See `Operations`."""

    how = "bot.setup.how-discord"
    by_hand = "bot.publish.by-hand.discord"

    async def profile(self, session: ClientSession, config: Config, token: str) -> BotProfile:
        said = await answer_to(_application(session, config, token))
        scopes = "bot%20applications.commands"
        link = f"https://discord.com/oauth2/authorize?client_id={said['id']}&scope={scopes}"
        return BotProfile(str(said["name"]), f"{link}&permissions={PERMISSIONS}")

    async def publish(self, config: Config) -> Sequence[str]:
        """See `Operations.publish`. It is set in the operator's language: Discord has one text for all."""
        settings = config.of(DiscordSettings)
        token = settings.discord_token
        assert token is not None, "it is configured"  # noqa: S101
        set_up(settings.discord_api)
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
                if moved := _endpoint(brought, settings.discord_endpoint_url):
                    # The library leaves these settings out. Discord tries the URL before it takes it.
                    await client.http.request(Route("PATCH", "/applications/@me"), json=moved)
                return [*wanted, *(["endpoint"] if moved else [])]
        except discord.LoginFailure:
            raise CannotConnect("Discord", "DISCORD_TOKEN") from None
        except (discord.DiscordException, ClientError, TimeoutError, OSError) as refused:
            raise CannotPublish("Discord", str(refused)) from None

    async def connection_findings(self, session: ClientSession, config: Config) -> Sequence[Finding]:
        """See `Operations.connection_findings`: about the endpoint for interactions, if there is one."""
        settings = config.of(DiscordSettings)
        url, token = settings.discord_endpoint_url, settings.discord_token
        if url is None or token is None:
            return ()
        try:
            async with session.post(url, json={"type": 1}) as answer:  # not signed: it is to be rejected
                status = str(answer.status)
        except (ClientError, TimeoutError, OSError) as error:
            status = type(error).__name__
        fine = status == str(HTTPStatus.UNAUTHORIZED.value)
        answers = either(fine, "bot.doctor.endpoint", "bot.doctor.no-endpoint", url=url, status=status)
        try:
            known = await answer_to(_application(session, config, token.get_secret_value()))
        except (RejectedToken, ClientError, TimeoutError, OSError, ValueError):
            return answers, found(Severity.NOTE, "bot.doctor.unasked")
        is_set = known.get("interactions_endpoint_url") == url
        brought = either(is_set, "bot.doctor.brought", "bot.doctor.not-brought", url=url)
        if known.get("event_webhooks_url") == url and known.get("event_webhooks_status") == _EVENTS_ENABLED:
            return answers, brought
        return answers, brought, found(Severity.NOTE, "bot.doctor.no-events", url=url)

    async def store_findings(self, store: RedisStore) -> Sequence[Finding]:
        """See `Operations.store_findings`: the bot notes the ids of its commands once it has registered them."""
        (noted,) = await store.notes.read(COMMANDS)
        _, _, ids = (noted or "").partition(" ")
        if not ids:
            return (found(Severity.NOTE, "bot.doctor.no-commands"),)
        return (found(Severity.GOOD, "bot.doctor.commands", registered=len(json.loads(ids))),)


def _application(
    session: ClientSession, config: Config, token: str
) -> AbstractAsyncContextManager[ClientResponse]:
    api = config.of(DiscordSettings).discord_api.rstrip("/")
    return session.get(f"{api}/oauth2/applications/@me", headers={"Authorization": f"Bot {token}"})


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
