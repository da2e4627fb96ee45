"""What Telegram shows of the bot: its name, descriptions and commands in each language, and the menu button."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from telegram import Bot
from telegram.error import InvalidToken, TelegramError

from bot.config import Config
from bot.i18n import words as words_for
from bot.on_telegram import menu, page_menu
from bot.on_telegram.request import AiohttpRequest
from bot.platform import CannotConnect, CannotPublish

BY_HAND: Final = "bot.publish.by-hand.telegram"
"""The key of what Telegram lets people alone set."""


class _Text(NamedTuple):
    """A text that Telegram shows: in the catalogues, its most characters, and how it is read and written."""

    key: str
    most: int
    ask: Callable[[Bot, str | None], Awaitable[object]]
    write: Callable[[Bot, str, str | None], Awaitable[object]]
    answer: str


TEXTS: Final = {
    "name": _Text("bot.publish.name", 64, Bot.get_my_name, Bot.set_my_name, "name"),
    "description": _Text(
        "bot.publish.description", 512, Bot.get_my_description, Bot.set_my_description, "description"
    ),
    "short": _Text(
        "bot.publish.short",
        120,
        Bot.get_my_short_description,
        Bot.set_my_short_description,
        "short_description",
    ),
}


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
            return await _set(bot, config)
    except InvalidToken:
        raise CannotConnect("Telegram", "TELEGRAM_TOKEN") from None  # the library's words quote the token
    except TelegramError as refused:
        raise CannotPublish("Telegram", str(refused)) from None


async def _set(bot: Bot, config: Config) -> Sequence[str]:
    changed = []
    for language, code in menu.spoken():
        words = words_for(language)
        for part, text in TEXTS.items():
            wanted = words(text.key)
            if getattr(await text.ask(bot, code), text.answer) != wanted:
                await text.write(bot, wanted, code)
                changed.append(f"{part} ({code or 'all'})")
    if commands := await menu.offer(bot):
        changed.append(f"commands ({commands})")
    opens = page_menu.opened(config.page_url)
    if opens is not None and await page_menu.set_button(bot, opens, words_for(config.language)):
        changed.append("menu button")
    return changed
