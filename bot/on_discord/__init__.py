"""Discord: slash commands, buttons and messages."""

from bot.on_discord.adapter import DiscordAdapter as Adapter

__all__ = ["Adapter"]
