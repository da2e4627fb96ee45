"""Telegram: groups, topics, private chats, and inline cards in any chat."""

from bot.platforms.telegram.integration import Telegram

INTEGRATION = Telegram()
