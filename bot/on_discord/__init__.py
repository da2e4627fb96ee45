"""Discord: slash commands, buttons and messages, made of what the desk says; every decision is made elsewhere."""

from bot.on_discord.adapter import connect

__all__ = ["connect"]
