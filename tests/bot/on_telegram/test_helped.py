"""Engines at the table, and hints, in a group and in private."""

from __future__ import annotations

from bot.thinking import Thinker
from bot.thinking.seats import Seats
from play.match import Ply
from tests.bot.thinking.helpers import Inline
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words


def seats(f: TelegramHarness) -> Seats:
    return Seats(f.table, f.store, Thinker(Inline()), lambda: f.now, sleep=f._sleep)


async def test_an_engine_is_seen_thinking_and_then_calls_the_next_player() -> None:
    async with telegram_bot(language="uk") as f:
        ann = f.api.human("Ann")
        hall = f.api.group(HALL, "Hall", ann)
        await f.say(ann, hall, "/challenge engine:2 side:second breakthrough 4x5")
        board = f.board(hall)
        assert words(board).splitlines()[-1] == "Klop, рівень 2 думає…"
        assert not [each for each in board.get("entities", ()) if each["type"] == "text_mention"]
        engines = seats(f)
        (match,) = f.matches
        assert engines.look(match)
        for _ in range(5):  # a turn of one ply needs one
            if not await engines.settled(20):
                break
        await f.sender.drain()
        (match,) = f.matches
        assert [type(entry) for entry in match.log] == [Ply]
        assert "думає" not in words(board)
        board = f.board(hall)
        assert words(board).splitlines()[-1] == "Хід: Ann"
        (called,) = [each for each in board["entities"] if each["type"] == "text_mention"]
        assert called["user"]["id"] == ann.id
        await engines.close()


async def test_a_hint_is_told_in_private_first_its_idea_then_the_turn() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = await f.begun("lgame")
        seen = len(f.api.shown(hall))
        board = f.board(hall)
        refused = await f.press(bob, board, "Hint")
        assert (refused or "").startswith("Only the player whose turn it is can ask for a hint.")
        assert await f.press(ann, board, "Hint") is None
        idea = f.api.last(ann)
        assert "Hint: " in words(idea)
        assert "L " not in words(idea).replace("L-game", "").replace("L’s", "")
        assert await f.press(ann, idea, "Show the move") is None
        turn = f.api.last(ann)
        assert turn["message_id"] != idea["message_id"]
        # The button stays there while a move is picked on everybody's board.
        await f.tap(
            ann, board, next(k["callback_data"] for k in keys(board) if k["callback_data"][1:3] == "sp")
        )
        assert any(key["text"] == "Hint" for key in keys(f.board(hall)))
        assert "Turn: Bob" in (await f.press(ann, turn, lambda label: label.startswith("Play ")) or "")
        assert len(f.api.shown(hall)) == seen + 1
        (match,) = f.matches
        assert len(match.log) == 1
        # Bob, who is on turn now, has one; Ann has none.
        await f.say(ann, hall, "/hint")
        assert words(f.api.last(ann)) == "Only the player whose turn it is can ask for a hint."


async def test_who_wants_to_be_forgotten_is(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    await f.say(ann, hall, "/settings theme:dark")
    await f.say(ann, hall, "/forgetme")
    asked = f.api.last(ann)
    assert len(f.matches) == 1
    await f.press(ann, asked, lambda label: "forget me" in label)
    (match,) = f.matches
    assert not match.live
    names = {chair.player.name for chair in match.chairs if chair.player}
    assert "Ann" not in names
    assert "Bob" in names
    assert str(ann.id) not in repr(match)
    notes = [text for text in f.store.notes._notes.values() if "Ann" in str(text) or str(ann.id) in str(text)]
    assert not notes
    await f.say(bob, hall, "/challenge ann lgame")
    assert len(f.matches) == 1, "she is forgotten"


async def test_an_admin_ends_a_match_where_that_was_chosen(f: TelegramHarness) -> None:
    ann, bob, eve = f.api.human("Ann"), f.api.human("Bob"), f.api.human("Eve")
    hall = f.api.group(HALL, "Hall", ann, bob, eve)
    hall.admins.add(eve.id)
    await f.begin(hall, ann, bob, "breakthrough 4x5")
    board = f.board(hall)
    await f.say(eve, hall, "/end")
    assert "players alone" in words(f.api.last(eve))
    await f.say(eve, hall, "/config end:admins")
    await f.say(ann, hall, "/end")
    assert "Only those who run this chat" in words(f.api.last(ann))
    (match,) = f.matches
    assert match.live
    await f.say(eve, hall, "/end")
    (match,) = f.matches
    assert not match.live
    assert keys(board) == []
    assert "somebody who runs this chat" in words(f.board(hall))
