"""The board page: a match in a browser, for those whom a chat sends there, and for spectators."""

from bot.platforms.page.integration import BoardPage

INTEGRATION = BoardPage()
