"""The author of an interaction as a visitor, and the people it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import discord

from bot.desk.visitor import Visitor
from bot.on_discord.places import PLATFORM, place, player
from bot.on_discord.threads import match_of
from play.people import Account, Player

_MENTIONED: Final = re.compile(r"<@!?([0-9]{5,20})>", re.ASCII)
_ID: Final = re.compile(r"(?:<@!?)?([0-9]{5,20})>?\Z", re.ASCII)


def visitor(interaction: discord.Interaction[Any], also: Mapping[str, Player] | None = None) -> Visitor:
    """Return the author of an interaction as a visitor, who can name the people in it and those in `also`, by id."""
    return Visitor(
        player(interaction.user),
        place(here(interaction)),
        find=_finder({**people(interaction), **(also or {})}),
        locale=interaction.locale.value,
        request=str(interaction.id),
        buttons=True,
        admin=_admin(interaction),
    )


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


def _admin(interaction: discord.Interaction[Any]) -> bool:
    """Whether the author may configure the place: may manage its server, or is in a conversation."""
    if interaction.guild_id is None:
        return True
    return bool(interaction.permissions.manage_guild or interaction.permissions.administrator)


def _finder(named: Mapping[str, Player]) -> Callable[[str], Player | None]:
    """Return a function that finds the named players by id or name."""

    def find(name: str) -> Player | None:
        if found := _ID.match(name):
            return named.get(found[1])
        wanted = name.casefold()
        return next((one for one in named.values() if one.name.casefold() == wanted), None)

    return find


def mentioned(text: str) -> Iterator[str]:
    """Return the ids of the people mentioned in a text."""
    yield from _MENTIONED.findall(text)


def people(interaction: discord.Interaction[Any]) -> Mapping[str, Player]:
    """Return the people named in an interaction, by id, under their names there."""
    data: Any = interaction.data or {}
    resolved = data.get("resolved") or {}
    members = resolved.get("members") or {}
    named = {}
    for uid, user in (resolved.get("users") or {}).items():
        nick = (members.get(uid) or {}).get("nick")
        name = nick or user.get("global_name") or user.get("username") or uid
        named[str(uid)] = Player(Account(PLATFORM, str(uid)), str(name))
    return named
