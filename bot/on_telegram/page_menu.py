"""The menu button of private chats, which opens the board page; and the bot's id, by which a page without its token knows it."""

from __future__ import annotations

from typing import Final

from telegram import Bot, MenuButtonDefault, MenuButtonWebApp, WebAppInfo

from bot.desk.page_links import TELEGRAM
from bot.i18n import Words
from play.ports import NoteStore

MENU: Final = "telegram:menu-button"
"""The note of the address that the button opens, if the bot has set one."""


async def offer(bot: Bot, notes: NoteStore, url: str | None, words: Words) -> None:
    """Have the menu button open the page at a URL; without one, take back the button that was set before.

    A Mini App needs https. A button that someone else has set is left as it is where there is no page.

    Raises:
        TelegramError: Telegram does not answer, or refuses the address.
        Unavailable: the store does not answer.
    """
    await notes.write(TELEGRAM, str(bot.id) if url else None)
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
