"""Looking at a match: from the other side, as a film, move by move."""

from __future__ import annotations

from bot.chat.callback_data import CallbackData, Verb
from bot.chat.thinking import Thinker
from tests.bot.thinking.helpers import Inline
from tests.platforms.telegram.harness import HALL, TelegramHarness, keys, telegram_bot, words
from tests.platforms.telegram.server import Human


async def alone(f: TelegramHarness, game: str = "lgame") -> Human:
    """Ann, in her private chat, against an engine that lets her begin."""
    ann: Human = f.api.human("Ann")
    await f.say(ann, None, f"/challenge engine:1 {game} side:first")
    return ann


async def test_a_board_is_turned_in_place_with_its_keys_and_stays_turned_while_a_move_is_picked() -> None:
    async with telegram_bot(pictures=True) as f:
        ann = await alone(f, "breakthrough 4x5")
        board = f.board(ann)
        shown, before = len(f.api.shown(ann)), dict(board)
        names = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
        await f.press(ann, board, "More…")
        assert await f.press(ann, board, "Flip the board") is None
        assert len(f.api.shown(ann)) == shown
        assert board["png"] != before["png"]
        turned = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
        assert turned == [":~".join(name.rsplit(":", 1)) for name in reversed(names)]
        # A tap leaves it as it is.
        await f.tap(ann, board, turned[0])
        picked = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
        assert picked
        assert all(":~" in data for data in picked)
        assert len(f.api.shown(ann)) == shown


async def test_a_turned_board_is_turned_back() -> None:
    async with telegram_bot(pictures=True) as f:
        ann = await alone(f, "breakthrough 4x5")
        board = f.board(ann)
        first = board["png"], [key["callback_data"] for key in keys(board) if "sp:" in key["callback_data"]]
        await f.press(ann, board, "More…")
        for _ in range(2):
            await f.press(ann, board, "Flip the board")
        again = board["png"], [key["callback_data"] for key in keys(board) if "sp:" in key["callback_data"]]
        assert again == first


async def test_the_second_player_sees_the_board_from_their_side_in_private() -> None:
    async with telegram_bot(pictures=True) as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        await f.say(ann, None, "/new breakthrough 4x5")
        (match,) = f.matches
        await f.say(bob, None, f"/start join-{match.id}")
        await f.say(ann, None, "/start")
        await f.say(ann, None, "/move a2-a3")
        for who, on_turn in ((ann, False), (bob, True)):
            board = f.board(who)
            picks = [key["callback_data"] for key in keys(board) if key["callback_data"].startswith("1sp:")]
            assert bool(picks) == on_turn
            assert all(":~" in data for data in picks)
            assert ("Make a move" in [key["text"] for key in keys(board)]) is False


async def test_a_film_has_a_caption_and_an_analysis_is_paged_in_one_message() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = await f.begun("breakthrough 4x5")
        await f.say(ann, hall, "/move a2-a3")
        await f.say(bob, hall, "/move b4xa3")
        await f.say(bob, hall, "/resign")
        await f.press(bob, f.api.last(hall), lambda label: True)
        over, seen = f.board(hall), len(f.api.shown(ann))
        assert await f.press(ann, over, "Replay") is None
        (film,) = f.api.shown(ann)[seen:]
        assert "animation" in film
        assert "Ann" in words(film)
        assert await f.press(ann, over, "Analyse") is None
        page = f.api.last(ann)
        assert page is not film
        shown, before = len(f.api.shown(ann)), words(page)
        assert await f.press(ann, page, lambda label: True) is None
        assert len(f.api.shown(ann)) == shown
        assert words(page) != before


async def test_who_cannot_be_written_to_is_led_to_the_private_chat() -> None:
    async with telegram_bot() as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        cem = f.api.human("Cem", started=False)
        hall = f.api.group(HALL, "Hall", ann, bob, cem)
        await f.begin(hall, ann, bob)
        board = f.board(hall)
        query = f.api.press(cem, board, CallbackData(Verb.FLIP, f.matches[0].id, 0).pack())
        await f.settled()
        assert f.api.answered[query]["url"].endswith(f"start=board-{f.matches[0].id}")
