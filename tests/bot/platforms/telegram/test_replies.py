"""Replies to one person in a group, and players whom the bot does not reach."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.platforms.telegram.places import Chat
from bot.platforms.telegram.replies import KEPT, ShortReplies
from bot.platforms.telegram.updates import Edits
from play.people import Address
from tests.platforms.telegram.harness import HALL, TelegramHarness
from tests.platforms.telegram.server import BOT, Human, Json, Room, keys, too_fast, words


def strangers(f: TelegramHarness) -> tuple[Human, Human, Room]:
    """Return two people who have never opened the private chat, and their group."""
    ann, bob = f.api.human("Ann", started=False), f.api.human("Bob", started=False)
    return ann, bob, f.api.group(HALL, "Hall", ann, bob)


def reply(f: TelegramHarness, room: Room) -> Json:
    """Return the bot's last message in a group, which is a silent reply to the last message of a person."""
    said = max(number for number, m in f.api.messages[room.id].items() if m["from"]["id"] != BOT)
    found = f.api.last(room)
    assert found["reply_to_message"]["message_id"] == said
    assert found["silent"]
    return found


def reactions(f: TelegramHarness, who: Human, room: Room) -> list[str]:
    return list(f.api.said(who, room).get("reactions", ()))


@pytest.mark.parametrize("started", [False, True])
async def test_a_refused_move_is_answered_beside_it_and_the_reply_is_deleted(
    f: TelegramHarness, *, started: bool
) -> None:
    ann, bob, hall = strangers(f)
    if started:
        f.api.started |= {ann.id, bob.id}
    await f.begin(hall, ann, bob)
    for text in ("/move a2-a5", "/move d9", "/move #zzzzzz a2-a3"):
        shown = len(f.api.shown(hall))
        await f.say(ann, hall, text)
        assert len(f.api.shown(hall)) == shown + 1
        assert reactions(f, ann, hall) == ["🤔"]
        assert len(words(reply(f, hall))) < 200
        await f.swept(KEPT.total_seconds() - 1)
        assert len(f.api.shown(hall)) == shown + 1
        await f.swept(1)
        assert len(f.api.shown(hall)) == shown
    assert not f.api.shown(ann)


async def test_a_played_move_is_shown_by_a_reaction(f: TelegramHarness) -> None:
    ann, bob, hall = strangers(f)
    await f.begin(hall, ann, bob)
    await f.say(ann, hall, "/move a2-a3")
    assert reactions(f, ann, hall) == ["👍"]
    await f.say(bob, hall, "b4xa3", reply_to=f.board(hall))
    assert reactions(f, bob, hall) == ["👍"]
    hall.reactions = {"🔥"}
    await f.say(ann, hall, "/move b2xa3")
    assert reactions(f, ann, hall) == []
    await f.say(bob, hall, "/move a1")
    assert reactions(f, bob, hall) == []
    assert reply(f, hall)  # alone
    assert len(f.matches[0].log) == 3


async def test_long_answers_lead_to_the_private_chat(f: TelegramHarness) -> None:
    ann, bob, hall = strangers(f)
    await f.begin(hall, ann, bob)
    shown = len(f.api.shown(hall))
    for text, start in (
        ("/help", "hello"),
        ("/rules lgame", "hello"),
        ("/board", f"board-{f.matches[0].id}"),
    ):
        await f.say(ann, hall, text)
        (key,) = keys(reply(f, hall))
        assert key["url"] == f"https://t.me/klop_test_bot?start={start}"
        assert reactions(f, ann, hall) == []
    await f.swept(KEPT.total_seconds())
    assert len(f.api.shown(hall)) == shown
    await f.say(ann, None, "/start hello")
    await f.say(ann, hall, "/help")
    assert len(f.api.shown(hall)) == shown


async def test_matches_elsewhere_are_not_named_in_a_group(f: TelegramHarness) -> None:
    ann, bob, hall = f.three()
    yard = f.api.group(HALL - 1, "Yard", ann, bob)
    await f.begin(yard, ann, bob)
    await f.say(ann, hall, "/move a2-a5")
    assert not f.api.shown(hall)
    assert f"#{f.matches[0].id}" in words(f.api.last(ann))


@pytest.mark.parametrize("admin", [False, True])
async def test_the_rights_for_a_corrected_command_are_those_of_the_command(
    f: TelegramHarness, *, admin: bool
) -> None:
    ann, _bob, hall = f.three()
    if admin:
        hall.admins.add(ann.id)
    await f.say(ann, hall, "/confg most:2")
    alert = await f.press(ann, f.api.last(hall), "/config most:2")
    place = await f.store.settings.get(Address("telegram", str(HALL)))
    assert place.most == (2 if admin else 0)
    assert not f.api.shown(ann)
    assert ("At most 2" in words(f.api.last(hall))) == admin
    assert admin != ("admins of this chat" in str(alert) + words(f.api.last(hall)))


async def test_mistyped_commands_are_answered_and_those_of_other_bots_are_not(f: TelegramHarness) -> None:
    ann, _bob, hall = strangers(f)
    for text in ("/chalenge bob", "/mvoe a2-a3", "/halp", "/roll@Klop_Test_Bot"):
        await f.say(ann, hall, text)
        assert reply(f, hall)
    shown = len(f.api.shown(hall))
    for text in ("/roll 3d6", "/ban", "/chalenge@other_bot"):
        await f.say(ann, hall, text)
    assert len(f.api.shown(hall)) == shown


async def test_an_edit_counts_once_if_the_message_was_refused(f: TelegramHarness) -> None:
    ann, bob, hall = strangers(f)
    await f.begin(hall, ann, bob)
    await f.say(ann, hall, "/move a2-a5")
    await f.edit(ann, hall, "/move a2-a6")  # refused again
    assert reactions(f, ann, hall) == ["🤔"]
    number = f.api.edit(ann, hall, f.api.said(ann, hall), "/move a2-a3")
    (raw,) = [each for each in f.api._updates if each["update_id"] == number]
    await f.settled()
    assert reactions(f, ann, hall) == ["👍"]
    (match,) = f.matches
    assert len(match.log) == 1
    f.api._updates.append(raw)
    f.api._news.set()
    await f.settled()
    await f.edit(ann, hall, "/resign")
    await f.edit(ann, hall, "/move b2-b3")
    await f.say(bob, hall, "/move b4-b3")
    assert len(f.matches[0].log) == 2
    await f.edit(bob, hall, "/undo")  # it was played
    assert len(f.matches[0].log) == 2


async def test_after_a_restart_replies_are_deleted_and_edits_count_once(f: TelegramHarness) -> None:
    ann, bob, hall = strangers(f)
    await f.begin(hall, ann, bob)
    shown = len(f.api.shown(hall))
    await f.say(ann, hall, "/move a2-a5")
    f.api.faults.append(too_fast("deleteMessage", 3))
    again = ShortReplies(f.store.timelines, f.telegram._short_replies._messenger, lambda: f.now)
    f.now += KEPT
    await again.sweep()
    assert len(f.api.shown(hall)) == shown + 1  # Telegram demands to wait
    await again.sweep()
    assert len(f.api.shown(hall)) == shown
    edits, message = Edits(f.store.notes), f.api.said(ann, hall)["message_id"]
    chat = Chat(HALL)
    assert await edits.counts(chat, message, 1)
    assert [await Edits(f.store.notes).counts(chat, message, update) for update in (1, 2)] == [True, False]


async def test_an_anonymous_administrator_is_told_what_to_switch_off(f: TelegramHarness) -> None:
    ann, _bob, hall = strangers(f)
    bot = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    for text in ("/challenge lgame", "/roll 3d6"):
        f.api.say(ann, hall, text)
        f.api._updates[-1]["message"] |= {"from": bot, "sender_chat": hall.json}
        await f.settled()
        assert len(f.api.shown(hall)) == 1
    assert "Remain anonymous" in words(f.api.last(hall))
    assert not f.matches
    await f.swept(KEPT.total_seconds())
    assert not f.api.shown(hall)


# Players whom a group, or the bot, no longer reaches: they are called elsewhere, and the others are told.


def pinged(message: Json) -> list[int]:
    entities = message.get("entities", []) + message.get("caption_entities", [])
    return [each["user"]["id"] for each in entities if each["type"] == "text_mention"]


def said(f: TelegramHarness, where: Room | Human, part: str) -> list[str]:
    return [words(message) for message in f.api.shown(where) if part in words(message)]


@pytest.mark.parametrize("how", ["left", "as an admin sees it", "unseen"])
async def test_a_player_who_leaves_the_group_is_called_in_private_until_they_are_back(
    f: TelegramHarness, how: str
) -> None:
    ann, bob, hall = f.three()
    if how == "as an admin sees it":
        hall.admins.add(7000000001)
    await f.begin(hall, ann, bob)
    if how == "unseen":  # no update says it; he was called last an hour ago
        await f.say(ann, hall, "/move a2-a3")
        await f.say(bob, hall, "/move b4-b3")
        f.now += timedelta(hours=1)
    f.api.leave(hall, bob, told=how != "unseen")
    await f.settled()
    assert len(said(f, bob, "You are no longer in the chat")) == (how != "unseen")
    await f.say(ann, hall, "/move c2-c3" if how == "unseen" else "/move a2-a3")
    called = f.api.last(bob)
    assert "Turn: Bob" in words(called)
    assert said(f, hall, "no longer") == [
        f"Breakthrough (board: 4×5) · #{f.matches[0].id}\nBob is no longer in this chat and plays on in private."
    ]
    if how != "unseen":  # then the board that finds it out still called him
        assert pinged(f.board(hall)) == []
    await f.say(bob, None, f"/move #{f.matches[0].id} {'d4-d3' if how == 'unseen' else 'b4-b3'}")
    assert "Turn: Ann" in words(f.board(hall))
    assert pinged(f.board(hall)) == [ann.id]
    shown = len(f.api.shown(bob))
    f.api.service(hall, bob, new_chat_members=[bob.json])
    hall.people.add(bob.id)
    await f.settled()
    await f.say(ann, hall, f"/move {'a1-a2' if how == 'unseen' else 'c2-c3'}")
    assert "Turn: Bob" in words(f.board(hall))
    assert pinged(f.board(hall)) == [bob.id]
    assert len(f.api.shown(bob)) == shown, "as before"
    assert len(said(f, hall, "no longer")) == 1


@pytest.mark.parametrize(("clock", "choice"), [("", ""), ("clock:3d soft", "/claim"), ("clock:3d", "lose")])
async def test_who_left_and_cannot_be_written_to_is_told_of_once_with_what_can_be_done(
    f: TelegramHarness, clock: str, choice: str
) -> None:
    ann, bob, hall = strangers(f)
    f.api.started.add(ann.id)
    await f.begin(hall, ann, bob, f"breakthrough 4x5 {clock}")
    f.api.leave(hall, bob)
    await f.settled()
    (told,) = said(f, hall, "no longer")
    assert "cannot write to them in private" in told
    assert f"/end #{f.matches[0].id}" in told
    assert choice in told
    assert pinged(f.api.last(hall)) == [ann.id]
    await f.say(ann, hall, "/move a2-a3")
    assert len(said(f, hall, "cannot write")) == 1
    shown = len(f.api.shown(bob))
    await f.say(bob, None, "/start")  # he lets the bot write
    assert "Turn: Bob" in words(f.api.shown(bob)[shown]) or "Turn: Bob" in words(f.api.last(bob))
