"""Telegram: groups, topics, private conversations, and cards in any chat."""

from bot.on_telegram.adapter import TelegramAdapter
from bot.platform import Platform, Services


def connect(services: Services) -> Platform:
    """Telegram; connects to nothing yet.

    Args:
        services: The shared services; its settings hold a token.
    """
    return TelegramAdapter(services)


__all__ = ["connect"]
