"""The menu under a board of all: one person's for a while."""

from __future__ import annotations

import asyncio

import pytest

from bot.platforms.telegram.rendering import named_square
from play.match import Phase
from tests.platforms.telegram.harness import TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Json, too_fast


def labels(message: Json) -> list[str]:
    return [key["text"] for key in keys(message)]


async def test_more_takes_the_place_of_the_keys_for_the_player_who_pressed_it(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    before, said, shown = labels(board), words(board), len(f.api.shown(hall))
    assert await f.press(ann, board, "More…") is None
    assert labels(board) == [
        "Offer a draw",
        "End the match",
        "Resign",
        "Mute",
        "Flip the board",
        "As text",
        "Board in words",
        "Back",
    ]
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


@pytest.mark.parametrize(("game", "files"), [("breakthrough", 8), ("lgame", 4), ("klopodavka 8x8", 8)])
async def test_under_a_public_board_the_keys_of_the_squares_are_those_of_the_player_who_moves(
    f: TelegramHarness, game: str, files: int
) -> None:
    ann, bob, hall = await f.begun(game)
    board = f.board(hall)
    assert labels(board) == ["Move", "More…"]
    assert (await f.press(bob, board, "Move") or "").startswith("It is not your turn")
    assert labels(board) == ["Move", "More…"]
    assert await f.press(ann, board, "Move") is None
    rows = board["reply_markup"]["inline_keyboard"]
    assert [len(row) for row in rows[:files]] == [files] * files
    assert labels(board)[-1] == "Back"
    # In a conversation the keys hang under the board of the one on turn.
    for who, keyed in ((ann, True), (bob, False)):
        await f.say(who, None, "/board")
        shown = f.api.last(who)
        assert any(key["callback_data"].startswith("1sp:") for key in keys(shown)) is keyed
        assert "Move" not in labels(shown)


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize(
    ("game", "squares", "picked"),
    [
        ("klopodavka 8x8", ["b1", "b2", "c3"], "b1 b2 c3"),
        ("breakthrough 4x5", ["a2", "a3"], "a2-a3"),
        ("lgame", ["a1", "a2", "a3", "b1", "a4", "c1"], "L a3-a1-b1 n a4-c1"),
    ],
)
async def test_what_is_tapped_before_the_keys_are_drawn_anew_is_picked_in_order(
    f: TelegramHarness, game: str, squares: list[str], picked: str, inline: bool
) -> None:
    if inline:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        query = f.api.ask_inline(ann, game)
        await f.settled()
        board = f.api.post_inline(ann, f.api.results[query][0])
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
    restarted(f)
    f.api.press(ann, board, drawn[squares[-1]])
    await f.settled()
    assert f"Picked: {picked}" in words(board)


def _key(board: Json, square: str) -> str:
    """The data of the key of a square, whether it can be picked or only names it."""
    found = (str(key["callback_data"]) for key in keys(board))
    return next(data for data in found if named_square(data) == square)


async def test_a_key_shows_what_stands_on_its_square_and_names_the_square_when_it_is_pressed(
    f: TelegramHarness,
) -> None:
    ann, _bob, hall = await f.begun()
    board = f.board(hall)
    await f.press(ann, board, "Move")
    rows = [[key["text"] for key in row] for row in board["reply_markup"]["inline_keyboard"]]
    assert rows[:5] == [["🟣"] * 4, ["🟣"] * 4, ["·"] * 4, ["🌕"] * 4, ["🌕"] * 4]
    for number, square in ((0, "a5"), (12, "a2")):
        query = f.api.press(ann, board, keys(board)[number]["callback_data"])
        await f.settled()
        assert f.api.answered[query]["text"] == square
    rows = [[key["text"] for key in row] for row in board["reply_markup"]["inline_keyboard"]]
    assert rows[2:4] == [["•", "•", "·", "·"], ["✅", "🌕", "🌕", "🌕"]]
    assert "❓❓" in words(board)


async def test_a_move_is_picked_in_the_language_of_the_group(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    for who in (ann, bob):
        await f.say(who, None, "/language uk")
    board = f.board(hall)
    assert (await f.press(bob, board, "Move") or "").startswith("Зараз не ваш хід")
    await f.press(ann, board, "Move")
    assert "Turn: Ann" in words(board)
    assert "Which man moves?" in words(board)
    await f.press(ann, board, lambda label: label == "🌕")
    assert "Which man moves?" not in words(board)
    assert "Turn: Ann" in words(board)


def restarted(f: TelegramHarness) -> None:
    """Forget what only the process remembers."""
    f.telegram._menus.close()
    f.telegram.courier._redraws._revisions.clear()


async def test_after_a_restart_the_keys_that_one_player_used_are_those_of_all(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    board = f.board(hall)
    before, said = labels(board), words(board)

    def step(square: str) -> str:
        return next(str(data) for key in keys(board) if (data := key["callback_data"]).endswith(square))

    await f.press(ann, board, "Move")
    await f.tap(ann, board, step(":a2"))
    restarted(f)
    # Another player's press is refused, and brings back the keys of all.
    assert (await f.tap(bob, board, step("/a3")) or "").startswith("It is not your turn")
    assert (labels(board), words(board)) == (before, said)
    # The player who had them goes on, and they lapse.
    await f.press(ann, board, "Move")
    restarted(f)
    minute = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await minute.wait()

    f.telegram._menus._sleep = sleep
    assert await f.tap(ann, board, step(":a2")) is None
    assert (await f.press(bob, board, "Back") or "").startswith("Ann is using these keys.")
    minute.set()
    await f.api.until(lambda: labels(board) == before)
    minute.clear()
    # So does Back, by any player; and each key of a menu.
    await f.press(ann, board, "Move")
    restarted(f)
    assert await f.press(bob, board, "Back") is None
    assert labels(board) == before
    await f.press(ann, board, "More…")
    restarted(f)
    assert await f.press(bob, board, "Board in words") is None
    assert labels(board) == before
    # A key of a board that was retired meanwhile changes nothing.
    await f.press(ann, board, "Move")
    old = step(":a2")
    await f.say(ann, hall, "/move a2-a3")
    restarted(f)
    assert await f.tap(bob, board, old)
    assert labels(board) == []


async def test_who_is_kept_out_has_the_menu_of_their_match_and_is_refused_the_rest_in_words() -> None:
    async with telegram_bot() as f:
        ann, bob, cem = (f.api.human(name, user=name.lower()) for name in ("Ann", "Bob", "Cem"))
        hall = f.api.group(-1_001_000_000_500, "Hall", ann, bob, cem)
        hall.admins.add(ann.id)
        await f.begin(hall, ann, bob)
        board, notice = f.board(hall), "The admins keep you out"
        before = labels(board)
        for name in ("bob", "cem"):
            await f.say(ann, hall, f"/exclude @{name}")
        assert await f.press(bob, board, "More…") is None
        assert (await f.press(bob, board, "Mute") or "").startswith(notice)
        assert (await f.press(bob, board, "Mute") or "").startswith(notice)
        assert "Back" in labels(board)
        flip = next(key["callback_data"] for key in keys(board) if key["text"] == "Flip the board")
        for key in ("Flip the board", "As text", "Board in words"):
            shown = len(f.api.shown(bob))
            assert await f.press(bob, board, key) is None
            assert len(f.api.shown(bob)) == shown + 1
            assert labels(board) == before
            assert await f.press(bob, board, "More…") is None
        assert await f.press(bob, board, "Back") is None
        said = words(board)
        for key in ("More…", "Move"):
            assert (await f.press(cem, board, key) or "").startswith(notice)
        assert (await f.tap(cem, board, flip) or "").startswith(notice)  # a key of a menu that is gone
        for who, line in ((bob, "/help"), (cem, "/board"), (cem, "/games")):
            await f.say(who, hall, line)
            assert words(f.api.last(hall)).startswith(notice)
        assert (labels(board), words(board)) == (before, said)
