"""A server whose place a replica may take: what is confirmed is on the replica too."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from bot.app.command_line import administer
from bot.app.settings import read_config
from bot.config import Config
from play.errors import Unavailable
from play.ports import Operation
from storage import RedisStore, StoreProblem, open_store
from storage.client import by_url
from storage.client.connection import Pipeline
from tests.storage.test_opening import refused
from tests.support.clusters import Cluster, watched_master
from tests.support.matches import running
from tests.support.servers import Node
from tests.support.storing import got, put
from tests.support.waiting import eventually, eventually_now

COPY = {"appendfsync": "no", "repl-diskless-sync-delay": "0"}


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Node, Node]]:
    """A server and its replica."""
    master, replica = (Node(tmp_path / name, COPY) for name in ("master", "replica"))
    try:
        master.start()
        replica.start()
        replica.ask("REPLICAOF", "127.0.0.1", master.port)
        eventually_now(lambda: b"state=online" in master.ask("INFO", "replication"))
        yield master, replica
    finally:
        master.kill()
        replica.kill()


@pytest_asyncio.fixture
async def store(pair: tuple[Node, Node]) -> AsyncIterator[RedisStore]:
    """A store on the server that knows of replicas."""
    client = by_url(f"redis://127.0.0.1:{pair[0].port}")
    store = RedisStore(client)
    store.connection._nodes = Pipeline(client.connection_pool, replicated=True)  # type: ignore[union-attr]
    yield store
    await client.aclose()


async def test_what_is_confirmed_is_on_the_replica(pair: tuple[Node, Node], store: RedisStore) -> None:
    for number in range(100):
        await store.connection.command("SET", "klop:number", number)
        assert pair[1].ask("GET", "klop:number").split()[-1] == str(number).encode()


async def test_nothing_is_confirmed_that_the_replica_does_not_take(
    pair: tuple[Node, Node], store: RedisStore
) -> None:
    match, operation = await put(store, running(), 0), Operation("again", "")
    pair[1].signal(signal.SIGSTOP)
    for _ in range(2):  # the second time it finds the operation done, and still does not confirm it
        with pytest.raises(Unavailable):
            await put(store, running(), match.revision, operation=operation)
    pair[1].signal(signal.SIGCONT)

    async def again() -> int:
        try:
            return (await put(store, running(), match.revision, operation=operation)).revision
        except Unavailable:
            return 0

    await eventually(again)
    assert await again() == match.revision + 1


async def test_a_server_that_lost_its_replica_goes_on(pair: tuple[Node, Node], store: RedisStore) -> None:
    match = await put(store, running(), 0)
    pair[1].kill()
    eventually_now(lambda: b"connected_slaves:0" in pair[0].ask("INFO", "replication"))
    assert await put(store, running(), match.revision) == await got(store, match.id)


async def test_one_that_must_not_refuses(pair: tuple[Node, Node], store: RedisStore) -> None:
    match = await put(store, running(), 0)
    pair[0].ask("CONFIG", "SET", "min-replicas-to-write", 1)
    pair[1].kill()
    eventually_now(lambda: b"connected_slaves:0" in pair[0].ask("INFO", "replication"))
    with pytest.raises(Unavailable):
        await put(store, running(), match.revision)
    assert await got(store, match.id) == match


async def doctor(url: str, directory: Path) -> list[str]:
    """What the doctor says of a store."""
    settings: Config = read_config(data=directory).model_copy(
        update={"redis_url": SecretStr(url), "language": "en"}
    )
    lines: list[str] = []
    await administer("doctor", settings, lines.append)
    return lines


async def test_the_doctor_counts_the_servers_of_a_cluster(redis_cluster: Cluster, tmp_path: Path) -> None:
    lines = await doctor(redis_cluster.url, tmp_path)
    assert "ok A cluster; masters: 3, replicas: 0" in lines
    assert sum(line.startswith("-- A master") for line in lines) == 2


@pytest.mark.slow
async def test_sentinels_name_the_master(tmp_path: Path) -> None:
    with watched_master(tmp_path) as watched:
        async with open_store(watched.seeds, tmp_path / "nowhere") as store:
            match = await put(store, running(), 0)
            assert await got(store, match.id) == match
        lines = await doctor(watched.seeds, tmp_path / "nowhere")
        assert "ok Sentinel names the master; replicas: 2" in lines
        assert not any(line.startswith("-- A master") for line in lines)
        await refused(watched.seeds.replace("/klop", "/other"), tmp_path, StoreProblem.NO_MASTER)
