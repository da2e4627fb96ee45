"""One match on both platforms: one bot, as its own process, connected to a Discord and to a Telegram on this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.platforms.discord.evening import Evening, evening
from tests.platforms.discord.process import BotProcess
from tests.platforms.telegram.server import TOKEN, BotApi, Human, Json, Room, keys, words

pytestmark = pytest.mark.slow

GROUP = -100700


class Both:
    """A server of Discord's and a group of Telegram's, with one bot in both."""

    def __init__(self, here: Evening, api: BotApi) -> None:
        self.here = here
        self.api = api
        self.ann = here.person("ann")
        self.bob: Human = api.human("Bohdan", language="uk")
        self.group: Room = api.group(GROUP, "Партія", self.bob)
        self.group.admins.add(self.bob.id)

    def bot(self) -> BotProcess:
        return self.here.bot(TELEGRAM_TOKEN=TOKEN, KLOP_TELEGRAM_API=self.api.url)

    async def says(self, text: str) -> None:
        """Bohdan says something in his group."""
        self.api.say(self.bob, self.group, text)
        await self.api.until(lambda: not self.api.waiting)

    async def shown(self, fits: Callable[[str], bool]) -> Json:
        """The bot's message in the group whose words fit."""

        def found() -> list[Json]:
            return [message for message in self.api.shown(self.group) if fits(words(message))]

        await self.api.until(lambda: bool(found()))
        return found()[-1]


async def test_a_match_from_a_server_to_a_group(tmp_path: Path) -> None:
    """Ann challenges anyone on Discord; Bohdan joins from Telegram by the code; each sees it natively, to the end."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both = Both(here, api)
        async with both.bot() as bot:
            await both.says("/language uk here")
            await both.says("/settings warnings:off")  # his capture loses
            await both.ann.types("challenge", game="breakthrough", options="4x5")
            card = await here.latest("Breakthrough")
            found = re.search(r"#([a-z0-9]{6})", card.words)
            assert found, card.words
            await both.says(f"/join {found[1]}")
            turn = await here.latest("Turn: Ann")
            assert turn.pings == (both.ann.user.id,)
            board = await both.shown(lambda text: "Ann" in text and "Ходить" in text)
            assert keys(board), "no keys under the board"
            await both.ann.types("move", move="d2-d3")
            mine = await both.shown(lambda text: "d2-d3" in text)
            assert pinged(mine) == {both.bob.id}, "the person on turn is called"
            await bot.kill()
        async with both.bot():
            await both.says("/move a4-a2")  # refused, and nothing is lost by it
            await both.says("/move c4-b3")
            turn = await here.latest("c4-b3")
            assert turn.pings == (both.ann.user.id,)
            await both.ann.types("move", move="d3-c4")
            await both.shown(lambda text: "d3-c4" in text)
            await both.says("/move b3xc2")
            await here.latest("b3xc2")
            await both.ann.types("move", move="c4xd5")
            await here.latest("Victory: Ann")
            over = await both.shown(lambda text: "Перемога: Ann" in text)
            assert not pinged(over)
    assert not api.invalid, api.invalid


async def test_what_discord_garbles_restarts_discord_alone(tmp_path: Path) -> None:
    """An event of another shape is skipped; a frame that cannot be read ends the connection, which is made again."""
    api = BotApi()
    async with evening(tmp_path / "data") as here, api.serving():
        both, gateway = Both(here, api), here.discord.gateway
        async with both.bot() as bot:
            await both.says("/language en here")
            await gateway.tell("GUILD_CREATE", {"name": "no id"})
            await both.ann.types("help")
            await gateway.garble()
            await both.says("/new lgame")
            await both.shown(lambda text: "L-game" in text)
            await here.discord.until(lambda: len(gateway.opened) == 2 and gateway.connected, "connected anew")
            await both.ann.types("challenge", game="lgame")
            await here.latest("L-game")
            assert gateway.opened == [("identify", 0)] * 2
        assert b"GUILD_CREATE of Discord cannot be read" in bot.logged
        assert b"discord is started again in 0.5 s" in bot.logged
        assert b"telegram is started again" not in bot.logged
    assert not api.invalid, api.invalid


def pinged(message: Json) -> set[int]:
    """Whom a message calls."""
    entities = [*message.get("caption_entities", ()), *message.get("entities", ())]
    return {entity["user"]["id"] for entity in entities if entity["type"] == "text_mention"}
