"""Matches on Telegram, in groups and in private; help and hints."""

from __future__ import annotations

import pytest

from bot.chat.i18n import words as words_in
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import refused


@pytest.mark.parametrize("pictures", [True, False])
async def test_a_folded_board_shows_what_was_played_and_nothing_that_was_only_picked(pictures: bool) -> None:
    async with telegram_bot(pictures=pictures) as f:
        ann, bob, hall = f.three()
        await f.say(ann, hall, "/challenge bob breakthrough 4x5")
        card = f.board(hall)
        assert "invited" in words(card)
        await f.press(bob, card, "Accept")
        assert keys(card) == []
        (match,) = f.matches
        title = f"Breakthrough (board: 4×5) · #{match.id}"
        assert words(card) == f"{title}\nThe game begins: Ann – Bob."
        await f.say(ann, hall, "/move a2-a3")
        board = f.board(hall)
        said, before = words(board), board.get("png")
        await f.press(bob, board, "Move")
        await f.press(bob, board, lambda label: label == "🟣")
        picked = words(board)
        assert picked != said
        await f.say(bob, hall, "/move c4-c3")
        assert f.board(hall) is not board
        assert keys(board) == []
        assert words(board).startswith(f"Ann: a2-a3\n{title}")
        assert "Turn" not in words(board)
        assert board.get("png") == before
        # A board with what is taken back says what it was as well.
        board = f.board(hall)
        await f.say(ann, hall, "/takeback")
        await f.say(bob, hall, "/takeback yes")
        assert f.board(hall) is not board
        assert words(board).startswith("Bob: c4-c3\n")


async def test_where_no_photo_may_be_changed_its_words_are() -> None:
    async with telegram_bot(pictures=True) as f:
        ann, _bob, hall = await f.begun()
        board = f.board(hall)
        hall.photos = False
        f.api.faults.append(refused("editMessageMedia", "Bad Request: not enough rights to send photos"))
        await f.say(ann, hall, "/move a2-a3")
        assert not any(fault.times for fault in f.api.faults)
        assert keys(board) == []
        assert words(board).startswith("The game begins: Ann – Bob.\n")


@pytest.mark.parametrize("language", ["en", "uk", "ru"])
async def test_a_bug_is_logged_and_told(
    f: TelegramHarness, language: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ann, bob = f.api.human("Ann", language=language), f.api.human("Bob")
    hall = f.api.group(HALL, "Hall", ann, bob)
    await f.say(bob, hall, "/challenge ann lgame")
    card = f.board(hall)

    async def broken(*_: object, **__: object) -> None:
        raise KeyError

    for name in ("answer", "press"):
        monkeypatch.setattr(f.services.desk, name, broken)
    told = words_in(language)("bot.command.failed")
    await f.say(ann, None, "/games")
    assert told in words(f.api.last(ann))
    await f.say(ann, hall, "/games")
    assert told in words(f.api.last(hall))
    assert await f.press(ann, card, lambda label: True) == told
    assert [record.getMessage() for record in caplog.records if record.exc_info] == [
        "a command failed",
        "a command failed",
        "a press failed",
    ]
