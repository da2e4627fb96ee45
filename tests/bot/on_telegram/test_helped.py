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
        ann = f.api.human("Ann", language=None)
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
        assert words(board).splitlines()[-1] == "Ходить Ann"
        (called,) = [each for each in board["entities"] if each["type"] == "text_mention"]
        assert called["user"]["id"] == ann.id
        await engines.close()


async def test_a_hint_is_told_in_private_first_its_idea_then_the_turn() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = await f.begun("lgame")
        seen = len(f.api.shown(hall))
        board = f.board(hall)
        await f.press(bob, board, "More…")
        assert "Hint" not in [key["text"] for key in keys(board)]
        await f.press(bob, board, "Back")
        await f.press(ann, board, "More…")
        assert await f.press(ann, board, "Hint") is None
        idea = f.api.last(ann)
        assert "Hint: " in words(idea)
        assert "L " not in words(idea).replace("L-game", "").replace("L’s", "")
        assert await f.press(ann, idea, "Show the move") is None
        turn = f.api.last(ann)
        assert turn["message_id"] != idea["message_id"]
        assert "Turn: Bob" in (await f.press(ann, turn, lambda label: label.startswith("Play ")) or "")
        assert len(f.api.shown(hall)) == seen + 1
        (match,) = f.matches
        assert len(match.log) == 1
        # Bob, who is on turn now, has one; Ann has none.
        await f.say(ann, hall, "/hint")
        assert words(f.api.last(hall)) == "Only the player whose turn it is can ask for a hint."
