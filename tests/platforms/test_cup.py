"""Cups and a ladder on both platforms, by one bot that is killed in between."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from tests.platforms.discord.evening import evening
from tests.platforms.discord.people import Person
from tests.platforms.telegram.server import BotApi, keys, words
from tests.platforms.test_across import Both, pinged

pytestmark = pytest.mark.slow


async def test_a_cup_from_a_server_to_a_group(tmp_path: Path) -> None:
    """Ann opens a cup on Discord; Bohdan enters from Telegram by the code, and each sees its card natively, to the end."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both, cem = Both(here, api), here.person("cem")
        async with both.bot() as bot:
            await both.says("/language uk here")
            await both.ann.types("cup", do="new", game="lgame", clock="1d", most="3")
            card = await here.latest("Cup #")
            found = re.search(r"#(e[a-z0-9]{6})", card.words)
            assert found, card.words
            code = found[1]
            await both.ann.types("cup", do="join")
            await here.latest("In: 1 of 3")
            await both.says(f"/cup join #{code}")
            shown = await both.shown(lambda text: "Записалося 2 із 3" in text)
            assert keys(shown), "no keys under the card"
            await bot.kill()
        async with both.bot():
            await cem.types("cup", do="join")
            began = await here.latest("Who plays")
            assert set(began.pings) == {both.ann.user.id, cem.user.id}, (
                "who plays is called, each where they are"
            )
            games = re.findall(r"#([a-z0-9]{6})\b", began.words.split("Who plays")[1])
            assert len(games) == len(set(games)) == 4, "each of three has at most three at once"
            there = await both.shown(lambda text: "Хто грає" in text)
            assert pinged(there) == {both.bob.id}
            await both.says(f"/cup leave #{code}")  # before half of his games: they are void
            await here.latest("2 games to go")
            await cem.types("cup", do="leave")
            over = await here.latest("🥇 Ann")
            assert over.pings == (both.ann.user.id,)
            end = await both.shown(lambda text: "🥇" in text)
            assert "Ann" in words(end)
            boards = [
                message for message in here.guild.channels[0].messages.values() if "Cup #" in message.words
            ]
            assert len([message for message in boards if message.only is None]) == 3, "opened, begun, over"
    assert not api.invalid, api.invalid


async def test_a_ladder_from_a_server_to_a_group(tmp_path: Path) -> None:
    """Bohdan enters Ann's ladder from Telegram and challenges her; killed twice, the bot shows each thing once on both."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both = Both(here, api)
        async with both.bot() as bot:
            await both.says("/language uk here")
            await both.ann.types("ladder", do="new", game="lgame", clock="1d")
            card = await here.latest("Ladder #")
            found = re.search(r"#(e[a-z0-9]{6})", card.words)
            assert found, card.words
            await both.ann.types("ladder", do="join")
            await here.latest("1. Ann")
            await both.says(f"/ladder join #{found[1]}")
            await here.latest("2. Bohdan")
            await both.shown(lambda text: "2. Bohdan" in text)
            await bot.kill()
        async with both.bot() as bot:
            await both.says("/ladder challenge Ann")
            called = await here.latest("challenged by Bohdan")
            assert called.pings == (both.ann.user.id,)
            await bot.kill()
        async with both.bot():
            await both.ann.types("ladder", do="accept")
            game = re.search(r"– .*: #([a-z0-9]{6})\b", (await here.latest("Bohdan – Ann: #")).words)
            assert game, "the card names the game"
            await api.until(lambda: any(f"#{game[1]}" in words(message) for message in api.shown(both.bob)))
            cards = [shown for shown in here.games.messages.values() if "Ladder #" in shown.words]
            public = [shown.words.replace("\\", "") for shown in cards if shown.only is None]
            assert len([said for said in public if "you are challenged" in said]) <= 1
            assert len(public) == 2, "opened, challenged; all else is edited"
    assert not api.invalid, api.invalid


class Cup:
    """A cup of three, two on Discord and one on Telegram, on a board where White wins in two moves if nobody minds."""

    def __init__(self, both: Both, cem: Person) -> None:
        self.both = both
        self.people: dict[str, Person] = {"Ann": both.ann, "Cem": cem}

    async def play(self, white: str, black: str, code: str) -> None:
        for who, other, move in ((white, black, "a2xb3"), (black, white, "a3xb2"), (white, black, "b3xa4")):
            if who in self.people:
                await self.people[who].types("move", move=move, match=code)
            else:
                await self.both.says(f"/move #{code} {move}")
            platform = self.both.here.discord if other in self.people else self.both.api
            await platform.until(partial(self._sees, other, code, move))

    def _sees(self, who: str, code: str, move: str) -> bool:
        """Whether a move has come to its opponent, privately."""
        if who in self.people:
            seen = [shown.words.replace("\\", "") for shown in self.both.here.discord.all_messages()]
        else:
            seen = [words(message) for message in self.both.api.shown(self.both.bob)]
        return any(f"#{code}" in text and move in text for text in seen)


async def test_a_cup_is_played_across_platforms_to_its_final_table(tmp_path: Path) -> None:
    """All six games of three people, with boards that come privately, then the table and a profile on both platforms."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both, cem = Both(here, api), here.person("cem")
        played = Cup(both, cem)
        async with both.bot():
            for who in played.people.values():
                await who.types("settings", warnings="off")
            await both.says("/language uk here")
            await both.says("/settings warnings:off")
            await both.ann.types(
                "cup", do="new", game="breakthrough", options="2x4", clock="1d", most="3", closes="2h"
            )
            card = await here.latest("Cup #")
            found = re.search(r"#(e[a-z0-9]{6})", card.words)
            assert found, card.words
            await both.ann.types("cup", do="join")
            await here.latest("In: 1 of 3")
            await both.says(f"/cup join #{found[1]}")
            await here.latest("In: 2 of 3")
            await cem.types("cup", do="join")
            done: set[str] = set()
            for left in range(5, -1, -1):
                white, black, code = await _next(played, done)
                done.add(code)
                await played.play(white, black, code)
                await here.latest(f"{left} game{'s' * (left > 1)} to go" if left else "🥇")
            assert len(done) == 6
            over = await here.latest("🥇")
            assert set(over.pings) == {both.ann.user.id, cem.user.id}
            assert "🥇 Ann, Bohdan, and Cem" in over.words, "each has won twice as White: a shared place"
            end = await both.shown(lambda text: "🥇" in text)
            assert "🥇 Ann, Bohdan" in words(end)
            assert pinged(end) == {both.bob.id}
            await both.says("/profile")
            await api.until(lambda: any("кубок: 🥇 1" in words(message) for message in api.shown(both.bob)))
    assert not api.invalid, api.invalid


async def _next(played: Cup, done: set[str]) -> tuple[str, str, str]:
    """Return a game that has begun: who plays White, who Black, its code."""
    for who in played.people.values():
        await who.types("cup", do="mine")
        answer = await played.both.here.discord.until(partial(_listed, who), "the games of one")
        for white, black, code in re.findall(r"(\w+) – (\w+) #([a-z0-9]{6})", str(answer)):
            if code not in done:
                return white, black, code
    raise AssertionError("no game has begun")


def _listed(who: Person) -> str:
    """Return the last list of a person's games."""
    lists = [shown.words.replace("\\", "") for shown in who.private() if " – " in shown.words]
    return lists[-1] if lists else ""
