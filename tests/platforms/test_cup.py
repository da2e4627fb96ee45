"""One cup on both platforms, by one bot that is killed in between."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.platforms.discord.evening import evening
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
