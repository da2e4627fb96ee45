"""The author of an interaction as a visitor, the people it names, and what it costs of a person's quotas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import discord

from bot.chat.callback_data import BadCallbackData, CallbackData
from bot.chat.quotas import COMMANDS, COMPLETIONS, Quota
from bot.chat.visitor import NamedBot, Visitor
from bot.features.commands import REGISTRY
from bot.platforms.discord.followups import match_of
from bot.platforms.discord.places import PLATFORM, place, player
from bot.platforms.discord.rendering import WHO, filled_in
from play.people import Account, Player

_MENTIONED: Final = re.compile(r"<@!?([0-9]{5,20})>", re.ASCII)
_ID: Final = re.compile(r"(?:<@!?)?([0-9]{5,20})>?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class NamedUser:
    """A user whom an interaction names."""

    player: Player
    bot: bool


@dataclass(frozen=True, slots=True)
class NamedUsers:
    """The users whom an interaction names, by id."""

    users: Mapping[str, NamedUser]
    own: str  # the id of this bot

    def find(self, name: str) -> Player | None:
        """Return the player of an id or a name."""
        uid = self._id(name)
        return self.users[uid].player if uid in self.users else None

    def bot(self, name: str) -> NamedBot | None:
        """Return which bot an id or a name is of."""
        uid = self._id(name.removeprefix("@"))
        if uid == self.own:
            return NamedBot.OWN
        return NamedBot.OTHER if uid in self.users and self.users[uid].bot else None

    def _id(self, name: str) -> str:
        if found := _ID.match(name):
            return found[1]
        wanted = name.casefold()
        return next((uid for uid, one in self.users.items() if one.player.name.casefold() == wanted), "")


def visitor(interaction: discord.Interaction[Any], also: Mapping[str, NamedUser] | None = None) -> Visitor:
    """Return the author of an interaction as a visitor, who can name the people in it and those in `also`, by id."""
    own, channel, may = interaction.client.user, interaction.channel, interaction.permissions
    named = NamedUsers({**people(interaction), **(also or {})}, str(own.id) if own else "")
    return Visitor(
        player(interaction.user),
        place(here(interaction)),
        find=named.find,
        locale=interaction.locale.value,
        request=str(interaction.id),
        buttons=True,
        admin=interaction.guild_id is None or may.manage_guild or may.administrator,
        bot=named.bot,
        server_locale=_server_locale(interaction),
        selected=_selected(interaction.data),
        around=place(channel.parent_id) if isinstance(channel, discord.Thread) else None,
        created=interaction.user.created_at,
        called=interaction.user.global_name or interaction.user.name,
    )


def _selected(data: Any) -> tuple[str, ...]:
    chosen = str((data or {}).get("custom_id", "")).startswith(WHO)
    return tuple(map(str, data.get("values") or ())) if chosen else ()


def _server_locale(interaction: discord.Interaction[Any]) -> str | None:
    """A server that is no community cannot choose its language, and has American English."""
    locale, guild = interaction.guild_locale, interaction.guild
    chosen = locale is not discord.Locale.american_english or (guild and "COMMUNITY" in guild.features)
    return locale.value if locale and chosen else None


def here(interaction: discord.Interaction[Any]) -> int:
    """Return the channel of an interaction; of one in a match's thread, the thread's channel."""
    thread = match_of(interaction.channel, interaction.client.user)
    return thread[0] if thread else interaction.channel_id or 0


def match_here(interaction: discord.Interaction[Any]) -> str | None:
    """Return the match whose thread an interaction came from."""
    thread = match_of(interaction.channel, interaction.client.user)
    return thread[1] if thread else None


def may_write(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot may write where an interaction came from."""
    if interaction.guild_id is None:
        return True
    may = interaction.app_permissions
    in_thread = isinstance(interaction.channel, discord.Thread)
    writes = may.send_messages_in_threads if in_thread else may.send_messages
    return may.view_channel and writes


def may_open_threads(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot may open threads where an interaction came from, and write in them."""
    may = interaction.app_permissions
    return interaction.guild_id is None or (may.create_public_threads and may.send_messages_in_threads)


def mentioned(text: str) -> Iterator[str]:
    """Return the ids of the people mentioned in a text."""
    yield from _MENTIONED.findall(text)


def people(interaction: discord.Interaction[Any]) -> Mapping[str, NamedUser]:
    """Return the users named in an interaction, by id, under their names there."""
    data: Any = interaction.data or {}
    resolved = data.get("resolved") or {}
    members = resolved.get("members") or {}
    named = {}
    for uid, user in (resolved.get("users") or {}).items():
        nick = (members.get(uid) or {}).get("nick")
        name = nick or user.get("global_name") or user.get("username") or uid
        who = Player(Account(PLATFORM, str(uid)), str(name))
        named[str(uid)] = NamedUser(who, bool(user.get("bot")))
    return named


def cost_of(interaction: discord.Interaction[Any]) -> Quota | None:
    """Return the quota that an interaction counts for."""
    data: Any = interaction.data or {}
    match interaction.type:
        case discord.InteractionType.autocomplete:
            return COMPLETIONS
        case discord.InteractionType.application_command:
            return REGISTRY.counts_for(f"/{data.get('name', '')}")
        case discord.InteractionType.modal_submit:
            command = filled_in(data)
            return COMMANDS if command is None else REGISTRY.counts_for(f"/{command.name}")
        case discord.InteractionType.component:
            try:
                return REGISTRY.counts_for(CallbackData.unpack(packed(data)))
            except BadCallbackData:
                return COMMANDS
    return None


def packed(data: Any) -> str:
    """Return the callback data of a press: untrusted text."""
    custom_id, values = str(data.get("custom_id", "")), data.get("values") or ()
    if custom_id.startswith(WHO):
        return custom_id.removeprefix(WHO)
    return str(values[0]) if values else custom_id
