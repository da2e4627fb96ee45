"""A place that plays, on both platforms: many who vote at once, and places that the bot has lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

import pytest

from bot.features.channels.council import LETTERS, Council
from bot.features.channels.keeping import Councils
from play.match import Match
from play.people import is_channel
from tests.platforms.discord.harness import DiscordHarness
from tests.platforms.telegram.crowd import NAME
from tests.platforms.telegram.harness import TelegramHarness, telegram_bot
from tests.reliability.chats import Answered, DiscordPlatform, Platform, Telegram

PEOPLE: Final = 60
MOVES: Final = "a2-a3", "b2-b3", "c2-c3"


class Hall:
    """A place that plays, with its people."""

    def __init__(self, harness: TelegramHarness | DiscordHarness, platform: Platform, klop: Any) -> None:
        self.harness, self.platform, self._klop = harness, platform, klop
        self.people: list[Any] = [platform.person(f"Voter{number}") for number in range(PEOPLE)]
        self.place: Any = platform.place(*self.people[:1])
        self._sent: list[Answered] = []

    async def settled(self) -> None:
        """All that was asked is answered and shown."""
        if isinstance(self.harness, TelegramHarness):
            await self.harness.settled()
            return
        while self._sent:
            await self.platform.until(self._sent.pop())
        await self.harness.settle()

    async def says(self, who: int, command: str, **options: Any) -> None:
        self._sent.append(await self.platform.send(self.people[who], self.place, command, **options))
        await self.settled()

    async def waits(self, **length: float) -> None:
        """Time passes, and what is due is looked at."""
        self.harness.now += timedelta(**length)
        await self.looked()

    async def looked(self) -> None:
        await Councils(self.harness.services).tick()
        await self.settled()

    async def begins(self) -> None:
        """The place challenges the computer; it has voted on three proposals, and the vote begins."""
        if isinstance(self.harness, TelegramHarness):
            await self.says(0, "challenge", bot=f"@{NAME}", game="channel breakthrough 5x5 side:first")
        else:
            given = {"person": self._klop, "game": "breakthrough", "options": "5x5 channel side:first"}
            await self.says(0, "challenge", **given)
        for number, move in enumerate(MOVES):
            await self.says(number, "move", move=move)

    @property
    def match(self) -> Match:
        given = self.harness.matches
        stored = given.values() if isinstance(given, Mapping) else given
        return next(each for each in stored if any(is_channel(one) for one in each.people()))

    async def council(self) -> Council:
        account = next(each for each in self.match.people() if is_channel(each))
        found = await Councils(self.harness.services).of(self.match, account)
        assert found is not None
        return found

    def board(self) -> Any:
        shown: list[Any] = [each for each, _ in self.platform.messages(self.place)]
        return next(each for each in reversed(shown) if self.platform.buttons(each))

    async def press(self, who: int, letter: str) -> None:
        """Press a letter, and wait for nothing."""
        board = self.board()
        letters = self.platform.buttons(board)
        self._sent.append(await self.platform.press(self.people[who], board, letters[letter]))


@asynccontextmanager
async def telegram() -> AsyncIterator[Hall]:
    async with telegram_bot() as harness:
        yield Hall(harness, Telegram(harness.api), None)


@asynccontextmanager
async def discord() -> AsyncIterator[Hall]:
    async with DiscordHarness() as harness:
        yield Hall(harness, DiscordPlatform(harness.discord), harness.discord.bot)


HALLS: Final = {"telegram": telegram, "discord": discord}


@pytest.mark.parametrize("name", HALLS)
async def test_of_many_who_press_at_once_each_has_one_vote_and_the_board_is_edited_once(name: str) -> None:
    async with HALLS[name]() as hall:
        await hall.begins()
        for number in range(3):
            await hall.says(3 + number, "vote", choice=LETTERS[number])
        await hall.says(0, "vote", choice="now")
        await hall.looked()
        shown, connected = len(hall.platform.history(hall.place)), hall.platform.connections
        for who in range(PEOPLE):  # the later press of each is their vote
            await hall.press(who, LETTERS[(who + 1) % 3])
            await hall.press(who, LETTERS[who % 2])
        await hall.settled()
        assert len(hall.platform.history(hall.place)) == shown  # until it is looked at next
        await hall.waits(seconds=10)
        turn = (await hall.council()).turn
        assert turn is not None
        assert Counter(turn.votes.values()) == {0: PEOPLE // 2, 1: PEOPLE // 2}
        assert len(hall.platform.history(hall.place)) == shown + 1
        assert f"{PEOPLE} votes" in hall.platform.history(hall.place)[-1][1]
        assert hall.platform.connections == connected
        if isinstance(hall.harness, TelegramHarness):
            answers = [each for each in hall.harness.api.calls if each.method == "answerCallbackQuery"]
            assert len(answers) == 2 * PEOPLE  # each once
