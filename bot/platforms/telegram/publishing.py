"""What Telegram shows of the bot: its name, descriptions and commands in each language, and the menu button."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final, NamedTuple

from aiohttp import ClientSession
from telegram import (
    Bot,
    BotCommand,
    BotCommandScope,
    BotCommandScopeAllChatAdministrators,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    MenuButtonDefault,
    MenuButtonWebApp,
    WebAppInfo,
)
from telegram.error import InvalidToken, TelegramError

from bot.chat.arguments import Access
from bot.chat.i18n import FALLBACK, LANGUAGES, Words
from bot.chat.i18n import words as words_for
from bot.config import Config
from bot.features.commands import REGISTRY
from bot.platforms.integration import BotProfile, Operations, answer_to
from bot.platforms.platform import CannotConnect, CannotPublish
from bot.platforms.telegram.integration import TelegramSettings
from bot.platforms.telegram.proofs import BOT, NAME
from bot.platforms.telegram.rendering import cut
from bot.platforms.telegram.request import AiohttpRequest
from play.ports import NoteStore

_log: Final = logging.getLogger(__name__)

LONGEST: Final = 256  # most characters of a description

SCOPES: Final[Sequence[tuple[BotCommandScope, bool]]] = (
    (BotCommandScopeAllPrivateChats(), True),
    (BotCommandScopeAllGroupChats(), False),
    (BotCommandScopeAllChatAdministrators(), True),
)
"""Where commands are offered, and whether with those for administrators."""


def menu(language: str, *, admin: bool) -> tuple[BotCommand, ...]:
    """Return the commands with their descriptions."""
    words = words_for(language)
    return tuple(
        BotCommand(spec.name, cut(words(f"bot.slash.{spec.name}.what"), LONGEST))
        for spec in REGISTRY.specs.values()
        if admin or spec.access is not Access.ADMINS
    )


def spoken() -> Iterator[tuple[str, str | None]]:
    """Yield each language and its code for Telegram; the fallback, for all other languages, has none."""
    yield FALLBACK, None
    for language in LANGUAGES:
        yield language, language


async def offer(bot: Bot) -> int:
    """Set the menu in all scopes and languages; return the number of those that differed."""
    changed = 0
    for scope, admin in SCOPES:
        for language, code in spoken():
            wanted = menu(language, admin=admin)
            if await bot.get_my_commands(scope=scope, language_code=code) != wanted:
                await bot.set_my_commands(wanted, scope=scope, language_code=code)
                changed += 1
    _log.info("commands were set in %s places and languages", changed)
    return changed


MENU: Final = "telegram:menu-button"  # the note of the address that the button opens, if the bot has set one


async def offer_page(bot: Bot, notes: NoteStore, url: str | None, words: Words) -> None:
    """Have the menu button open the page at a URL; without one, take back the button that was set before.

    A Mini App needs https. A button that someone else has set is left as it is where there is no page.

    Raises:
        TelegramError: Telegram does not answer, or refuses the address.
    """
    await notes.write(BOT, str(bot.id) if url else None)
    await notes.write(NAME, bot.username if url else None)
    (ours,) = await notes.read(MENU)
    opens = opened(url)
    if opens is not None:
        await set_button(bot, opens, words)
    elif ours is None:
        return
    else:
        there = await bot.get_chat_menu_button()
        if isinstance(there, MenuButtonWebApp) and there.web_app.url == ours:
            await bot.set_chat_menu_button(menu_button=MenuButtonDefault())
    await notes.write(MENU, opens)


def opened(url: str | None) -> str | None:
    """Return the address that the button opens where the page has a URL; None if there is none, or not of a Mini App."""
    return url.rstrip("/") + "/" if url and url.startswith("https://") else None


async def set_button(bot: Bot, opens: str, words: Words) -> bool:
    """Have the menu button open an address; return whether it did not before. Raises `TelegramError`."""
    wanted = MenuButtonWebApp(words("bot.telegram.menu-button"), WebAppInfo(opens))
    if await bot.get_chat_menu_button() == wanted:
        return False
    await bot.set_chat_menu_button(menu_button=wanted)
    return True


class _Text(NamedTuple):
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


class TelegramOperations(Operations):
    """See `Operations`."""

    how = "bot.setup.how-telegram"
    by_hand = "bot.publish.by-hand.telegram"

    async def profile(self, session: ClientSession, config: Config, token: str) -> BotProfile:
        api = config.of(TelegramSettings).telegram_api.rstrip("/")
        name = (await answer_to(session.post(f"{api}/bot{token}/getMe")))["result"]["username"]
        return BotProfile(f"@{name}", f"https://t.me/{name}?startgroup=klop")

    async def publish(self, config: Config) -> Sequence[str]:
        settings = config.of(TelegramSettings)
        token = settings.telegram_token
        assert token is not None, "it is configured"  # noqa: S101
        api = f"{settings.telegram_api.rstrip('/')}/bot"
        try:
            async with Bot(token.get_secret_value(), api, request=AiohttpRequest(4)) as bot:
                return await _set(bot, config)
        except InvalidToken:
            raise CannotConnect("Telegram", "TELEGRAM_TOKEN") from None  # the library's words quote the token
        except TelegramError as refused:
            raise CannotPublish("Telegram", str(refused)) from None


async def _set(bot: Bot, config: Config) -> Sequence[str]:
    changed = []
    for language, code in spoken():
        words = words_for(language)
        for part, text in TEXTS.items():
            wanted = words(text.key)
            if getattr(await text.ask(bot, code), text.answer) != wanted:
                await text.write(bot, wanted, code)
                changed.append(f"{part} ({code or 'all'})")
    if commands := await offer(bot):
        changed.append(f"commands ({commands})")
    opens = opened(config.page_url)
    if opens is not None and await set_button(bot, opens, words_for(config.language)):
        changed.append("menu button")
    return changed
