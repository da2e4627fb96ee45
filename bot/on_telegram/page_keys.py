"""Keys that open the board page inside Telegram."""

from __future__ import annotations

from dataclasses import dataclass

from telegram import InlineKeyboardButton as Key
from telegram import WebAppInfo

from bot.callback_data import Verb
from bot.view import Button


@dataclass(frozen=True, slots=True)
class PageKeys:
    """Makes the key of a button that leads to the page.

    In a private chat it opens a Mini App. In a group Telegram refuses such keys; there it is a link to the bot's Mini App, if
    that has a name. Everywhere else the button stays what it is, and the answer to it holds a link.

    Attributes:
        url: Where the page is.
        app: The name of the Mini App at BotFather; None: it has none.
    """

    url: str
    app: str | None

    def key(self, button: Button, label: str, bot: str, *, private: bool) -> Key | None:
        """Return the key; None for a button that is pressed as any other."""
        code = button.data.code
        if button.data.verb is not Verb.PAGE or code is None:
            return None
        if private and self.url.startswith("https://"):
            return Key(label, web_app=WebAppInfo(f"{self.url.rstrip('/')}/m/{code}"))
        if not private and self.app and bot:
            return Key(label, url=f"https://t.me/{bot}/{self.app}?startapp={code}")
        return None
