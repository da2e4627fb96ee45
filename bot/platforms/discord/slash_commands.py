"""Slash commands: register them when they have changed, run them, complete their arguments."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import discord

from bot.chat.arguments import ArgumentType
from bot.chat.errors import CommandError
from bot.chat.grammar import Command
from bot.chat.i18n import words as words_for
from bot.chat.periodic import delay
from bot.chat.quotas import COMPLETIONS
from bot.chat.view import Message
from bot.chat.visitor import Visitor
from bot.features.commands import REGISTRY
from bot.platforms.discord.courier import DiscordCourier
from bot.platforms.discord.followups import match_here
from bot.platforms.discord.integration import DiscordSettings
from bot.platforms.discord.proofs import APPLICATION
from bot.platforms.discord.registration import (
    COMMANDS,
    MENU,
    entry_point,
    entry_points,
    fingerprint,
    registered,
)
from bot.platforms.discord.rendering import FILE, BaseClient, cut, plain, player, text_modal
from bot.platforms.discord.responses import NamedUser, NamedUsers, Responder, people
from bot.platforms.platform import PlatformServices
from play.errors import Unavailable
from play.files.matchreader import MAX_FILE

COMPLETED_WITHIN: Final = 2.0  # seconds in which completions are offered; Discord waits three
OFFERED: Final = 25  # most completions
MOST_PEOPLE: Final = 9  # most people mentioned in one command

_ENTRY: Final = 100
_PEOPLE_WITHIN: Final = 5.0
_FILE_WITHIN: Final = 10.0
_MENTIONED: Final = re.compile(r"<@!?([0-9]{5,20})>", re.ASCII)
_HOSTS: Final = frozenset({"cdn.discordapp.com", "media.discordapp.net"})

_log: Final = logging.getLogger(__name__)


class SlashCommands:
    """Passes slash commands to the desk."""

    def __init__(self, services: PlatformServices, responder: Responder, courier: DiscordCourier) -> None:
        self._services = services
        self._responder = responder
        self._courier = courier

    async def register(self, client: BaseClient, application: int | None) -> None:
        """Register the commands with Discord, if it has not these already, and learn their ids; try until it succeeds."""
        page = self._services.config.page_url is not None
        commands = registered(self._services.table.games, page=page)
        wanted = fingerprint(commands, application)
        tries = 0
        while application is not None:
            try:
                there = await self._register(client, application, commands, wanted)
                if page:
                    await self._learn_activity(client, application, there)
            except (discord.DiscordException, aiohttp.ClientError, OSError, Unavailable) as failed:
                tries += 1
                pause = delay(tries)
                _log.warning("the commands are not registered with Discord; again in %g s: %r", pause, failed)
                await asyncio.sleep(pause)
            else:
                return

    async def _register(
        self, client: BaseClient, application: int, commands: list[dict[str, Any]], wanted: str
    ) -> Sequence[Mapping[str, Any]]:
        notes = self._services.store.notes
        (noted,) = await notes.read(COMMANDS)
        there: Sequence[Mapping[str, Any]] = await client.http.get_global_commands(application)
        known, _, ids = (noted or "").partition(" ")
        changed = known != wanted or not ids  # a note of an older version has no ids
        if changed:
            await notes.write(COMMANDS, None)  # until then `klop doctor` says that they are not registered
            there = await self._upsert(client, application, commands, entry_points(there))
        self._courier.command_ids = {each["name"]: str(each["id"]) for each in there}
        if changed:
            await notes.write(COMMANDS, f"{wanted} {json.dumps(self._courier.command_ids)}")
        _log.info("%s commands %s registered with Discord", len(there), "were" if changed else "are")
        return there

    async def _upsert(
        self, client: BaseClient, application: int, commands: list[dict[str, Any]], kept: list[dict[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        register = client.http.bulk_upsert_global_commands
        if not kept and self._services.config.page_url is not None:
            try:
                return await register(application, [*commands, entry_point()])
            except discord.HTTPException as refused:
                if not 400 <= refused.status < 500:
                    raise
                _log.warning("Discord takes no Entry Point command, enable Activities: %s", refused)
        return await register(application, [*commands, *kept])

    async def _learn_activity(
        self, client: BaseClient, application: int, there: Sequence[Mapping[str, Any]]
    ) -> None:
        """Learn whether Activities are enabled, and Discord's key, by which the page checks who reads."""
        enabled = bool(entry_points(there))
        key = (await client.application_info()).verify_key if enabled else ""
        self._responder.activity = application if enabled else None
        await self._services.store.notes.write(APPLICATION, f"{application} {key}" if key else None)

    async def opened_modal(self, interaction: discord.Interaction[BaseClient]) -> bool:
        """Open the modal of a command that has one; return whether it has."""
        data: Any = interaction.data or {}
        if data.get("name") != "import" or data.get("options"):
            return False
        await interaction.response.send_modal(text_modal(FILE, await self._responder.words(interaction)))
        return True

    async def run(self, interaction: discord.Interaction[BaseClient], visitor: Visitor) -> Sequence[Message]:
        """Return what answers a command."""
        data: Any = interaction.data or {}
        attached = bool((data.get("resolved") or {}).get("attachments"))
        if attached or _unknown(interaction, " ".join(_values(data).values())):
            visitor.accepted()  # no one waits for what Discord is asked
        try:
            command = await self._command(interaction, data)
        except CommandError as error:
            return await self._responder.refusal(interaction, error.reason, **error.fields)
        if isinstance(command, str):
            return await self._responder.refusal(interaction, command, limit=MAX_FILE)
        users = {**people(interaction), **await _looked_up(interaction, command.rest)}
        named = NamedUsers(users, interaction.client.user)
        return await self._services.desk.run(replace(visitor, find=named.find, bot=named.bot), command)

    async def _command(
        self, interaction: discord.Interaction[BaseClient], data: Mapping[str, Any]
    ) -> Command | str:  # or the catalogue key of a refusal
        name = str(data.get("name", ""))
        if name == words_for("en")(MENU):
            return REGISTRY.typed("challenge", {"person": f"@{data.get('target_id')}"})
        values = _values(data)
        spec = REGISTRY.specs.get(name)
        for argument in spec.arguments if spec else ():
            held = values.get(argument.name)
            if held is None:
                continue
            if argument.type is ArgumentType.PERSON:
                values[argument.name] = f"@{held}"
            elif argument.type is ArgumentType.FILE:
                text = await self._file(interaction, data, held)
                if text is None:
                    return "bot.discord.file-lost"
                if len(text) > MAX_FILE:
                    return "bot.discord.file-too-large"
                values[argument.name] = text
            elif argument.type is ArgumentType.MATCH and not held.strip():
                del values[argument.name]
        code = match_here(interaction)
        if code and spec and "match" not in values:
            values["match"] = code
        return REGISTRY.typed(name, values)

    async def _file(
        self, interaction: discord.Interaction[BaseClient], data: Mapping[str, Any], uid: str
    ) -> str | None:
        """Return the text of an attached file, None if it cannot be fetched; of one too large a text that is refused."""
        attached = ((data.get("resolved") or {}).get("attachments") or {}).get(uid) or {}
        if int(attached.get("size") or 0) > MAX_FILE:
            return " " * (MAX_FILE + 1)
        url = str(attached.get("url") or "")
        own = urlsplit(self._services.config.of(DiscordSettings).discord_api).netloc
        if urlsplit(url).netloc not in {*_HOSTS, own}:
            return None
        try:
            async with asyncio.timeout(_FILE_WITHIN):
                held = await interaction.client.http.get_from_cdn(url)
        except (discord.HTTPException, OSError, TimeoutError):
            return None
        return held.decode("utf-8", "replace")

    async def complete(self, interaction: discord.Interaction[BaseClient]) -> None:
        """Offer completions for an argument; none if finding them takes too long."""
        if self._responder.dropped(interaction.user.id, COMPLETIONS):
            return
        offered: Sequence[tuple[str, str]] = ()
        with suppress(TimeoutError, Unavailable):
            async with asyncio.timeout(COMPLETED_WITHIN):
                if await self._responder.admits(interaction.user.id, COMPLETIONS):
                    offered = await self._offered(interaction)
        choices = [
            discord.app_commands.Choice(name=cut(plain(label), _ENTRY), value=value)
            for label, value in offered
            if 0 < len(value) <= _ENTRY and plain(label).strip()
        ]
        with suppress(discord.HTTPException):
            await interaction.response.autocomplete(choices[:OFFERED])

    async def _offered(self, interaction: discord.Interaction[BaseClient]) -> Sequence[tuple[str, str]]:
        data: Any = interaction.data or {}
        focused = next((option for option in data.get("options") or () if option.get("focused")), None)
        if focused is None:
            return ()
        values = _values(data)
        typed = values.pop(str(focused["name"]), "")
        code = match_here(interaction)
        if code:
            values.setdefault("match", code)
        name, argument = str(data.get("name", "")), str(focused["name"])
        return await self._services.desk.autocomplete(
            self._responder.visitor(interaction), name, argument, typed, values
        )


async def _looked_up(interaction: discord.Interaction[BaseClient], text: str) -> Mapping[str, NamedUser]:
    found = {}
    with suppress(TimeoutError, discord.HTTPException, OSError):
        async with asyncio.timeout(_PEOPLE_WITHIN):
            for uid in _unknown(interaction, text):
                user = await interaction.client.fetch_user(int(uid))
                found[uid] = NamedUser(player(user), user.bot)
    return found


def _unknown(interaction: discord.Interaction[BaseClient], text: str) -> Sequence[str]:
    known = people(interaction)
    return [uid for uid in dict.fromkeys(_MENTIONED.findall(text)) if uid not in known][:MOST_PEOPLE]


def _values(data: Mapping[str, Any]) -> dict[str, str]:
    """A false switch counts as not given."""
    return {
        str(option["name"]): str(option["value"])
        for option in data.get("options") or ()
        if option.get("value") not in (None, False)
    }
