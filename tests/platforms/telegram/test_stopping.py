"""SIGTERM: what was taken is finished, whatever takes long is left to the next process, and a second signal ends it at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.bot.process import PATIENCE
from tests.platforms.telegram.process import running
from tests.platforms.telegram.server import BotApi, Json, words

pytestmark = pytest.mark.slow

HALL = -1_001_235


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
