"""Telegram: groups, topics, private chats, and inline cards in any chat."""

from bot.platforms.telegram.adapter import TelegramAdapter as Adapter

__all__ = ["Adapter"]
