"""A thread for each match, in channels that are set so."""

from __future__ import annotations

import re
from typing import Final

import discord

from bot.on_discord.markup import cut, plain
from bot.on_discord.places import PLATFORM
from bot.on_discord.widgets import BaseClient
from bot.view import View
from play.people import Address
from storage.ports import FullStore

NAME: Final = 100  # most characters of a thread's name

_WEEK: Final = 10080  # minutes after which an idle thread is archived
_CODE: Final = re.compile(r"#([a-z0-9]{6})(?:\s|$)")


class Threads:
    """Finds the channel that a match is shown in: the place itself, or the match's thread there."""

    def __init__(self, client: BaseClient, store: FullStore) -> None:
        self._client = client
        self._store = store

    async def channel(self, to: Address, view: View) -> int:
        """Return the channel for a view at a place; open a thread if need be."""
        channel = int(to.place)
        if view.code is None or not (await self._store.settings.get(to)).threads:
            return channel
        note = _note(to, view.code)
        (known,) = await self._store.notes.read(note)
        if known is not None:
            return int(known)
        if not view.controls:  # the match is not being played
            return channel
        thread = await self._open(channel, view)
        await self._store.notes.write(note, str(thread))
        return thread

    async def leave(self, to: Address, view: View) -> None:
        """Show a match in the channel itself from now on."""
        if view.code is not None:
            await self._store.notes.write(_note(to, view.code), to.place)

    async def _open(self, channel: int, view: View) -> int:
        """Open a thread; return the channel if that is not allowed."""
        name = cut(" · ".join((plain(view.lines[-1]), f"#{view.code}")), NAME)
        try:
            made = await self._client.http.start_thread_without_message(
                channel, name=name, auto_archive_duration=_WEEK, type=discord.ChannelType.public_thread.value
            )
        except (discord.Forbidden, discord.NotFound):
            return channel
        return int(made["id"])


def _note(to: Address, code: str) -> str:
    return f"{PLATFORM}:thread:{to.place}:{code}"


def match_of(channel: object, bot: discord.ClientUser | None) -> tuple[int, str] | None:
    """Return the channel and the match of a thread that the bot opened; None for any other channel."""
    if not isinstance(channel, discord.Thread) or bot is None or channel.owner_id != bot.id:
        return None
    found = _CODE.search(channel.name)
    return (channel.parent_id, found[1]) if found else None
