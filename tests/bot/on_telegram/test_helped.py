"""Engines at the table, and hints, in a group and in private."""

from __future__ import annotations

import re

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking import Thinker
from bot.chat.thinking.seats import Seats
from play.match import Ply
from tests.bot.thinking.helpers import Inline
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words


def seats(f: TelegramHarness) -> Seats:
    return Seats(f.table, f.store, Thinker(Inline()), lambda: f.now, sleep=f._sleep)


async def answered(f: TelegramHarness, engines: Seats) -> None:
    """Have the engine answer, and show that."""
    assert engines.look(f.matches[0])
    for _ in range(5):  # a turn of one ply needs one
        if not await engines.settled(20):
            break
    await f.sender.drain()


async def test_an_engine_is_seen_thinking_and_its_move_changes_the_board_in_place() -> None:
    async with telegram_bot(language="uk") as f:
        ann = f.api.human("Ann", language=None)
        hall = f.api.group(HALL, "Hall", ann)
        await f.say(ann, hall, "/challenge engine:2 side:second breakthrough 4x5")
        board = f.board(hall)
        assert words(board).splitlines()[-1] == "Klop, рівень 2 думає…"
        assert not [each for each in board.get("entities", ()) if each["type"] == "text_mention"]
        engines = seats(f)
        await answered(f, engines)
        (match,) = f.matches
        assert [type(entry) for entry in match.log] == [Ply]
        assert "думає" not in words(board)
        assert words(board).splitlines()[-1] == "Ходить Ann"
        assert f.board(hall)["message_id"] == board["message_id"]
        await engines.close()


async def test_pressed_moves_against_an_engine_stay_in_one_message_and_a_typed_one_shows_a_new_board() -> (
    None
):
    async with telegram_bot() as f:
        ann = f.api.human("Ann")
        await f.say(ann, None, "/challenge engine:2 breakthrough 4x5")
        engines, board = seats(f), f.board(ann)
        (match,) = f.matches

        async def picked(move: str) -> None:
            data = CallbackData(Verb.MOVE, match.id, f.matches[0].revision, move).pack()
            await f.tap(ann, board, data)
            await answered(f, engines)

        await picked("a2-a3")
        assert f.board(ann)["message_id"] == board["message_id"]
        first, second = words(board).splitlines()[:2]
        assert first.startswith("Ann: a2-a3")
        assert second.startswith("Klop")
        await f.say(ann, None, "/move b2-b3")
        fresh = f.board(ann)
        assert fresh["message_id"] > board["message_id"]
        assert not keys(board)
        await answered(f, engines)
        assert f.board(ann)["message_id"] == fresh["message_id"]
        assert "Ann: b2-b3" in words(fresh)
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
        assert not re.search(r"\bL [a-d][1-4]", words(idea))
        assert await f.press(ann, idea, "Show the move") is None
        turn = f.api.last(ann)
        assert turn["message_id"] == idea["message_id"]
        assert "Turn: Bob" in (await f.press(ann, turn, lambda label: label.startswith("Play ")) or "")
        assert len(f.api.shown(hall)) == seen + 1
        (match,) = f.matches
        assert len(match.log) == 1
        # Bob, who is on turn now, has one; Ann has none.
        await f.say(ann, hall, "/hint")
        assert words(f.api.last(hall)) == "Only the player whose turn it is can ask for a hint."
