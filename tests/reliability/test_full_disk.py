"""A disk that is full: each request is refused once and in time, the cause is named, and the bot goes on once there is room."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from aiohttp import ClientSession

from tests.reliability.bot_process import BotProcess
from tests.reliability.chats import UNREACHED, Chat, discord
from tests.reliability.conftest import Figure, Scale
from tests.support.servers import free_port
from tests.support.waiting import eventually

REQUESTS: Final = ("new", "games", "board", "profile", "top")
ROOM: Final = 8 << 10  # bytes by which a file may still grow
FULL: Final = os.strerror(27)  # EFBIG: a file that may not grow stands for a disk that is full


class _Disk:
    """The disk of a bot and of its embedded server, as far as a limit of the size of files is one."""

    def __init__(self, data: Path, log: Path) -> None:
        self._data, self._log = data, log

    def fill(self) -> None:
        """Let no file grow by more than some kilobytes, neither of the processes nor of those that they start."""
        largest = max(path.stat().st_size for path in (*self._data.rglob("*.aof"), self._log))
        self._limit(largest + ROOM)

    def clear(self) -> None:
        """Let them grow."""
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        for lock in ("lock", "server.lock"):
            pid = (self._data / lock).read_text()
            if pid.isdigit() and Path(f"/proc/{pid}").exists():
                _, hard = resource.prlimit(int(pid), resource.RLIMIT_FSIZE)
                resource.prlimit(int(pid), resource.RLIMIT_FSIZE, (size, hard))


def _refused(chats: Sequence[Chat]) -> int:
    """Return how many requests were refused since the store does not answer; a command in the words is a mention on Discord."""
    words = UNREACHED.partition("/")[0]
    return sum(said.startswith(words) for chat in chats for said in chat.refused)


async def _waits(bot: BotProcess, chats: Sequence[Chat]) -> list[float]:
    """Make five requests at once, one in each chat or all in one; return after how many seconds each was answered."""

    async def one(chat: Chat, command: str) -> float:
        began = time.monotonic()
        await chat.say(bot, 0, command, "breakthrough" if command == "new" else "")
        return time.monotonic() - began

    asked = [one(chats[number % len(chats)], command) for number, command in enumerate(REQUESTS)]
    return sorted(await asyncio.gather(*asked))


@pytest.mark.skipif(sys.platform != "linux", reason="no prlimit")
async def test_a_full_disk(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    data, log, address = tmp_path / "data", tmp_path / "log", f"127.0.0.1:{free_port()}"
    async with discord() as platform, ClientSession() as session:

        async def ready() -> tuple[int, str]:
            async with session.get(f"http://{address}/readyz") as answer:
                return answer.status, await answer.text()

        async def well() -> bool:
            return (await ready())[0] == 200

        settings = {**platform.settings, "KLOP_METRICS_LISTEN": address, "KLOP_WORKERS": "0"}
        bot, disk = await BotProcess.start(data, log, settings), _Disk(data, log)
        try:
            await platform.connected(bot)
            chats = [platform.group() for _ in range(5)]
            await _waits(bot, chats)
            for _ in range(scale(3, 1)):
                disk.fill()
                already, first = _refused(chats[:1]), 0.0
                for _ in range(10):  # until a write does not fit any more
                    began = time.monotonic()
                    await chats[0].say(bot, 1, "new", "breakthrough")
                    first = time.monotonic() - began
                    if _refused(chats[:1]) > already:
                        break
                before = _refused(chats)
                in_one, in_five = await _waits(bot, chats[:1]), await _waits(bot, chats)
                after = _refused(chats)
                status, said = await ready()
                disk.clear()
                began = time.monotonic()
                await eventually(well)
                back = time.monotonic() - began
                assert after - before == 2 * len(REQUESTS), "each is refused, once"
                assert (status, FULL in said) == (503, True)
                assert FULL in log.read_text()
                refused = "; ".join(", ".join(f"{wait:.1f}" for wait in waits) for waits in (in_one, in_five))
                figure(
                    f"a full disk: the first request refused after {first:.1f} s, five in one channel and five in five"
                    f" after {refused};"
                    f" ready again {back:.1f} s after there was room"
                )
            await _waits(bot, chats)
        finally:
            await bot.end()
    assert "Traceback" not in log.read_text()
