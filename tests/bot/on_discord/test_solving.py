"""Puzzles on Discord: solved and failed by pressing, in private."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import time, timedelta

import pytest_asyncio

from bot.puzzles.daily import DailyPoster, DailySchedule
from bot.puzzles.library import Posed
from bot.sender.delivery import Delivery
from bot.thinking import Thinker
from engine.core import Task
from play.people import Address
from play.settings import DailyPuzzle, Settings
from rules import GAMES
from tests.bot.on_discord.playing import latest, public
from tests.bot.puzzles.solving import at_start, best, posed_of, steps_to, wrong
from tests.bot.thinking.helpers import Inline
from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.discord.world import Message
from tests.support.storing import set_settings


@pytest_asyncio.fixture
async def thoughtful() -> AsyncIterator[DiscordHarness]:
    """A bot with engines."""
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        yield home


async def pressed(who: Settled, shown: Message, data: str) -> None:
    """Press a button, or choose an entry, by what it holds."""
    if any(each.get("custom_id") == data for each in shown.pressed() if each["type"] == 2):
        await who.presses(shown, data)
        return
    selects = [each for each in shown.pressed() if each["type"] == 3]
    at = next(n for n, each in enumerate(selects) if data in {one["value"] for one in each["options"]})
    await who.chooses(shown, data, at)


def held(shown: Message) -> list[str]:
    found = [each["custom_id"] for each in shown.pressed() if each["type"] == 2]
    return found + [one["value"] for each in shown.pressed() if each["type"] == 3 for one in each["options"]]


async def through(who: Settled, posed: Posed, ply: str) -> None:
    """Press a ply on a person's private board, and the button that plays it."""
    for token in steps_to(posed, at_start(posed), ply):
        (board,) = who.private()
        data = next(
            each
            for each in held(board)
            if each.startswith("1pp:") and each.rpartition(":")[2].rpartition("/")[2] == token
        )
        await pressed(who, board, data)
    (board,) = who.private()
    await pressed(who, board, next(each for each in held(board) if each.startswith("1pt:")))


async def of_kind(who: Settled, home: DiscordHarness, posed: Posed) -> None:
    """Have the puzzle of the day be this one, and begin it as anybody does."""
    day = home.now.date()
    await home.store.notes.write(f"puzzle-of-day:discord:{home.games.id}:{day}", posed.pack())
    await who.types("puzzle", which="daily")
    await who.presses(latest(who), "Solve")


async def test_a_puzzle_is_solved_by_pressing(thoughtful: DiscordHarness) -> None:
    ann, bob = thoughtful.person("ann"), thoughtful.person("bob")
    posed = posed_of("breakthrough", Task.SAVE)
    await of_kind(ann, thoughtful, posed)
    shown, text = dict(latest(bob).payload()), latest(bob).content
    await through(ann, posed, best(posed, at_start(posed)).turn[0])
    (board,) = ann.private()  # all in one message
    assert "Solved" in board.content
    assert board.files["board.png"]
    assert not bob.private()
    assert latest(bob).content == text
    assert latest(bob).payload() == shown
    assert len(public(bob)) == 1


async def test_a_puzzle_is_failed_and_begun_again(thoughtful: DiscordHarness) -> None:
    ann, posed = thoughtful.person("ann"), posed_of("lgame", Task.SAVE)
    await of_kind(ann, thoughtful, posed)
    (board,) = ann.private()
    assert [len(row["components"]) for row in board.components[:4]] == [4, 4, 4, 4]
    await through(ann, posed, wrong(posed))
    assert "does not solve it" in board.content
    await ann.presses(board, "From the start")
    await through(ann, posed, best(posed, at_start(posed)).turn[0])
    assert "Solved" in board.content


async def test_a_puzzle_is_asked_for_with_what_discord_offers(thoughtful: DiscordHarness) -> None:
    ann = thoughtful.person("ann")
    await ann.types("puzzle", game="lgame", which="hard")
    (board,) = ann.private()
    assert "L-game" in board.content
    assert not public(ann)


async def test_the_puzzle_of_the_day_comes_by_itself(thoughtful: DiscordHarness) -> None:
    ann, store = thoughtful.person("ann"), thoughtful.store
    place = Address("discord", str(thoughtful.games.id))
    hour = thoughtful.now + timedelta(hours=1)
    chosen = Settings(puzzle=DailyPuzzle(time(hour.hour), "UTC"), threads=True)
    await set_settings(store, place, chosen)
    await DailySchedule(store).plan(place, chosen, thoughtful.now)
    delivery = Delivery(
        store.outgoing(), store.bucket(), thoughtful.services.composer, now=store.now, sleep=asyncio.sleep
    )
    dailies = DailyPoster(store, GAMES, delivery, [thoughtful.platform.courier], "en")
    await dailies.tick()
    assert not public(ann)
    thoughtful.now = hour.replace(minute=5)
    await dailies.tick()
    await dailies.tick()
    (posted,) = public(ann)
    assert "puzzle of the day" in posted.content
    assert posted.files["board.png"]
    await ann.presses(posted, "Solve")
    (board,) = ann.private()
    assert any(each.startswith("1pp:") for each in held(board))
    assert public(ann) == [posted]
