"""The local room: people at one terminal, or a script of an evening, with no token and no server."""

from bot.platforms.console.integration import LocalRoom

INTEGRATION = LocalRoom()
