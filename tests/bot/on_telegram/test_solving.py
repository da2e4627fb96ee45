"""Puzzles on Telegram: solved and failed by pressing keys, each by themselves."""

from __future__ import annotations

import asyncio
from datetime import time, timedelta

from bot.callback_data import CallbackData, Verb
from bot.puzzles.daily import DailyPoster, DailySchedule
from bot.puzzles.library import Posed
from bot.sender.delivery import Delivery
from bot.thinking import Thinker
from engine.core import Task
from play.people import Address
from play.settings import DailyPuzzle, Settings
from rules import GAMES
from tests.bot.puzzles.solving import at_start, best, posed_of, steps_to, wrong
from tests.bot.thinking.helpers import Inline
from tests.platforms.telegram.harness import HALL, TelegramHarness, telegram_bot
from tests.platforms.telegram.server import Human, Json, keys, words
from tests.support.storing import set_settings


def offered(message: Json, verb: Verb, argument: str = "") -> str:
    """The key of that kind, with an argument that ends so."""
    found = [str(key.get("callback_data", "")) for key in keys(message)]
    return next(data for data in found if data.startswith(f"1{verb.value}:") and data.endswith(argument))


async def through(f: TelegramHarness, who: Human, posed: Posed, ply: str) -> None:
    """Press a ply on the board in a private chat, and the button that plays it."""
    for token in steps_to(posed, at_start(posed), ply):
        board = f.api.last(who)
        picked = _ending(board, token)
        assert await f.tap(who, board, picked) is None
    board = f.api.last(who)
    assert await f.tap(who, board, offered(board, Verb.TRY)) is None


def _ending(message: Json, token: str) -> str:
    found = [str(key.get("callback_data", "")) for key in keys(message)]
    return next(
        data
        for data in found
        if data.startswith("1pp:") and data.rpartition(":")[2].rpartition("/")[2] == token
    )


async def begun(f: TelegramHarness, who: Human, posed: Posed) -> None:
    await f.say(who, None, f"/puzzle #{posed.id}")


async def test_a_puzzle_is_solved_by_pressing_in_private() -> None:
    async with telegram_bot(thinker=Thinker(Inline()), pictures=True) as f:
        ann, posed = f.api.human("Ann"), posed_of("breakthrough", Task.SAVE)
        await begun(f, ann, posed)
        question = f.api.last(ann)
        assert question["photo"]
        assert len(question["reply_markup"]["inline_keyboard"][0]) == 8  # the board is made of keys
        await through(f, ann, posed, best(posed, at_start(posed)).turn[0])
        assert len(f.api.shown(ann)) == 1  # all in one message
        assert "Solved" in words(f.api.last(ann))
        assert await f.press(ann, f.api.last(ann), "Another puzzle") is None
        assert len(f.api.shown(ann)) == 2


async def test_a_puzzle_is_failed_and_begun_again() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, posed = f.api.human("Ann"), posed_of("lgame", Task.SAVE)
        await begun(f, ann, posed)
        text = wrong(posed)
        await through(f, ann, posed, text)
        assert f"{text} does not solve it." in words(f.api.last(ann))
        await f.press(ann, f.api.last(ann), "Solution")
        assert best(posed, at_start(posed)).turn[0] in words(f.api.last(ann))
        await f.press(ann, f.api.last(ann), "From the start")
        await through(f, ann, posed, best(posed, at_start(posed)).turn[0])
        assert "Solved" in words(f.api.last(ann))


async def test_the_puzzle_of_the_day_is_solved_by_each_in_private() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob, hall = f.three()
        await f.say(ann, None, "/help")  # the bot can write to her
        await f.say(bob, hall, "/puzzle daily")
        public = dict(f.api.last(hall))
        assert "puzzle of the day" in words(public)
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


async def test_what_is_pressed_for_in_a_group_counts_there_though_it_is_solved_in_private() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, bob = f.api.human("Ann"), f.api.human("Bob", started=False)
        hall = f.api.group(HALL, "Hall", ann, bob)
        posed, place = posed_of("lgame", Task.SAVE), Address("telegram", str(HALL))
        await f.store.notes.write(f"puzzle-of-day:{place}:{f.now.date()}", posed.pack())
        await f.say(ann, None, "/help")  # the bot can write to her
        await f.say(ann, hall, "/puzzle daily")
        public = f.api.last(hall)
        assert await f.press(ann, public, "Solve") is None
        await through(f, ann, posed, best(posed, at_start(posed)).turn[0])
        assert "So far, 1 person in the chat has solved it." in words(f.api.last(ann))
        f.api.press(bob, public, offered(public, Verb.PUZZLE))
        await f.settled()
        await f.say(bob, None, f"/start puzzle-{posed.id}")
        await through(f, bob, posed, best(posed, at_start(posed)).turn[0])
        assert "So far, 2 people in the chat have solved it." in words(f.api.last(bob))


async def test_a_person_who_cannot_be_written_to_gets_a_link_to_the_puzzle() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        bob = f.api.human("Bob", started=False)
        hall = f.api.group(HALL, "Hall", bob)
        await f.say(bob, hall, "/puzzle daily")
        public = f.api.last(hall)
        data = offered(public, Verb.PUZZLE)
        code = CallbackData.unpack(data).match
        for _ in range(2):
            query = f.api.press(bob, public, data)
            await f.settled()
            assert f.api.answered[query]["url"].endswith(f"?start=puzzle-{code}")
        await f.say(bob, None, f"/start puzzle-{code}")
        assert offered(f.api.last(bob), Verb.PICK)


async def test_forged_and_old_keys_change_nothing() -> None:
    async with telegram_bot(thinker=Thinker(Inline())) as f:
        ann, posed = f.api.human("Ann"), posed_of("lgame", Task.WIN)
        await begun(f, ann, posed)
        before = dict(f.api.last(ann))
        for data in (
            f"1pp:{posed.id}:1:",
            f"1pt:{posed.id}:zz:c1",
            "1pp:1zzzzz:0:",
            f"1pz:{posed.id}:0:oops",
        ):
            assert await f.tap(ann, f.api.last(ann), data)
        assert f.api.last(ann) == before


async def test_the_puzzle_of_the_day_comes_by_itself() -> None:
    async with telegram_bot(thinker=Thinker(Inline()), pictures=True) as f:
        ann = f.api.human("Ann")
        hall = f.api.group(HALL, "Hall", ann)
        place = Address("telegram", str(HALL))
        chosen = Settings(puzzle=DailyPuzzle(time(13), "UTC"), language="uk")
        await set_settings(f.store, place, chosen)
        await DailySchedule(f.store).plan(place, chosen, f.now)
        delivery = Delivery(
            f.store.outgoing(), f.store.bucket(), f.services.composer, now=f.store.now, sleep=asyncio.sleep
        )
        dailies = DailyPoster(f.store, GAMES, delivery, [f.telegram.courier], "en")
        await dailies.tick()
        assert not f.api.shown(hall)
        f.now += timedelta(hours=1)
        await dailies.tick()
        await dailies.tick()
        (posted,) = f.api.shown(hall)
        assert posted["photo"]
        assert "Задача дня" in words(posted)
        assert await f.press(ann, posted, "Розв’язати") is None
        assert offered(f.api.last(ann), Verb.PICK)
