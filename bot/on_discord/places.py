"""Discord's users and channels as accounts and addresses."""

from __future__ import annotations

from typing import Final

import discord

from play.people import Account, Address, Player

PLATFORM: Final = "discord"
"""`platform` of Discord's addresses and accounts. A place is the id of a channel, an account that of a user."""


def player(user: discord.abc.User) -> Player:
    """Return a user as a player, under the name that is shown in the channel."""
    return Player(Account(PLATFORM, str(user.id)), user.display_name)


def place(channel_id: int) -> Address:
    """Return the address of a channel, a thread or a conversation."""
    return Address(PLATFORM, str(channel_id))
