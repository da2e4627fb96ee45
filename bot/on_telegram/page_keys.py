"""Keys that open the board page inside Telegram."""

from __future__ import annotations

from dataclasses import dataclass

from telegram import InlineKeyboardButton as Key
from telegram import WebAppInfo

from bot.callback_data import Verb
from bot.desk.page_links import to_watch
from bot.view import Button


@dataclass(slots=True)
class PageKeys:
    """Makes the key of a button that leads to the page.

    In a private chat it opens a Mini App. In a group Telegram refuses such keys; there it is a link to the bot's Mini App, if
    that has a name, and all in the group may watch by it. Everywhere else the button stays what it is, and the answer to it
    holds a link.

    Attributes:
        url: Where the page is.
        app: The name of the Mini App at BotFather; None: it has none.
        secret: Signs the keys of spectators; empty until it is loaded, and links open the page for players only.
    """

    url: str
    app: str | None
    secret: bytes = b""

    def key(self, button: Button, label: str, bot: str, *, private: bool) -> Key | None:
        """Return the key; None for a button that is pressed as any other."""
        code = button.data.code
        if button.data.verb is not Verb.PAGE or code is None:
            return None
        if private and self.url.startswith("https://"):
            return Key(label, web_app=WebAppInfo(f"{self.url.rstrip('/')}/m/{code}"))
        if not private and self.app and bot:
            carried = to_watch(self.secret, code) if self.secret else code
            return Key(label, url=app_link(bot, self.app, carried))
        return None


def app_link(bot: str, app: str, carried: str) -> str:
    """Return the address that opens a Mini App; what it carries comes with the proof of who opened it."""
    return f"https://t.me/{bot}/{app}?startapp={carried}"
