"""The bot as a process of its own on one platform: how it connects, registers and ends. `tests/reliability` kills it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.platforms.telegram.integration import webhook_secret
from tests.bot.process import PATIENCE
from tests.platforms.discord.gateway import Fault
from tests.platforms.discord.process import evening
from tests.platforms.discord.rest import TOKEN
from tests.platforms.telegram.process import BotProcess, running
from tests.platforms.telegram.server import TOKEN as PROCESS_TOKEN
from tests.platforms.telegram.server import BotApi, Json, Room, keys, words
from tests.support.servers import free_port

pytestmark = pytest.mark.slow


async def test_it_ends_in_order_when_it_is_asked_to(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        async with here.bot() as bot:
            bot.process.send_signal(signal.SIGTERM)
            assert await bot.process.wait() == 0
            assert not here.discord.gateway.connected
        assert TOKEN not in bot.logged.decode()


@pytest.mark.parametrize("with_code", [False, True])
async def test_a_token_that_is_refused_is_said_so(tmp_path: Path, with_code: bool) -> None:
    async with evening(tmp_path / "data") as here:
        if with_code:
            here.discord.gateway.refuse(4004)
        bot = here.bot(DISCORD_TOKEN=TOKEN if with_code else "another.token")
        with pytest.raises(AssertionError, match="the bot ended"):
            await bot.__aenter__()
        assert bot.process.returncode == 2
        assert b"DISCORD_TOKEN" in bot.logged
        assert b"another.token" not in bot.logged
        here.discord.wrong.clear()


async def test_commands_that_discord_refuses_are_registered_later(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        commands = r"/applications/\d+/commands"
        here.discord.faults += [Fault("PUT", commands, status) for status in (400, 403)]
        async with here.bot() as bot:
            await here.discord.until(lambda: here.discord.synced == 1, "registered")
            done = await here.person("ann").types("help")
            await here.discord.until(lambda: done.settled, "an answer")
        assert b"the commands are not registered with Discord; again in 0.5 s" in bot.logged
        assert f"{len(here.discord.commands)} commands were registered".encode() in bot.logged


async def test_with_a_page_an_entry_point_command_is_added_where_there_is_none(tmp_path: Path) -> None:
    page = {"KLOP_PAGE_URL": "https://page.test", "KLOP_PAGE_LISTEN": "off"}
    async with evening(tmp_path / "data") as here:

        def types() -> list[int]:
            return sorted({each["type"] for each in here.discord.commands})

        here.discord.faults.append(Fault("PUT", r"/applications/\d+/commands", 400))
        async with here.bot(**page) as bot:  # Discord takes none: Activities are not enabled
            await here.discord.until(lambda: here.discord.synced == 1, "registered")
            assert types() == [1, 2]
        assert b"enable Activities" in bot.logged
        async with here.bot():
            await here.discord.until(lambda: here.discord.synced == 2, "registered without a page")
            assert types() == [1, 2]
        async with here.bot(**page):
            await here.discord.until(lambda: here.discord.synced == 3, "registered")
            assert types() == [1, 2, 4]
        async with here.bot():
            await here.discord.until(lambda: here.discord.synced == 4, "registered without a page again")
            assert types() == [1, 2, 4], "one that is there is kept"


async def test_the_gateway_asks_to_connect_again_and_nothing_is_lost(tmp_path: Path) -> None:
    async with evening(tmp_path / "data") as here:
        gateway = here.discord.gateway
        ann = here.person("ann")
        async with here.bot():
            await gateway.ask_to_reconnect()
            await here.discord.until(lambda: ("resume", 0) in gateway.opened, "a resumed session")
            await ann.types("help")
            await gateway.hang_up(code=1001)
            # Sent while no one listens: it comes with the session when it is resumed.
            sent = await ann.sends(2, {"id": "1", "name": "games", "type": 1, "options": []})
            await here.discord.until(lambda: gateway.opened.count(("resume", 0)) == 2, "resumed again")
            await here.discord.until(lambda: sent.settled, "an answer to what was sent meanwhile")
            await gateway.invalidate(resumable=True)
            await here.discord.until(lambda: gateway.opened.count(("resume", 0)) == 3, "resumed a third time")
            await gateway.invalidate(resumable=False)
            await here.discord.until(lambda: gateway.opened.count(("identify", 0)) == 2, "identified anew")
            await here.discord.until(lambda: gateway.connected, "connected")
            done = await ann.types("help")
            await here.discord.until(lambda: done.settled, "an answer")


HALL = -1_001_234


def board(api: BotApi, room: Room) -> Json:
    return next(m for m in reversed(api.shown(room)) if "#" in words(m))


async def test_a_match_by_webhook(tmp_path: Path) -> None:
    api, port = BotApi(), free_port()
    api.deliver_to = f"http://127.0.0.1:{port}/klop/hook"
    async with (
        api.serving(),
        running(
            api,
            tmp_path / "data",
            KLOP_TELEGRAM_WEBHOOK_URL="https://klop.example/klop/hook",
            KLOP_TELEGRAM_WEBHOOK_LISTEN=f"127.0.0.1:{port}",
        ) as bot,
    ):
        ann, bob = api.human("Ann"), api.human("Bob")
        room = api.group(HALL, "Hall", ann, bob)
        api.say(ann, room, "/challenge bob lgame")
        await api.until(lambda: bool(api.shown(room)))
        accept = next(key["callback_data"] for key in keys(board(api, room)) if "callback_data" in key)
        query = api.press(bob, board(api, room), accept)
        await api.until(lambda: query in api.answered and "Turn: Ann" in words(board(api, room)))
        api.say(ann, room, "/settings warnings:off")
        api.say(ann, room, "L b3-b1-a1 n a4-a3", reply_to=board(api, room))
        await api.until(lambda: "Turn: Bob" in words(board(api, room)))
        assert "png" in board(api, room)
        await api.until(lambda: not api.waiting)
        assert webhook_secret(PROCESS_TOKEN) not in bot.log
        assert api.hook is not None


async def test_a_token_that_telegram_does_not_know(tmp_path: Path) -> None:
    api = BotApi()
    async with api.serving():
        bot = BotProcess(
            api, tmp_path / "data", TELEGRAM_TOKEN="7000000009:AAanother-bots-token-another-botsx"
        )
        assert await bot.ended() == 2
        assert "TELEGRAM_TOKEN" in bot.log
        assert "another-bots" not in bot.log


# SIGTERM: what was taken is finished, whatever takes long is left to the next process, and a second signal
# ends it at once.


class SlowApi(BotApi):
    """A Telegram that answers new messages only while its gate is open, and counts the bots that have left."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.held = self.left = 0

    async def _sendMessage(self, given: Json, files: Mapping[str, bytes]) -> Json:  # noqa: N802
        self.held += 1
        self.changed()
        await self.gate.wait()
        return await super()._sendMessage(given, files)

    async def _getUpdates(self, given: Json, files: Mapping[str, bytes]) -> list[Json]:  # noqa: N802
        found = await super()._getUpdates(given, files)
        if not given.get("timeout"):
            self.left += 1
            self.changed()
        return found


@pytest.mark.parametrize("signals", [1, 2])
async def test_a_signal_while_a_board_is_sent(signals: int, tmp_path: Path) -> None:
    api = SlowApi()
    async with api.serving():
        ann, bob = api.human("Ann"), api.human("Bob")
        room = api.group(HALL, "Hall", ann, bob)
        async with running(api, tmp_path / "data") as bot:
            api.say(ann, room, "/challenge bob breakthrough 5x6")
            await api.until(lambda: api.held == 1)
            assert bot.process
            bot.process.send_signal(signal.SIGTERM)
            await api.until(lambda: api.left == 1)
            api.say(ann, room, "/games")
            if signals == 2:
                assert await bot.end() == 0
                assert not api.shown(room), "the second signal does not wait"
                return
            api.gate.set()
            assert await asyncio.wait_for(bot.process.wait(), PATIENCE) == 0
        assert len(api.shown(room)) == 1, "what was begun was sent, and what was said later waits"
        assert len(api.waiting) == 1
        async with running(api, tmp_path / "data"):
            await api.until(lambda: not api.waiting)
            sent = [words(each) for each in api.shown(room) if "challenges" in words(each)]
            assert len(sent) == 1, sent
