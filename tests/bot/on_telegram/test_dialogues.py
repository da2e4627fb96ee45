"""Matches that are ordered by pressing keys."""

from __future__ import annotations

from bot.chat.thinking import Thinker
from play.match import Phase, is_engine
from tests.bot.thinking.helpers import Inline
from tests.platforms.telegram.crowd import NAME
from tests.platforms.telegram.harness import HALL, TelegramHarness, telegram_bot
from tests.platforms.telegram.server import Human, Json, Room, keys, words


async def pressed_through(f: TelegramHarness, who: Human, room: Room | Human) -> None:
    """Press the first key of each question, to the end."""
    for _ in range(8):
        question = f.api.last(room)
        offered = [
            key["callback_data"] for key in keys(question) if key.get("callback_data", "").startswith("1or:")
        ]
        if not offered:
            return
        assert await f.tap(who, question, offered[0]) is None
    raise AssertionError("no end of questions")


def question(f: TelegramHarness, room: Room | Human) -> Json:
    found = f.api.last(room)
    assert any(key.get("callback_data", "").startswith("1or:") for key in keys(found)), words(found)
    return found


async def test_a_challenge_without_anything_is_asked_for_in_the_group(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    await f.say(ann, hall, "/challenge")
    asked = question(f, hall)
    assert asked["reply_to_message"]["from"]["id"] == ann.id
    assert not f.api.shown(ann)
    # It is for Ann alone.
    told = await f.tap(bob, asked, keys(asked)[0]["callback_data"])
    assert told
    assert f.api.last(hall) == asked
    await pressed_through(f, ann, hall)
    (match,) = f.matches
    assert match.phase is Phase.OPEN
    assert match.host.name == "Ann"
    assert [str(place) for place in match.addresses] == [f"telegram:{HALL}"]
    # Nothing is left of the questions.
    assert len(f.api.shown(hall)) == 1
    assert f"#{match.id}" in words(f.api.last(hall))


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
    asked = question(f, hall)
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


async def test_the_person_replied_to_is_challenged(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    hall = f.api.group(HALL, "Hall", ann, bob, admin=True)
    await f.say(bob, hall, "who plays?")
    said = next(m for m in f.api.messages[HALL].values() if m.get("text") == "who plays?")
    await f.say(ann, hall, "/challenge lgame", reply_to=said)
    (match,) = f.matches
    assert match.chairs[1].reserved
    assert match.chairs[1].reserved.name == "Bob"


async def test_start_in_private_starts_ones_own_lobby_and_else_says_hello(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    await f.say(ann, None, "/new klopodavka players:3")
    (match,) = f.matches
    await f.say(bob, None, f"/start join-{match.id}")
    await f.say(bob, None, "/start")  # it is not his
    await f.say(ann, None, "/start hello")
    assert [each.phase for each in f.matches] == [Phase.OPEN]
    await f.say(ann, None, "/start")
    assert await f.press(ann, f.api.last(ann), "Start") is None  # by two in place of three
    assert [each.phase for each in f.matches] == [Phase.PLAYING]
    shown = len(f.api.shown(ann))
    await f.say(ann, None, "/start")
    assert [key["text"] for key in keys(f.api.last(ann))] == [
        *("Play", "Rules", "Help"),
        *("Challenge a friend", "Add to a group"),
    ]
    assert len(f.api.shown(ann)) == shown + 1


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
    query = f.api.ask_inline(ann, friend["switch_inline_query"])
    await f.settled()
    [first, *_] = f.api.results[query]
    assert first["title"] == "L-game (scoring), rated"
    await f.press(ann, f.api.last(hall), "Anyone")
    assert not [key for key in keys(f.api.last(hall)) if "switch_inline_query" in key]
