"""Players whom a group, or the bot, no longer reaches: they are called elsewhere, and the others are told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.platforms.telegram.places import account
from play.match import Phase
from play.time.firing import fire
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, words
from tests.platforms.telegram.server import Human, Json, Room


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


async def test_a_player_who_comes_back_by_a_message_is_called_in_the_group_again(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    f.api.leave(hall, bob)
    await f.settled()
    assert (await f.store.settings.get(account(bob.id))).left
    await f.say(bob, hall, "/games")
    assert not (await f.store.settings.get(account(bob.id))).left
    await f.say(ann, hall, "/move a2-a3")
    assert pinged(f.board(hall)) == [bob.id]


@pytest.mark.parametrize(("clock", "choice"), [("", ""), ("clock:3d soft", "/claim"), ("clock:3d", "lose")])
async def test_who_left_and_cannot_be_written_to_is_told_of_once_with_what_can_be_done(
    f: TelegramHarness, clock: str, choice: str
) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob", started=False)
    hall = f.api.group(HALL, "Hall", ann, bob)
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


async def test_a_seat_of_several_is_said_to_be_free_for_a_substitute(f: TelegramHarness) -> None:
    ann, bob, cem = f.api.human("Ann"), f.api.human("Bob", started=False), f.api.human("Cem")
    hall = f.api.group(HALL, "Hall", ann, bob, cem)
    await f.say(ann, hall, "/challenge bob cem klopodavka players:3 clock:3d soft")
    for who in (bob, cem):
        await f.press(who, f.board(hall), "Accept")
    f.api.leave(hall, bob)
    await f.settled()
    (told,) = said(f, hall, "no longer")
    assert all(command in told for command in ("/claim", "/substitute", "/end"))
    assert pinged(f.api.last(hall)) == [ann.id, cem.id]


async def test_who_blocks_the_bot_in_a_private_match_is_told_of_once(f: TelegramHarness) -> None:
    ann, bob = f.api.human("Ann"), f.api.human("Bob")
    f.api.group(HALL, "Hall", ann, bob)
    await f.say(bob, None, "/start")
    await f.say(ann, None, "/challenge @bob breakthrough 4x5 clock:2d soft")
    await f.press(bob, f.api.last(bob), "Accept")
    f.api.member(f.api.rooms[bob.id], bob, "member", "kicked")
    await f.settled()
    await f.say(ann, None, "/move a2-a3")
    (told,) = said(f, ann, "cannot write")
    assert "It is Bob’s move" in told
    assert "/claim" in told
    for _ in range(2):
        await fire(f.table, f.matches[0].id, "remind", f.table.now(f.now + timedelta(days=1)))
        await f.sender.drain()
    assert len(said(f, ann, "cannot write")) == 1


async def test_what_is_resigned_or_over_is_not_told_of(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    await f.say(bob, hall, "/resign")
    await f.press(bob, f.api.last(hall), lambda label: True)
    assert f.matches[0].phase is Phase.OVER
    f.api.leave(hall, bob)
    await f.settled()
    assert not said(f, hall, "no longer")
    assert not f.api.shown(bob)
    await f.say(ann, hall, "/challenge bob lgame")
    assert "Accept" in [key["text"] for key in keys(f.api.last(bob))], "he is called where he reads it"


@pytest.mark.parametrize("reads", [True, False])
async def test_who_cannot_be_written_to_in_a_cup_is_called_by_name_where_it_is_shown(
    f: TelegramHarness, reads: bool
) -> None:
    ann, cem, host = (f.api.human(name) for name in ("Ann", "Cem", "Dan"))
    bob = f.api.human("Bob", started=False)
    hall = f.api.group(HALL, "Hall", ann, bob, cem, host)
    await f.say(host, hall, "/cup new lgame clock:1d most:3")
    for who in (ann, bob):
        await f.say(who, hall, "/cup join")
    if not reads:
        f.api.leave(hall, bob)
        await f.settled()
    await f.say(cem, hall, "/cup join")
    (game,) = [m for m in f.matches if [p.name for p in m.players()] == ["Ann", "Bob"]]
    await f.say(ann, None, f"/move #{game.id} L a3-a1-b1 n d1-c1")
    calls = [message for message in f.api.shown(hall) if f"/move #{game.id}" in words(message)]
    if reads:
        (call,) = calls
        assert pinged(call) == [bob.id]
        assert [key["text"] for key in keys(call)] == [f"#{game.id}"]
        assert "Bob, it is your move" in words(call)
        assert not said(f, ann, "cannot write")
    else:
        assert not calls
        (told,) = [text for text in said(f, ann, "It is Bob’s move") if game.id in text]
        assert "they lose" in told
    assert len(said(f, host, "It is Bob’s move")) == 1, "the host is told once"
    await f.say(bob, None, "/start")
    assert said(f, bob, "Turn: Bob")
