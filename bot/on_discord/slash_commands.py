"""Commands: registered when they have changed, read as the desk wants them, completed while they are typed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import discord

from bot.desk.commands import COMMANDS, Kind, given
from bot.desk.grammar import Command, CommandError
from bot.i18n import words as words_for
from bot.on_discord.base_client import BaseClient
from bot.on_discord.markup import cut, plain
from bot.on_discord.modals import FILE, TextModal
from bot.on_discord.places import PLATFORM, somebody
from bot.on_discord.registration import MENU, fingerprint, registered
from bot.on_discord.responses import private
from bot.on_discord.visitors import match_here, mentioned, people
from bot.view import Message, View
from play.errors import Unavailable
from play.matchreader import MAX_FILE
from play.people import Player

if TYPE_CHECKING:
    from bot.on_discord.responses import Responder
    from bot.platform import Services

COMPLETED_WITHIN: Final = 2.0
"""Seconds in which something is offered while somebody types; Discord waits three."""

OFFERED: Final = 25
"""Entries that are offered at most."""

MOST_PEOPLE: Final = 9
"""People who can be mentioned in one command."""

_ENTRY: Final = 100
_PEOPLE_WITHIN: Final = 5.0
_NOTE: Final = f"{PLATFORM}:commands"
_FILE_WITHIN: Final = 10.0
_HOSTS: Final = frozenset({"cdn.discordapp.com", "media.discordapp.net"})

_log: Final = logging.getLogger(__name__)


class SlashCommands:
    """Brings what is typed to the desk."""

    def __init__(self, services: Services, answering: Responder) -> None:
        self._services = services
        self._responder = answering

    async def register(self, client: BaseClient) -> None:
        """Tell Discord of the commands, if it does not know them as they are."""
        commands = registered(self._services.table.games)
        wanted = fingerprint(commands, client.application_id)
        try:
            (known,) = await self._services.store.notes(_NOTE)
        except Unavailable:
            known = None
        if known == wanted or client.application_id is None:
            return
        await client.http.bulk_upsert_global_commands(client.application_id, commands)
        _log.info("%s commands were registered", len(commands))
        with suppress(Unavailable):
            await self._services.store.set_note(_NOTE, wanted)

    async def run(self, interaction: discord.Interaction[BaseClient]) -> None:
        """A command was sent."""
        data: Any = interaction.data or {}
        if data.get("name") == "import" and not data.get("options"):
            await interaction.response.send_modal(TextModal(FILE, await self._responder.words(interaction)))
            return
        await self._responder.answer(interaction, self._said(interaction, data))

    async def _said(
        self, interaction: discord.Interaction[BaseClient], data: Mapping[str, Any]
    ) -> Sequence[Message]:
        try:
            command = await self._command(interaction, data)
        except CommandError as error:
            words = await self._responder.words(interaction)
            return [private(interaction, View(lines=(words(error.reason, **error.fields),)))]
        if isinstance(command, str):
            words = await self._responder.words(interaction)
            return [private(interaction, View(lines=(words(command, limit=MAX_FILE),)))]
        also = await _looked_up(interaction, command.rest)
        return await self._services.desk.run(self._responder.visitor(interaction, also), command)

    async def _command(
        self, interaction: discord.Interaction[BaseClient], data: Mapping[str, Any]
    ) -> Command | str:
        """The command, or the key of what to say instead."""
        name = str(data.get("name", ""))
        if name == words_for("en")(MENU):
            return given("challenge", {"person": f"@{data.get('target_id')}"})
        values = _values(data)
        entry = COMMANDS.get(name)
        for argument in entry.arguments if entry else ():
            held = values.get(argument.name)
            if held is None:
                continue
            if argument.kind is Kind.PERSON:
                values[argument.name] = f"@{held}"
            elif argument.kind is Kind.FILE:
                text = await self._file(interaction, data, held)
                if text is None:
                    return "bot.discord.file-lost"
                if len(text) > MAX_FILE:
                    return "bot.discord.file-too-large"
                values[argument.name] = text
            elif argument.kind is Kind.CODE and not held.strip():
                del values[argument.name]
        code = match_here(interaction)
        if code and entry and "match" not in values:
            values["match"] = code
        return given(name, values)

    async def _file(
        self, interaction: discord.Interaction[BaseClient], data: Mapping[str, Any], uid: str
    ) -> str | None:
        """The text of an attached file; one that is too large is not fetched, and is too long as it is returned."""
        attached = ((data.get("resolved") or {}).get("attachments") or {}).get(uid) or {}
        if int(attached.get("size") or 0) > MAX_FILE:
            return " " * (MAX_FILE + 1)
        url = str(attached.get("url") or "")
        own = urlsplit(self._services.settings.discord_api).netloc
        if urlsplit(url).netloc not in {*_HOSTS, own}:
            return None
        try:
            async with asyncio.timeout(_FILE_WITHIN):
                held = await interaction.client.http.get_from_cdn(url)
        except (discord.HTTPException, OSError, TimeoutError):
            return None
        return held.decode("utf-8", "replace")

    async def complete(self, interaction: discord.Interaction[BaseClient]) -> None:
        """Something is being typed: offer how it could go on; nothing, where that takes too long."""
        offered: Sequence[tuple[str, str]] = ()
        with suppress(TimeoutError, Unavailable):
            async with asyncio.timeout(COMPLETED_WITHIN):
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

    async def old(self, interaction: discord.Interaction[BaseClient]) -> Sequence[Message]:
        """What is said of a button that nobody knows any more."""
        words = await self._responder.words(interaction)
        return [private(interaction, View(lines=(words("bot.discord.old"),)))]


async def _looked_up(interaction: discord.Interaction[BaseClient], text: str) -> Mapping[str, Player]:
    """The people mentioned in typed text whom the interaction itself does not name."""
    known = people(interaction)
    wanted = [uid for uid in dict.fromkeys(mentioned(text)) if uid not in known][:MOST_PEOPLE]
    found = {}
    with suppress(TimeoutError, discord.HTTPException, OSError):
        async with asyncio.timeout(_PEOPLE_WITHIN):
            for uid in wanted:
                found[uid] = somebody(await interaction.client.fetch_user(int(uid)))
    return found


def _values(data: Mapping[str, Any]) -> dict[str, str]:
    """The arguments that were given, as texts, by their names; a no is none."""
    return {
        str(option["name"]): str(option["value"])
        for option in data.get("options") or ()
        if option.get("value") not in (None, False)
    }
