"""Discord: slash commands, buttons and messages."""

from bot.platforms.discord.adapter import DiscordAdapter as Adapter

__all__ = ["Adapter"]
