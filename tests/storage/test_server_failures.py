"""Servers that fail: a commit is refused as `Unavailable`, what was stored stays, and the store recovers by itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis
from redis.exceptions import RedisError

from play.errors import TakesNoWrites, Unavailable
from play.match import Match
from play.ports import Operation
from storage import RedisStore
from storage.client import by_socket
from storage.embedded.directory import socket_path
from tests.support.matches import running
from tests.support.servers import Server
from tests.support.storing import got, put
from tests.support.waiting import LIMIT, eventually


@dataclass
class Patient:
    """A server of a test's own, the store on it, and the match it holds."""

    server: Server
    client: Redis
    store: RedisStore
    match: Match

    async def refuses(self) -> None:
        """A commit fails in time and changes nothing."""
        with pytest.raises(Unavailable):
            async with asyncio.timeout(LIMIT):
                await put(self.store, running(plies=9), self.match.revision, operation=Operation("lost", ""))

    async def healed(self) -> None:
        """It works again without anybody's help, and nothing was lost."""
        await eventually(self._answers)
        found = await got(self.store, self.match.id)
        lost = Operation("lost", "")
        again = await put(self.store, running(plies=9), self.match.revision, operation=lost)
        assert found in (self.match, again)
        assert again.revision == self.match.revision + 1
        self.match = again

    async def _answers(self) -> bool:
        try:
            await self.store.uptime.beat(await self.store.now())
        except Unavailable:
            return False
        return True


@pytest_asyncio.fixture
async def patient(tmp_path: Path) -> AsyncIterator[Patient]:
    with socket_path(tmp_path) as path:
        server = Server(tmp_path, {"appendfsync": "no", "hz": "100", "enable-debug-command": "yes"}, path)
        try:
            server.start()
            client, other = by_socket(path), by_socket(path)
            store = RedisStore(client)
            yield Patient(server, other, store, await put(store, running(), 0))
            await client.aclose()
            await other.aclose()
        finally:
            server.kill()


async def test_out_of_memory(patient: Patient) -> None:
    await patient.client.config_set("maxmemory", 1)
    await patient.refuses()
    with pytest.raises(TakesNoWrites):
        await patient.store.notes.write("full", "", keep=timedelta(hours=1))
    assert await got(patient.store, patient.match.id) == patient.match
    await patient.client.config_set("maxmemory", 0)
    await patient.healed()


async def test_a_disk_that_takes_no_snapshot(patient: Patient) -> None:
    """MISCONF: a folder stands where the snapshot should be."""
    (patient.server.directory / "dump.rdb").mkdir()
    await patient.client.config_set("save", "3600 1000000")

    async def failed() -> bool:
        status: str = (await patient.client.info("persistence"))["rdb_last_bgsave_status"]
        return status == "err"

    await patient.client.bgsave()
    await eventually(failed)
    await patient.refuses()
    (patient.server.directory / "dump.rdb").rmdir()
    await patient.client.bgsave()
    await patient.healed()


@pytest.mark.slow
async def test_a_replica(patient: Patient) -> None:
    await patient.client.replicaof("127.0.0.1", 1)
    await patient.refuses()
    await patient.client.replicaof("NO", "ONE")
    await patient.healed()


@pytest.mark.slow
async def test_a_server_that_loads(patient: Patient) -> None:
    """LOADING: the server is slow to load, by its own means, while commands come."""
    await patient.client.config_set("key-load-delay", 20_000)
    await patient.client.config_set("loading-process-events-interval-bytes", 1024)
    for number in range(400):
        await patient.client.set(f"ballast{number}", "x" * 100)
    reader, writer = await asyncio.open_unix_connection(patient.server.socket)
    writer.write(b"DEBUG RELOAD\r\n")
    await writer.drain()
    await eventually(lambda: _in_trouble(patient.client))
    await patient.refuses()
    assert (await reader.readline()).startswith(b"+OK")
    writer.close()
    await patient.healed()


async def _in_trouble(client: Redis) -> bool:
    try:
        await client.ping()
    except RedisError:
        return True
    return False


async def test_a_busy_script(patient: Patient) -> None:
    await patient.client.config_set("lua-time-limit", 1)
    _, writer = await asyncio.open_unix_connection(patient.server.socket)
    writer.write(b"EVAL 'while true do end' 0\r\n")
    await writer.drain()
    await eventually(lambda: _in_trouble(patient.client))
    await patient.refuses()
    await patient.client.script_kill()
    writer.close()
    await patient.healed()


@pytest.mark.slow
async def test_a_black_hole(patient: Patient) -> None:
    patient.server.signal(signal.SIGSTOP)
    await patient.refuses()
    patient.server.signal(signal.SIGCONT)
    await patient.healed()


@pytest.mark.slow
async def test_many_at_once_in_a_black_hole_are_all_told_in_time(patient: Patient) -> None:
    patient.server.signal(signal.SIGSTOP)
    await asyncio.gather(*(patient.refuses() for _ in range(200)))
    patient.server.signal(signal.SIGCONT)
    await patient.healed()


@pytest.mark.slow
async def test_a_server_that_dies_and_is_started_again(patient: Patient) -> None:
    patient.server.kill()
    await patient.refuses()
    patient.server.start()
    await patient.healed()
