"""Real servers in real trouble: each gives `Unavailable` within 3 seconds, keeps what was stored, and heals by itself."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis
from redis.exceptions import RedisError

from play.errors import Unavailable
from play.match import Match
from play.ports import Operation
from storage import RedisStore
from storage.client import by_socket
from storage.embedded import command
from storage.embedded.directory import socket_path
from storage.embedded.programs import find_server
from tests.storage.matches import running
from tests.storage.putting import got, put
from tests.storage.waiting import eventually

SOON = 10.0  # seconds; what a person waits is `PATIENCE`, and a busy machine adds to it


@dataclass
class Patient:
    """A server of a test's own, the store on it, and the match it holds."""

    directory: Path
    process: subprocess.Popen[bytes]
    client: Redis
    store: RedisStore
    match: Match

    async def refuses(self) -> None:
        """A commit fails in time and changes nothing."""
        clock = asyncio.get_running_loop().time
        began = clock()
        with pytest.raises(Unavailable):
            await put(self.store, running(plies=9), self.match.revision, operation=Operation("lost", ""))
        assert clock() - began < SOON

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


@contextmanager
def served(directory: Path, socket: Path, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    words = command(find_server(), socket, {"appendfsync": "no", "hz": "100", **settings})
    with (
        (directory / "log").open("ab") as log,
        subprocess.Popen(words, cwd=directory, stdout=log, stderr=log) as it,
    ):
        try:
            yield it
        finally:
            it.send_signal(signal.SIGCONT)
            it.kill()


@pytest_asyncio.fixture
async def patient(tmp_path: Path) -> AsyncIterator[Patient]:
    with socket_path(tmp_path) as path, served(tmp_path, path, **{"enable-debug-command": "yes"}) as process:
        client, other = by_socket(path), by_socket(path)
        store = RedisStore(client)
        patient = Patient(tmp_path, process, other, store, running())
        await eventually(patient._answers)
        patient.match = await put(store, running(), 0)
        yield patient
        await client.aclose()
        await other.aclose()


async def test_out_of_memory(patient: Patient) -> None:
    await patient.client.config_set("maxmemory", 1)
    await patient.refuses()
    assert await got(patient.store, patient.match.id) == patient.match
    await patient.client.config_set("maxmemory", 0)
    await patient.healed()


async def test_a_disk_that_takes_no_snapshot(patient: Patient) -> None:
    """MISCONF: a folder stands where the snapshot should be."""
    (patient.directory / "dump.rdb").mkdir()
    await patient.client.config_set("save", "3600 1000000")

    async def failed() -> bool:
        status: str = (await patient.client.info("persistence"))["rdb_last_bgsave_status"]
        return status == "err"

    await patient.client.bgsave()
    await eventually(failed)
    await patient.refuses()
    (patient.directory / "dump.rdb").rmdir()
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
    reader, writer = await asyncio.open_unix_connection(
        patient.client.connection_pool.connection_kwargs["path"]
    )
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
    _, writer = await asyncio.open_unix_connection(patient.client.connection_pool.connection_kwargs["path"])
    writer.write(b"EVAL 'while true do end' 0\r\n")
    await writer.drain()
    await eventually(lambda: _in_trouble(patient.client))
    await patient.refuses()
    await patient.client.script_kill()
    writer.close()
    await patient.healed()


@pytest.mark.slow
async def test_a_black_hole(patient: Patient) -> None:
    os.kill(patient.process.pid, signal.SIGSTOP)
    await patient.refuses()
    os.kill(patient.process.pid, signal.SIGCONT)
    await patient.healed()


@pytest.mark.slow
async def test_many_at_once_in_a_black_hole_are_all_told_in_time(patient: Patient) -> None:
    os.kill(patient.process.pid, signal.SIGSTOP)
    await asyncio.gather(*(patient.refuses() for _ in range(200)))
    os.kill(patient.process.pid, signal.SIGCONT)
    await patient.healed()


@pytest.mark.slow
async def test_a_server_that_dies_and_is_started_again(patient: Patient) -> None:
    patient.process.kill()
    patient.process.wait()
    await patient.refuses()
    path = Path(patient.client.connection_pool.connection_kwargs["path"])
    with served(patient.directory, path):
        await patient.healed()
