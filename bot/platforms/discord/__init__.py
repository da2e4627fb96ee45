"""Discord: slash commands, buttons and messages."""

from bot.platforms.discord.integration import Discord

INTEGRATION = Discord()
