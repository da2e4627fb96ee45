"""Keys under messages: menus of one person, the set-up of matches, and the board page."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.i18n import words as words_for
from bot.chat.page_links import watch_key
from bot.chat.thinking import Thinker
from bot.chat.view import Button, View
from bot.platforms.page.sessions import Sessions
from bot.platforms.telegram import proofs, publishing
from bot.platforms.telegram.proofs import BOT as TELEGRAM
from bot.platforms.telegram.rendering import PageKeys, keyboard, named_square
from play.match import Phase, is_engine
from play.people import Account
from tests.bot.chat.thinking.workers import Inline
from tests.platforms.telegram.crowd import NAME
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Human, Json, Room, too_fast

# The menu under a board of all: one person's for a while.


def labels(message: Json) -> list[str]:
    return [key["text"] for key in keys(message)]


async def test_no_menu_of_another_keeps_the_player_on_turn_waiting(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    before = labels(board)
    await f.press(bob, board, "More…")
    assert labels(board) != before
    assert await f.press(ann, board, "Back") is None
    assert labels(board) == before
    await f.press(bob, board, "More…")
    assert await f.press(ann, board, "Resign") is None  # Bob's key: it resigns nothing
    assert labels(board) == before
    assert f.matches[0].phase is Phase.PLAYING


async def test_the_keys_of_one_person_lapse_and_every_board_of_the_sender_resets_them(
    f: TelegramHarness,
) -> None:
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    before, minute = labels(board), asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await minute.wait()

    f.telegram._messenger.menus._sleep = sleep
    await f.press(ann, board, "More…")
    minute.set()
    await f.api.until(lambda: labels(board) == before)
    assert await f.press(bob, board, "More…") is None
    await f.say(ann, hall, "/move a2-a3")
    assert keys(board) == []
    assert await f.press(bob, f.board(hall), "More…") is None


async def test_who_waits_gives_time_with_one_tap(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun("breakthrough 4x5 clock:3d")
    await f.press(ann, f.board(hall), "More…")
    assert not [label for label in labels(f.board(hall)) if label.startswith("Give")]
    await f.press(ann, f.board(hall), "Back")
    await f.press(bob, f.board(hall), "More…")
    await f.press(bob, f.board(hall), "Give 1 day more")
    assert f.matches[0].times is not None
    assert f.matches[0].times.given == timedelta(days=1)
    assert [words(each) for each in f.api.shown(hall) if "gives time" in words(each)]
    assert "Give 1 day more" not in labels(f.board(hall)), "the board has its own keys again"


@pytest.mark.parametrize(("game", "files"), [("breakthrough", 8), ("lgame", 4)])
async def test_under_a_public_board_the_keys_of_the_squares_are_those_of_the_player_who_moves(
    f: TelegramHarness, game: str, files: int
) -> None:
    ann, bob, hall = await f.begun(game)
    board = f.board(hall)
    assert labels(board) == ["Move", "More…"]
    assert (await f.press(bob, board, "Move") or "").startswith("It is not your turn")
    assert labels(board) == ["Move", "More…"]
    assert await f.press(ann, board, "Move") is None
    assert (await f.press(bob, board, "Back") or "").startswith("Ann is using these keys.")
    rows = board["reply_markup"]["inline_keyboard"]
    assert [len(row) for row in rows[:files]] == [files] * files
    assert labels(board)[-1] == "Back"
    # In a conversation the keys hang under the board of the one on turn.
    for who, keyed in ((ann, True), (bob, False)):
        await f.say(who, None, "/board")
        shown = f.api.last(who)
        assert any(key["callback_data"].startswith("1sp:") for key in keys(shown)) is keyed
        assert "Move" not in labels(shown)


@pytest.mark.parametrize(
    ("game", "squares", "picked", "inline"),
    [
        ("klopodavka 8x8", ["b1", "b2", "c3"], "b1 b2 c3", False),
        ("breakthrough 4x5", ["a2", "a3"], "a2-a3", True),
        ("lgame", ["a1", "a2", "a3", "b1", "a4", "c1"], "L a3-a1-b1 n a4-c1", False),
    ],
)
async def test_what_is_tapped_before_the_keys_are_drawn_anew_is_picked_in_order(
    f: TelegramHarness, game: str, squares: list[str], picked: str, inline: bool
) -> None:
    if inline:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        board = await f.card(ann, game)
        await f.press(bob, board, "Join")
    else:
        ann, _bob, hall = await f.begun(game)
        board = f.board(hall)
    await f.press(ann, board, "Move")
    drawn = {square: _key(board, square) for square in squares}
    f.api.faults.append(too_fast("editMessageText", 2))
    presses = [f.api.press(ann, board, drawn[square]) for square in squares]
    await f.settled()
    assert [f.api.answered[each]["text"] for each in presses] == squares
    assert f"Picked: {picked}" in words(board)
    # The last press is delivered once more, to a process that knows nothing of the others.
    f.telegram._messenger.menus.close()
    f.telegram._messenger.edits._revisions.clear()
    f.api.press(ann, board, drawn[squares[-1]])
    await f.settled()
    assert f"Picked: {picked}" in words(board)


def _key(board: Json, square: str) -> str:
    """The data of the key of a square, whether it can be picked or only names it."""
    found = (str(key["callback_data"]) for key in keys(board))
    return next(data for data in found if named_square(data) == square)


# Matches that are ordered by pressing keys.


async def pressed_through(f: TelegramHarness, who: Human, room: Room | Human) -> None:
    """Press the first key of each question, to the end."""
    for _ in range(8):
        question = f.api.last(room)
        held = [str(key.get("callback_data")) for key in keys(question)]
        if not (offered := [data for data in held if data.startswith("1or:")]):
            return
        assert await f.tap(who, question, offered[0]) is None
    raise AssertionError("no end of questions")


async def test_the_greeting_of_a_group_leads_each_person_who_presses_through_their_questions(
    f: TelegramHarness,
) -> None:
    ann, bob, hall = f.three()
    hall.inside = False
    f.api.member(hall, ann, "left", "member")
    await f.settled()
    greeting = f.api.last(hall)
    before = dict(greeting)
    play, rules, help_ = (key["callback_data"] for key in keys(greeting))
    assert await f.tap(bob, greeting, play) is None
    assert f.api.messages[HALL][greeting["message_id"]] == before
    asked = f.api.last(hall)
    assert [e["user"]["id"] for e in asked["entities"] if e["type"] == "text_mention"] == [bob.id]
    assert await f.tap(ann, asked, keys(asked)[0]["callback_data"])  # not hers
    await pressed_through(f, bob, hall)
    (match,) = f.matches
    assert match.host.name == "Bob"
    shown = len(f.api.shown(hall))
    for data in (rules, help_):
        await f.tap(ann, greeting, data)
    assert len(f.api.shown(hall)) == shown
    assert len(f.api.shown(ann)) >= 2


async def test_the_bot_that_is_challenged_as_a_person_plays_and_other_bots_do_not(f: TelegramHarness) -> None:
    ann, _, hall = f.three()
    await f.say(ann, hall, f"/challenge @{NAME} lgame level:2")
    (match,) = f.matches
    assert [str(chair.player and chair.player.account) for chair in match.chairs][1:] == ["engine:2"]
    await f.say(ann, None, "/challenge @music_bot lgame")
    assert "@music_bot is another program" in words(f.api.last(ann))
    assert len(f.matches) == 1


async def test_start_offers_the_computer_a_friend_and_a_group() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann = f.api.human("Ann", language="uk", started=False)
        await f.say(ann, None, "/start")
        hello = f.api.last(ann)
        offered = {key["text"]: key for key in keys(hello)}
        assert offered["Викликати друга"]["switch_inline_query"] == ""
        assert offered["Додати до групи"]["url"] == "https://t.me/klop_test_bot?startgroup=hello"
        await f.press(ann, hello, "Зіграти з комп’ютером")
        assert f.api.shown(ann)[0]["reply_markup"] == hello["reply_markup"]  # still there
        await pressed_through(f, ann, ann)
        (match,) = f.matches
        players = [chair.player for chair in match.chairs if chair.player]
        assert sum(is_engine(player.account) for player in players) == 1
        # The link to a group makes the client say /start there.
        hall = f.api.group(HALL, "Hall", ann)
        await f.say(ann, hall, "/start@klop_test_bot hello")
        assert not f.api.shown(hall)


async def test_a_friend_is_asked_in_another_chat_with_the_match_that_is_being_set_up(
    f: TelegramHarness,
) -> None:
    ann, _, hall = f.three()
    await f.say(ann, hall, "/new rated")
    for label in ("L-game", "scoring"):
        await f.press(ann, f.api.last(hall), label)
    [friend] = [key for key in keys(f.api.last(hall)) if "switch_inline_query" in key]
    assert friend["text"] == "Challenge a friend"
    [first, *_] = await f.offered(ann, friend["switch_inline_query"])
    assert first["title"] == "L-game (scoring), rated"
    await f.press(ann, f.api.last(hall), "Anyone")
    assert not [key for key in keys(f.api.last(hall)) if "switch_inline_query" in key]


# Keys that open the board page: a Mini App in private, a link in groups, and never what Telegram refuses.


SECRET = b"s" * 32
URL = "https://page.test"
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


async def _menu_set(f: TelegramHarness) -> Json:
    await f.api.until(lambda: any(call.method == "setChatMenuButton" for call in f.api.calls))
    return f.api.menu_button


async def test_the_page_is_in_the_menu_of_private_chats_as_long_as_there_is_one() -> None:
    async with telegram_bot(page_url=URL, language="uk") as f:
        button = await _menu_set(f)
        assert button == {"type": "web_app", "text": "Ігри", "web_app": {"url": f"{URL}/"}}
        named = await f.store.notes.read(TELEGRAM, proofs.NAME)
        assert named == [str(f.telegram._bot.id), f.telegram._bot.username]
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
