"""Servers of the store that are killed or replaced, lines to them that are slow or cut, and a disk that is full."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Final

import pytest
from aiohttp import ClientSession

from play.errors import Unavailable
from storage import open_store
from storage.client.connecting import by_socket, by_url
from storage.redis.store import RedisStore
from tests.reliability.chats import UNREACHED, Chat, discord
from tests.reliability.conftest import Figure, Scale
from tests.reliability.load import CallTally, check, playing
from tests.reliability.processes import BotProcess
from tests.support.proxy import SHARES, Ill, faulty
from tests.support.servers import (
    Cluster,
    Server,
    Watched,
    free_port,
    redis_server,
    replicated_cluster,
    watched_master,
)
from tests.support.waiting import LIMIT, eventually

AT_ONCE: Final = 12
LONGEST: Final = 2.5  # seconds that a call takes


async def test_a_server_killed_under_load(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    """What was confirmed is there when it is back."""
    kills, tally, luck, back = scale(50, 5), CallTally(), random.Random(3), [0.0]
    server = Server(tmp_path / "data")  # as the embedded one is: on the disk before it is confirmed
    try:
        server.start()
        store = RedisStore(client := by_socket(server.socket))
        async with playing(store, "k", AT_ONCE, tally) as pairs:
            for _ in range(kills):
                await asyncio.sleep(luck.uniform(0.1, 0.8))
                await asyncio.to_thread(server.kill)
                before = tally.asked
                await asyncio.sleep(luck.choice((0, 0, 0.5, 2.5)))  # at times longer than a client waits
                assert tally.asked <= before + AT_ONCE, "nothing was confirmed by a dead server"
                began = time.monotonic()
                await asyncio.to_thread(server.start)
                back.append(time.monotonic() - began)
            await asyncio.sleep(0.5)
        await check(store, pairs, tally)
        await client.aclose()
    finally:
        server.kill()
    figure(
        f"server killed {kills} times under load: {tally}, at most {max(back):.2f} s until it answered again"
    )
    tally.check()


FAILOVER_LONGEST: Final = 10.0
"""Seconds from the death of a master until all that it had can be written again."""

PROBES: Final = [("SET", f"klop:probe:{number}", number) for number in range(60)]
"""Writes of which some go to each master."""


@pytest.mark.parametrize("deployed", [replicated_cluster, watched_master], ids=["cluster", "sentinel"])
async def test_a_replica_takes_over(
    deployed: Callable[[Path], AbstractContextManager[Cluster | Watched]],
    scale: Scale,
    figure: Figure,
    tmp_path: Path,
) -> None:
    """What was confirmed by a master that is killed is there."""
    failovers, tally, luck = scale(20, 1), CallTally(), random.Random(5)
    back: list[float] = []
    with deployed(tmp_path) as servers:
        store = RedisStore(client := by_url(servers.seeds))
        async with playing(store, "f", AT_ONCE, tally) as pairs:
            for _ in range(failovers):
                await asyncio.sleep(luck.uniform(0.2, 1.0))
                master = await asyncio.to_thread(servers.master, luck)
                await asyncio.to_thread(master.kill)
                back.append(await _seconds_until_writable(store))
                async with open_store(servers.seeds, tmp_path):  # a bot that starts while the server is away
                    await asyncio.to_thread(master.start)
                await eventually(lambda: asyncio.to_thread(servers.whole))
        await check(store, pairs, tally)
        await client.aclose()
    figure(
        f"master killed {failovers} times, a replica took over: {tally}; back in {median(back):.1f} s (median),"
        f" {max(back):.1f} s at most"
    )
    tally.check()
    if scale(1, 0):  # in the short form others share the machine
        assert max(back) <= FAILOVER_LONGEST


async def _seconds_until_writable(store: RedisStore) -> float:
    began = time.monotonic()
    while True:
        try:
            await store.connection.batch(PROBES)
        except Unavailable:
            continue
        return time.monotonic() - began


LINES_AT_ONCE: Final = 16
"""Pairs that play side by side; where the proxy itself has much to do, a quarter of them."""


@asynccontextmanager
async def lag() -> AsyncIterator[list[float]]:
    """How late this process itself is: what is not the store's fault."""
    late = [0.0]

    async def measure() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.02)
            late.append(time.monotonic() - began - 0.02)

    task = asyncio.create_task(measure())
    try:
        yield late
    finally:
        task.cancel()


@pytest.mark.parametrize("ill", Ill)
async def test_bad_lines(ill: Ill, scale: Scale, figure: Figure, tmp_path: Path) -> None:
    """Nothing is lost or doubled, and no call waits long."""
    tally, many = CallTally(), LINES_AT_ONCE // 4 if ill is Ill.SLICES else LINES_AT_ONCE
    operations, began = scale(5000, 60 if ill is Ill.SLICES else 250), time.monotonic()
    with redis_server(tmp_path / "data") as server:
        async with faulty(server, ill, seed=7) as proxy, lag() as late:
            client = by_url(f"redis://127.0.0.1:{proxy.port}")
            async with playing(RedisStore(client), ill.name, many, tally) as pairs:
                await eventually(lambda: tally.asked >= operations, 10 * LIMIT)
            await client.aclose()
        direct = by_socket(server)
        await check(RedisStore(direct), pairs, tally)
        await direct.aclose()
    figure(
        f"{ill.value} ({SHARES[ill]:.0%} of questions), {proxy.questions} questions, {proxy.befallen} of them befallen:"
        f" {tally} (this process late by {max(late):.2f} s), {time.monotonic() - began:.0f} s in all"
    )
    assert proxy.befallen >= proxy.questions * SHARES[ill] / 4
    tally.check()
    if scale(1, 0):  # in the short form others share the machine
        assert tally.longest <= LONGEST + max(late)


REQUESTS: Final = ("new", "games", "board", "profile", "top")
ROOM: Final = 8 << 10  # bytes by which a file may still grow
FULL: Final = os.strerror(27)  # EFBIG: a file that may not grow stands for a disk that is full


class _Disk:
    """The disk of a bot and of its embedded server, as far as a limit of the size of files is one."""

    def __init__(self, data: Path, log: Path) -> None:
        self._data, self._log = data, log

    def fill(self) -> None:
        largest = max(path.stat().st_size for path in (*self._data.rglob("*.aof"), self._log))
        self._limit(largest + ROOM)

    def clear(self) -> None:
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

    async def one(chat: Chat, command: str) -> float:
        began = time.monotonic()
        await chat.say(bot, 0, command, game="breakthrough" if command == "new" else "")
        return time.monotonic() - began

    asked = [one(chats[number % len(chats)], command) for number, command in enumerate(REQUESTS)]
    return sorted(await asyncio.gather(*asked))


@pytest.mark.skipif(sys.platform != "linux", reason="no prlimit")
async def test_a_full_disk(scale: Scale, figure: Figure, tmp_path: Path) -> None:
    """Each request is refused once and in time, the cause is named, and the bot goes on once there is room."""
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
            chats = [Chat.group(platform) for _ in range(5)]
            await _waits(bot, chats)
            for _ in range(scale(3, 1)):
                disk.fill()
                already, first = _refused(chats[:1]), 0.0
                for _ in range(10):  # until a write does not fit any more
                    began = time.monotonic()
                    await chats[0].say(bot, 1, "new", game="breakthrough")
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
