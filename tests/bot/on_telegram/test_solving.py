"""Puzzles on Telegram: solved and failed by pressing keys, each by themselves."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from bot.chat.callback_data import Verb
from bot.chat.thinking import Thinker
from bot.features.puzzles.library import Posed
from engine.core import Task
from tests.bot.puzzles.solving import at_start, best, posed_of, steps_to
from tests.bot.thinking.helpers import Inline
from tests.platforms.telegram.harness import HALL, TelegramHarness, telegram_bot
from tests.platforms.telegram.server import Human, Json, keys, words
from tests.support.dailies import edited


def offered(message: Json, verb: Verb, argument: str = "") -> str:
    """The key of that kind, with an argument that ends so."""
    found = [str(key.get("callback_data", "")) for key in keys(message)]
    return next(data for data in found if data.startswith(f"1{verb.value}:") and data.endswith(argument))


async def through(f: TelegramHarness, who: Human, posed: Posed, ply: str) -> None:
    """Press a ply on the board in a private chat, and the button that plays it."""
    for token in steps_to(posed, at_start(posed), ply):
        held = [str(key.get("callback_data", "")) for key in keys(f.api.last(who))]
        step = next(data for data in held if re.fullmatch(rf"1pp:.*[:/]{re.escape(token)}", data))
        assert await f.tap(who, f.api.last(who), step) is None
    board = f.api.last(who)
    assert await f.tap(who, board, offered(board, Verb.TRY)) is None


async def test_a_puzzle_is_solved_by_pressing_in_private() -> None:
    async with telegram_bot(thinker=Thinker(Inline()), pictures=True) as f:
        ann, posed = f.api.human("Ann"), posed_of("lgame", Task.SAVE)
        await f.say(ann, None, f"/puzzle #{posed.id}")
        question = f.api.last(ann)
        assert question["photo"]
        assert len(question["reply_markup"]["inline_keyboard"][0]) == 4  # the board is made of keys
        await through(f, ann, posed, best(posed, at_start(posed)).turn[0])
        assert len(f.api.shown(ann)) == 1  # all in one message
        assert "Solved" in words(f.api.last(ann))
        assert await f.press(ann, f.api.last(ann), "Another puzzle") is None
        assert len(f.api.shown(ann)) == 1


async def test_the_puzzle_of_the_day_is_solved_by_each_in_private() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = f.three()
        await f.say(ann, None, "/help")  # the bot can write to her
        await f.say(bob, hall, "/daily")
        public = dict(f.api.last(hall))
        assert words(public).startswith("Klop 325 · ")
        assert "photo" not in public
        shown = len(f.api.shown(hall))
        assert await f.press(ann, public, "Solve") is None
        boards = len(f.api.shown(ann))
        assert await f.press(ann, public, "Solve") is None  # by mistake
        assert len(f.api.shown(ann)) == boards
        private = f.api.last(ann)
        assert offered(private, Verb.PICK)
        assert len(f.api.shown(hall)) == shown
        await f.tap(ann, private, offered(private, Verb.PICK))
        assert f.api.messages[HALL][public["message_id"]] == public  # the others do not see what she picks
        assert "First finish" in str(await f.press(ann, public, "Results"))


async def test_a_person_who_cannot_be_written_to_gets_a_link_and_solves_the_puzzle_for_the_group() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        bob = f.api.human("Bob", started=False)
        hall = f.api.group(HALL, "Hall", bob)
        posed = posed_of("lgame", Task.SAVE)
        await f.store.notes.write(f"puzzle-of-day:{f.now.date()}", posed.pack())
        await f.say(bob, hall, "/daily")
        public = f.api.last(hall)
        for _ in range(2):
            query = f.api.press(bob, public, offered(public, Verb.PUZZLE))
            await f.settled()
            assert f.api.answered[query]["url"].endswith(f"?start=puzzle-{posed.id}")
        await f.say(bob, None, f"/start puzzle-{posed.id}")
        await through(f, bob, posed, best(posed, at_start(posed)).turn[0])
        assert "Klop 325 · L 🟩 1/3 · 0:00" in words(f.api.last(bob))
        posts = len(f.api.shown(hall))
        await edited(f.services, f.telegram.courier)
        assert "Bob 🟩 1/3" in words(f.api.messages[HALL][public["message_id"]])
        assert len(f.api.shown(hall)) == posts  # one message, which is edited


async def test_the_puzzle_of_the_day_spreads_into_chats_without_the_bot() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob")
        posed = posed_of("lgame", Task.SAVE)
        await f.store.notes.write(f"puzzle-of-day:{f.now.date()}", posed.pack())
        query = f.api.ask_inline(ann, "puzzle")
        await f.settled()
        (result,) = [each for each in f.api.results[query] if each["title"] == "Puzzle of the day"]
        sent = f.api.post_inline(ann, result)
        await f.settled()
        assert words(sent).startswith("Klop 325 · L-game")
        await f.press(bob, sent, "Solve")
        await through(f, bob, posed, best(posed, at_start(posed)).turn[0])
        await edited(f.services, f.telegram.courier)
        assert "Bob 🟩 1/3" in words(sent)
        assert {key["text"] for key in keys(sent)} == {"Solve", "Results"}


async def test_on_sunday_the_card_has_a_picture_of_the_week_which_is_edited() -> None:
    card: dict[str, Any] = {}
    async with telegram_bot(thinker=Thinker(Inline()), pictures=True) as f:
        ann = f.api.human("Ann")
        posed = posed_of("lgame", Task.SAVE)
        hall = f.api.group(HALL, "Hall", ann)
        for day in range(2):  # a Saturday and a Sunday
            f.now += timedelta(days=day)
            await f.store.notes.write(f"puzzle-of-day:{f.now.date()}", posed.pack())
            await f.say(ann, hall, "/daily")
            card = f.api.last(hall)
            assert ("photo" in card) is (day == 1)
            await f.press(ann, card, "Solve")
            await through(f, ann, posed, best(posed, at_start(posed)).turn[0])
            await edited(f.services, f.telegram.courier)
        shown = f.api.last(hall)
        assert shown["photo"]
        assert "Ann 🟩 1/3" in words(shown)
        assert "Solved here 2 days in a row." in words(shown)
