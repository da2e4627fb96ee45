"""The progress bar of an analysis on Discord and Telegram: one private message, edited, and the answer in its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.chat.thinking import Thinker
from bot.features.analysis import commands
from tests.bot.analysis.test_progress import Slow
from tests.bot.on_discord.playing import begun, latest
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.telegram.harness import telegram_bot, words


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "EVERY", 0.01)


class Watched(Slow):
    """Goes on once a bar is seen, and remembers what was."""

    def watch(self, seen: Callable[[], str]) -> None:
        self.seen: list[str] = []

        def begun() -> bool:
            if (text := seen()) not in self.seen:
                self.seen.append(text)
            return any("▓" in each for each in self.seen)

        self.until = begun


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("pressed", [False, True])
async def test_on_discord_the_answer_takes_the_place_of_the_bar(pressed: bool) -> None:
    solver = Watched()
    async with DiscordHarness(thinker=Thinker(solver)) as home:
        ann, bob = await begun(home, options="board:4x5")
        await ann.types("move", move="a2-a3")
        await bob.types("move", move="b4xa3")
        await bob.types("resign")
        await bob.presses(bob.private()[-1], "Yes, resign")
        before = len(ann.private())
        solver.watch(lambda: ann.private()[-1].content if len(ann.private()) > before else "")
        if pressed:
            await ann.presses(latest(ann), "Analyse")
        else:
            await ann.types("analyse")
        (answer,) = ann.private()[before:]
        assert any(text.startswith("Analysing the match: ▓") for text in solver.seen)
        assert "How the match went" in answer.content
        assert "░" not in answer.content
        assert not [each for each in bob.private() if "Analysing" in each.content]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("pressed", [False, True])
async def test_on_telegram_the_bar_is_in_the_private_chat_and_goes_with_the_answer(pressed: bool) -> None:
    solver = Watched()
    async with telegram_bot(thinker=Thinker(solver)) as f:
        ann, bob, hall = await f.begun("breakthrough 4x5")
        await f.say(ann, hall, "/move a2-a3")
        await f.say(bob, hall, "/move b4xa3")
        await f.say(bob, hall, "/resign")
        await f.press(bob, f.api.last(hall), lambda label: True)
        before = len(f.api.shown(ann))
        solver.watch(lambda: words(f.api.last(ann)) if len(f.api.shown(ann)) > before else "")
        if pressed:
            await f.press(ann, f.board(hall), "Analyse")
        else:
            await f.say(ann, hall, "/analyse")
        (answer,) = f.api.shown(ann)[before:]
        assert any(text.startswith("Analysing the match: ▓") for text in solver.seen)
        assert "How the match went" in words(answer)
        assert not [each for each in f.api.shown(hall) if "Analysing" in words(each)]
