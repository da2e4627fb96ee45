"""What Telegram shows of the bot: its name, descriptions and commands, in each language."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from telegram import Bot
from telegram.error import InvalidToken, TelegramError

from bot.config import Config
from bot.i18n import words as words_for
from bot.on_telegram import menu
from bot.on_telegram.request import AiohttpRequest
from bot.platform import CannotConnect, CannotPublish

BY_HAND: Final = "bot.publish.by-hand.telegram"
"""The key of what Telegram lets people alone set."""

LIMITS: Final = {"name": 64, "description": 512, "short": 120}
"""Characters that Telegram takes of each text."""


async def publish(config: Config) -> Sequence[str]:
    """Set what differs; return what was set, such as `description (uk)`.

    Raises:
        CannotConnect: Telegram rejects the token.
        CannotPublish: it does not answer, or refuses a text.
    """
    token = config.telegram_token
    assert token is not None, "it is configured"  # noqa: S101
    bot = Bot(token.get_secret_value(), f"{config.telegram_api.rstrip('/')}/bot", request=AiohttpRequest(4))
    try:
        async with bot:
            return await _set(bot)
    except InvalidToken:
        raise CannotConnect("Telegram", "TELEGRAM_TOKEN") from None  # the library's words quote the token
    except TelegramError as refused:
        raise CannotPublish("Telegram", str(refused)) from None


async def _set(bot: Bot) -> Sequence[str]:
    changed = []
    for language, code in menu.spoken():
        words = words_for(language)
        texts = {part: words(key) for part, key in _KEYS.items()}
        for part, (held, write) in _parts(bot).items():
            if await held(code) != texts[part]:
                await write(texts[part], code)
                changed.append(f"{part} ({code or 'all'})")
    commands = await menu.offer(bot)
    return [*changed, *([f"commands ({commands})"] if commands else [])]


_KEYS: Final = {
    "name": "bot.publish.name",
    "description": "bot.publish.description",
    "short": "bot.publish.short",
}


def _parts(
    bot: Bot,
) -> dict[str, tuple[Callable[[str | None], Awaitable[str]], Callable[[str, str | None], Awaitable[object]]]]:
    """Return how each text is read and written."""

    async def name(code: str | None) -> str:
        return (await bot.get_my_name(code)).name

    async def description(code: str | None) -> str:
        return (await bot.get_my_description(code)).description

    async def short(code: str | None) -> str:
        return (await bot.get_my_short_description(code)).short_description

    return {
        "name": (name, bot.set_my_name),
        "description": (description, bot.set_my_description),
        "short": (short, bot.set_my_short_description),
    }
