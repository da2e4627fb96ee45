"""What Discord calls people and places."""

from __future__ import annotations

from typing import Final

import discord

from play.people import Account, Address, Player

PLATFORM: Final = "discord"
"""`platform` of Discord's addresses and accounts. A place is the id of a channel, an account that of a user."""


def somebody(user: discord.abc.User) -> Player:
    """A person, under the name that is shown where they were met."""
    return Player(Account(PLATFORM, str(user.id)), user.display_name)


def place(channel_id: int) -> Address:
    """A channel, a thread or a conversation."""
    return Address(PLATFORM, str(channel_id))
