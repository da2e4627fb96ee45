"""Clusters, replicas, and servers that fail."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr
from redis.asyncio import RedisCluster
from redis.asyncio.cluster import ClusterNode
from redis.exceptions import TimeoutError as RedisTimeoutError

from bot.app.command_line import administer
from bot.app.settings import read_config
from bot.config import Config
from play.errors import TakesNoWrites, Unavailable
from play.match import Match
from play.ports import Operation
from storage import RedisStore, StoreProblem, keys, open_store
from storage.client.connecting import TIMEOUT, by_socket, by_url
from storage.client.connection import Pipeline
from tests.storage.test_opening import refused
from tests.support.matches import ids, running
from tests.support.servers import Cluster, Node, redis_server, three_masters, watched_master
from tests.support.stores import got, put
from tests.support.waiting import LIMIT, eventually, eventually_now

# A store on a cluster: how it is opened, and what it does while parts of the cluster are away.


async def test_closing_closes_connections_also_of_a_node_that_answered_late(
    redis_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[ClusterNode] = []
    execute = ClusterNode.execute_command

    async def late(node: ClusterNode, *words: object) -> object:
        asked.append(node)
        if len(asked) == 1:
            raise RedisTimeoutError
        return await execute(node, *words)

    monkeypatch.setattr(ClusterNode, "execute_command", late)
    client = by_url(redis_cluster.url, timeout=LIMIT)
    await RedisStore(client, patience=LIMIT).connection.probe()
    await client.aclose()
    await asyncio.sleep(0)
    assert len(asked) > 1
    assert not any(each.is_connected for node in asked for each in node._connections)


async def test_a_cluster_must_be_called_one(
    redis_cluster: Cluster, cluster_client: RedisCluster, tmp_path: Path
) -> None:
    await refused(redis_cluster.url.partition("?")[0], tmp_path, StoreProblem.CLUSTER)


async def test_every_master_must_remember(
    redis_cluster: Cluster, cluster_client: RedisCluster, tmp_path: Path
) -> None:
    last = redis_cluster.nodes[2]
    last.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        error = await refused(redis_cluster.url, tmp_path, StoreProblem.SETTING)
    finally:
        last.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
    assert error.fields["setting"] == "maxmemory-policy"


async def test_every_master_must_take_writes(redis_cluster: Cluster, cluster_client: RedisCluster) -> None:
    connection, last = RedisStore(cluster_client, patience=LIMIT).connection, redis_cluster.nodes[2]
    await connection.probe()
    last.ask("CONFIG", "SET", "maxmemory", 1)
    try:
        with pytest.raises(Unavailable) as refusal:
            await connection.probe()
    finally:
        last.ask("CONFIG", "SET", "maxmemory", 0)
    assert connection.words_of(refusal.value).startswith("OOM command not allowed")


async def test_the_client_never_repeats(redis_cluster: Cluster) -> None:
    client = by_url(redis_cluster.url)
    assert isinstance(client, RedisCluster)
    assert client.retry.get_retries() == 0
    said = client.nodes_manager.connection_kwargs
    assert said["socket_timeout"] == said["socket_connect_timeout"] == TIMEOUT
    await client.aclose()


async def test_keys_of_a_match_are_on_one_node_and_matches_on_all(
    redis_cluster: Cluster, cluster_client: RedisCluster
) -> None:
    store = RedisStore(cluster_client, patience=LIMIT)
    for match_id in ids(200):
        await put(store, running(match_id), 0)
    held = [int(node.ask("DBSIZE")[1:]) for node in redis_cluster.nodes]
    assert min(held) > 30


@pytest_asyncio.fixture
async def own(tmp_path: Path) -> AsyncIterator[tuple[Cluster, RedisStore]]:
    """A cluster that a test may break, and a store on it."""
    with three_masters(tmp_path) as cluster:
        client = by_url(cluster.url)
        yield cluster, RedisStore(client)
        await client.aclose()


@pytest.mark.slow
async def test_the_only_named_node_is_waited_for(
    own: tuple[Cluster, RedisStore], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cluster, _ = own
    cluster.nodes[0].kill()

    async def opens() -> Match:
        async with open_store(cluster.url, tmp_path / "nowhere", waits=True) as store:
            return await put(store, running(), 0)

    opening = asyncio.create_task(opens())
    await eventually(lambda: "the bot waits for the store" in caplog.text or opening.done())
    assert not opening.done()
    cluster.nodes[0].start()
    assert (await asyncio.wait_for(opening, LIMIT)).revision == 1


async def committed(store: RedisStore, match: Match) -> bool:
    try:
        await put(store, replace(match), 0)
    except Unavailable:
        return False
    return True


@pytest.mark.slow
async def test_a_node_that_dies_and_comes_back(own: tuple[Cluster, RedisStore]) -> None:
    cluster, store = own
    for match_id in ids(100):
        await put(store, running(match_id), 0)
    cluster.nodes[1].kill()
    failed = 0
    for match_id in ids(100)[::10]:
        try:
            async with asyncio.timeout(LIMIT):
                await got(store, match_id)
        except Unavailable:
            failed += 1
    assert 0 < failed < 10, "the other nodes answer"
    cluster.nodes[1].start()
    await eventually(cluster.whole)

    async def read_again() -> bool:
        try:
            return all([(await got(store, match_id)).revision == 1 for match_id in ids(100)])
        except Unavailable:
            return False

    await eventually(read_again)
    for match_id in ids(100):
        await put(store, running(match_id), 1)


@pytest.mark.slow
async def test_slots_that_move_are_followed(own: tuple[Cluster, RedisStore]) -> None:
    cluster, store = own
    match = await put(store, running(), 0)
    slot = int(cluster.nodes[0].ask("CLUSTER", "KEYSLOT", keys.match_key("zzzzz9"))[1:])
    owner = slot * 3 // 16384
    to = (owner + 1) % 3
    name = cluster.nodes[to].ask("CLUSTER", "MYID").split()[1].decode()
    for number in (to, owner, 3 - to - owner):
        assert cluster.nodes[number].ask("CLUSTER", "SETSLOT", slot, "NODE", name).startswith(b"+OK")
    moved = await put(store, running("zzzzz9"), 0)
    assert await got(store, "zzzzz9") == moved
    assert await got(store, match.id) == match
    await eventually(cluster.whole)


# A server whose place a replica may take: what is confirmed is on the replica too.


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


async def test_a_server_without_memory_refuses_writes_until_it_has_some(tmp_path: Path) -> None:
    with redis_server(tmp_path) as path:
        client = by_socket(path)
        store = RedisStore(client)
        match, lost = await put(store, running(), 0), Operation("lost", "")
        await client.config_set("maxmemory", 1)
        with pytest.raises(TakesNoWrites):
            await put(store, running(plies=9), match.revision, operation=lost)
        with pytest.raises(TakesNoWrites):
            await store.notes.write("full", "", keep=timedelta(hours=1))
        assert await got(store, match.id) == match
        await client.config_set("maxmemory", 0)
        assert (await put(store, running(plies=9), match.revision, operation=lost)).revision == 2
        await client.aclose()
