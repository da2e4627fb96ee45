"""Keys that open the board page: a Mini App in private, a link in groups, and never what Telegram refuses."""

from __future__ import annotations

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.page_links import watch_key
from bot.chat.view import Button, View
from bot.platforms.telegram.rendering import PageKeys, keyboard

SECRET = b"s" * 32
BUTTON = Button("Board", CallbackData(Verb.PAGE, "k7q2ab", 3))
OTHER = Button("Resign", CallbackData(Verb.RESIGN, "k7q2ab", 3))


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("app", ["board", None])
@pytest.mark.parametrize("url", ["https://page.test/", "http://127.0.0.1:8082"])
def test_a_key_opens_the_page_where_telegram_can(*, private: bool, app: str | None, url: str) -> None:
    page = PageKeys(url, app, SECRET)
    keys = keyboard(
        View(buttons=(BUTTON, OTHER)),
        special=lambda button, label: page.key(button, label, "klop_bot", private=private),
    )
    assert keys is not None
    key, other = keys.inline_keyboard[0]
    assert other.callback_data == OTHER.data.pack()
    if private and url.startswith("https"):
        assert key.web_app is not None
        assert key.web_app.url == "https://page.test/m/k7q2ab"
    elif not private and app:
        assert key.url == f"https://t.me/klop_bot/board?startapp=k7q2ab-{watch_key(SECRET, 'k7q2ab')}"
        assert key.web_app is None, "in a group such a key stops the bot's updates"
    else:
        assert key.callback_data == BUTTON.data.pack()
