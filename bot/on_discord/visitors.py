"""Whoever did something, as the desk sees them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import discord

from bot.desk.visitor import Visitor
from bot.on_discord.places import PLATFORM, place, somebody
from bot.on_discord.threads import match_of
from play.people import Account, Player

_MENTIONED: Final = re.compile(r"<@!?([0-9]{5,20})>", re.ASCII)
_ID: Final = re.compile(r"(?:<@!?)?([0-9]{5,20})>?\Z", re.ASCII)


def visitor(interaction: discord.Interaction[Any], also: Mapping[str, Player] | None = None) -> Visitor:
    """The person, where they are, and whom they can name: those named in the interaction, and others by their id."""
    return Visitor(
        somebody(interaction.user),
        place(here(interaction)),
        find=_finder({**people(interaction), **(also or {})}),
        locale=interaction.locale.value,
        request=str(interaction.id),
        confirms=True,
        dialogues=True,
        admin=_admin(interaction),
    )


def here(interaction: discord.Interaction[Any]) -> int:
    """The channel that something was done in; in a match's own thread, the channel that the thread belongs to."""
    thread = match_of(interaction.channel, interaction.client.user)
    return thread[0] if thread else interaction.channel_id or 0


def match_here(interaction: discord.Interaction[Any]) -> str | None:
    """The match whose thread something was done in."""
    thread = match_of(interaction.channel, interaction.client.user)
    return thread[1] if thread else None


def may_write(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot may write where something was done."""
    if interaction.guild_id is None:
        return True
    may = interaction.app_permissions
    in_thread = isinstance(interaction.channel, discord.Thread)
    writes = may.send_messages_in_threads if in_thread else may.send_messages
    return may.view_channel and writes


def _admin(interaction: discord.Interaction[Any]) -> bool:
    """Whether somebody runs the place: may change its server; conversations are everybody's who is in them."""
    if interaction.guild_id is None:
        return True
    return bool(interaction.permissions.manage_guild or interaction.permissions.administrator)


def _finder(named: Mapping[str, Player]) -> Callable[[str], Player | None]:
    """Finds somebody by id or by name: nobody else is known here."""

    def find(name: str) -> Player | None:
        if found := _ID.match(name):
            return named.get(found[1])
        wanted = name.casefold()
        return next((player for player in named.values() if player.name.casefold() == wanted), None)

    return find


def mentioned(text: str) -> Iterator[str]:
    """The ids of people who are mentioned in typed text."""
    yield from _MENTIONED.findall(text)


def people(interaction: discord.Interaction[Any]) -> Mapping[str, Player]:
    """The people named in an interaction, by id, under the names they go by there."""
    data: Any = interaction.data or {}
    resolved = data.get("resolved") or {}
    members = resolved.get("members") or {}
    named = {}
    for uid, user in (resolved.get("users") or {}).items():
        nick = (members.get(uid) or {}).get("nick")
        name = nick or user.get("global_name") or user.get("username") or uid
        named[str(uid)] = Player(Account(PLATFORM, str(uid)), str(name))
    return named
