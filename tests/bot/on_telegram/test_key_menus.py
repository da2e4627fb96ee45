"""The menu under a board of all: one person's for a while."""

from __future__ import annotations

import asyncio

from tests.platforms.telegram.harness import TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Json


def labels(message: Json) -> list[str]:
    return [key["text"] for key in keys(message)]


async def test_more_takes_the_place_of_the_keys_for_the_player_who_pressed_it(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    before, said, shown = labels(board), words(board), len(f.api.shown(hall))
    assert await f.press(ann, board, "More…") is None
    assert labels(board) == ["Offer a draw", "Resign", "Flip the board", "As text", "Board in words", "Back"]
    assert words(board) == said
    assert (
        await f.press(bob, board, "Back") == "Ann is using these keys. They are free again within a minute."
    )
    assert labels(board)[-1] == "Back"
    assert await f.press(ann, board, "Back") is None
    assert labels(board) == before
    assert len(f.api.shown(hall)) == shown
    assert not f.api.shown(ann)
    # What is shown elsewhere gives the keys back.
    await f.press(bob, board, "More…")
    assert await f.press(bob, board, "Flip the board") is None
    assert labels(board) == before
    assert "Breakthrough" in words(f.api.last(bob))
    await f.press(bob, board, "More…")
    assert await f.press(bob, board, "Board in words") is None
    assert labels(board) == before
    assert "Ann (White): 8 men on" in words(f.api.last(bob))


async def test_the_keys_of_one_person_lapse_and_every_board_of_the_sender_resets_them(
    f: TelegramHarness,
) -> None:
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    before, minute = labels(board), asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await minute.wait()

    f.telegram._menus._sleep = sleep
    await f.press(ann, board, "More…")
    minute.set()
    await f.api.until(lambda: labels(board) == before)
    assert await f.press(bob, board, "More…") is None
    await f.say(ann, hall, "/move a2-a3")
    assert keys(board) == []
    assert await f.press(bob, f.board(hall), "More…") is None


async def test_a_move_that_one_player_picks_is_let_be_by_the_others() -> None:
    async with telegram_bot() as f:
        ann, bob, hall = await f.begun("breakthrough 10x10")
        board = f.board(hall)
        assert labels(board) == ["Move", "More…"]
        assert await f.press(ann, board, "Move") is None
        assert labels(board)[-1] == "Back"
        assert "a2-a3" in labels(board)
        assert (await f.press(bob, board, "a2-a3") or "").startswith("Ann is using these keys.")
        assert await f.press(ann, board, "Back") is None
        assert labels(board) == ["Move", "More…"]


async def test_keys_of_a_list_name_the_square_and_what_stands_there() -> None:
    async with telegram_bot() as f:
        ann, _bob, hall = await f.begun("breakthrough 10x10")
        board = f.board(hall)
        await f.press(ann, board, "Move")
        await f.press(ann, board, lambda label: label.startswith("Step"))
        rows = board["reply_markup"]["inline_keyboard"]
        assert "a2 🌕" in labels(board)
        assert max(map(len, rows)) == 5


async def test_a_key_that_picks_nothing_names_its_square(f: TelegramHarness) -> None:
    _ann, bob, hall = await f.begun()
    query = f.api.press(bob, f.board(hall), keys(f.board(hall))[0]["callback_data"])
    await f.settled()
    assert f.api.answered[query]["text"] == "a5"
