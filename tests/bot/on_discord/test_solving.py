"""Puzzles on Discord: solved and failed by pressing, in private."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import time, timedelta

import pytest_asyncio

from bot.chat.thinking import Thinker
from bot.features.puzzles.daily import DailySchedule
from engine.core import Task
from play.people import Address
from play.settings import DailyPuzzle, Settings
from tests.bot.on_discord.playing import latest, public
from tests.bot.puzzles.solving import at_start, best, posed_of, steps_to
from tests.bot.thinking.helpers import Inline
from tests.platforms.discord.harness import DiscordHarness, Settled
from tests.platforms.discord.world import GROUP, Channel
from tests.support.dailies import edited
from tests.support.storing import set_settings


@pytest_asyncio.fixture
async def thoughtful() -> AsyncIterator[DiscordHarness]:
    """A bot with engines."""
    async with DiscordHarness(thinker=Thinker(Inline())) as home:
        yield home


async def press(who: Settled, matching: str) -> None:
    """Press the button of a person's private board that holds what matches, or choose the entry."""
    (board,) = who.private()
    selects = [each for each in board.pressed() if each["type"] == 3]
    for data in (str(each["custom_id"]) for each in board.pressed() if each["type"] == 2):
        if re.fullmatch(matching, data):
            await who.presses(board, data)
            return
    held = [(option["value"], at) for at, each in enumerate(selects) for option in each["options"]]
    await who.chooses(board, *next(each for each in held if re.fullmatch(matching, each[0])))


async def test_the_puzzle_of_the_day_is_solved_by_pressing(thoughtful: DiscordHarness) -> None:
    ann, bob = thoughtful.person("ann"), thoughtful.person("bob")
    posed, day = posed_of("lgame", Task.SAVE), thoughtful.now.date()
    await thoughtful.store.notes.write(f"puzzle-of-day:{day}", posed.pack())
    await ann.types("daily")
    await ann.presses(latest(ann), "Solve")
    shown = dict(latest(bob).payload())
    (board,) = ann.private()  # all in one message
    assert [len(row["components"]) for row in board.components[:4]] == [4, 4, 4, 4]
    for token in steps_to(posed, at_start(posed), best(posed, at_start(posed)).turn[0]):
        await press(ann, rf"1pp:.*[:/]{re.escape(token)}")
    await press(ann, "1pt:.*")
    assert ann.private() == [board]
    assert "Solved" in board.content
    assert board.files["board.png"]
    assert not bob.private()
    assert latest(bob).payload() == shown
    assert len(public(bob)) == 1


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
    await edited(thoughtful.services, thoughtful.platform.courier)
    assert not public(ann)
    thoughtful.now = hour.replace(minute=5)
    await edited(thoughtful.services, thoughtful.platform.courier)
    await edited(thoughtful.services, thoughtful.platform.courier)
    (posted,) = public(ann)
    assert posted.content.startswith("Klop ")
    assert not posted.files
    await ann.presses(posted, "Solve")
    (board,) = ann.private()
    assert "You have three tries" in board.content
    assert board.pressed()
    assert public(ann) == [posted]


async def test_the_puzzle_of_the_day_spreads_with_those_who_have_installed_the_bot(
    thoughtful: DiscordHarness,
) -> None:
    ann, bob = thoughtful.person("ann"), thoughtful.person("bob")
    group = thoughtful.discord.add(Channel(GROUP, people=(ann.user, bob.user)))
    ann, bob = ann.at(group), bob.at(group)
    posed = posed_of("lgame", Task.SAVE)
    await thoughtful.store.notes.write(f"puzzle-of-day:{thoughtful.now.date()}", posed.pack())
    await ann.types("daily")
    card = latest(bob)
    await bob.presses(card, "Solve")
    for text in best(posed, at_start(posed)).turn:
        await bob.types("daily", move=text)
    await edited(thoughtful.services, thoughtful.platform.courier)
    assert "🟩 1/3" in latest(ann).content
    assert len(public(ann)) == 1
    # Its interaction has ended, and a press on it brings another one by which it can be edited.
    await thoughtful.close()
    await thoughtful.open()
    await ann.presses(latest(ann), "Solve")
    for text in best(posed, at_start(posed)).turn:
        await ann.types("daily", move=text)
    await edited(thoughtful.services, thoughtful.platform.courier)
    assert latest(ann).content.count("🟩 1/3") == 2
    assert not thoughtful.discord.asked("POST", f"/channels/{group.id}/messages")


async def test_on_sunday_the_card_has_a_picture_of_the_week_with_its_words(
    thoughtful: DiscordHarness,
) -> None:
    ann, posed = thoughtful.person("ann"), posed_of("lgame", Task.SAVE)
    for day in range(2):  # a Saturday and a Sunday
        thoughtful.now += timedelta(days=day)
        await thoughtful.store.notes.write(f"puzzle-of-day:{thoughtful.now.date()}", posed.pack())
        await ann.types("daily")
        assert bool(latest(ann).files) is (day == 1)
        await ann.presses(latest(ann), "Solve")
        for text in best(posed, at_start(posed)).turn:
            await ann.types("daily", move=text)
        await edited(thoughtful.services, thoughtful.platform.courier)
    (file,) = latest(ann).attachments
    assert file["description"] == "Puzzles of the week. Ann: 6 points."
    assert "Solved here 2 days in a row." in latest(ann).content
