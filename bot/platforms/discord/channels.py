"""The text channels of a server, and the one that a word of a command names."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import discord

from bot.platforms.discord.followups import channel_name
from bot.platforms.discord.rendering import place
from play.people import Address

FOUND_WITHIN: Final = 5.0  # seconds in which Discord tells what channels there are

_MENTION: Final = re.compile(r"<#([0-9]{5,20})>\Z", re.ASCII)
_WRITING: Final = discord.Permissions(view_channel=True, send_messages=True)


async def open_channels(client: discord.Client, guild: discord.Guild) -> Sequence[discord.TextChannel]:
    """Return the text channels of a server where the bot may write."""
    me = await guild.fetch_member(client.user.id if client.user else 0)
    there = [each for each in await guild.fetch_channels() if isinstance(each, discord.TextChannel)]
    return [each for each in there if each.permissions_for(me) >= _WRITING]


async def named_channel(interaction: discord.Interaction[Any], word: str) -> tuple[Address, str] | None:
    """Return the channel of the same server that a word names, and its name: where the author and the bot may write.

    It is `<#123>` or `#chess`, which several channels may be called: then it names none.
    """
    mention, who, there = _MENTION.match(word), interaction.user, list[discord.TextChannel]()
    with suppress(TimeoutError, discord.HTTPException, OSError):
        async with asyncio.timeout(FOUND_WITHIN):
            guild = await interaction.client.fetch_guild(interaction.guild_id or 0, with_counts=False)
            there = [
                each
                for each in await open_channels(interaction.client, guild)
                if isinstance(who, discord.Member) and each.permissions_for(who) >= _WRITING
            ]
    name = word.removeprefix("#").casefold()
    found = [
        each for each in there if (str(each.id) == mention[1] if mention else each.name.casefold() == name)
    ]
    return (place(found[0].id), channel_name(found[0])) if len(found) == 1 else None
