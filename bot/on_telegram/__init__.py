"""Telegram: groups, topics, private conversations, and cards in any chat."""

from bot.on_telegram.adapter import Telegram
from bot.platform import House, Platform


def connect(house: House) -> Platform:
    """Telegram for a house; connects to nothing yet.

    Args:
        house: Its settings hold a token.
    """
    return Telegram(house)


__all__ = ["connect"]
