"""The board page in Telegram: the menu button, keys in private, links in groups that spectators can open."""

from __future__ import annotations

from bot.chat.i18n import words as words_for
from bot.platforms.page.sessions import Sessions
from bot.platforms.telegram import publishing
from bot.platforms.telegram.proofs import BOT as TELEGRAM
from play.people import Account
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot
from tests.platforms.telegram.server import Json

URL = "https://page.test"


async def _menu_set(f: TelegramHarness) -> Json:
    await f.api.until(lambda: any(call.method == "setChatMenuButton" for call in f.api.calls))
    return f.api.menu_button


async def test_the_page_is_in_the_menu_of_private_chats_as_long_as_there_is_one() -> None:
    async with telegram_bot(page_url=URL, language="uk") as f:
        button = await _menu_set(f)
        assert button == {"type": "web_app", "text": "Ігри", "web_app": {"url": f"{URL}/"}}
        assert await f.store.notes.read(TELEGRAM) == [str(f.telegram._bot.id)]
        bot, notes, words = f.telegram._bot, f.store.notes, words_for("uk")
        sent = len(f.api.calls)
        await publishing.offer_page(bot, notes, URL, words)
        assert [call.method for call in f.api.calls[sent:]] == ["getChatMenuButton"], "it is set already"
        await publishing.offer_page(bot, notes, None, words)
        assert f.api.menu_button == {"type": "default"}
        assert await notes.read(TELEGRAM) == [None]
        f.api.menu_button = {"type": "web_app", "text": "Shop", "web_app": {"url": "https://shop.test/"}}
        await publishing.offer_page(bot, notes, None, words)
        assert f.api.menu_button["text"] == "Shop", "a button of someone else stays"


async def test_in_a_group_the_page_opens_by_a_link_for_all_who_are_there() -> None:
    async with telegram_bot(page_url=URL, telegram_app="board") as f:
        await _menu_set(f)
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        hall = f.api.group(HALL, "Hall", ann, bob)
        await f.begin(hall, ann, bob)
        (match,) = await f.store.matches.of(Account("telegram", str(ann.id)))
        await f.press(ann, f.board(hall), "More…")
        links = [key["url"] for message in f.api.shown(hall) for key in keys(message) if "url" in key]
        key = (await Sessions.of(f.store.notes)).watch_key(match.id)
        assert f"https://t.me/{f.telegram._bot.username}/board?startapp={match.id}-{key}" in links
