"""A store on a cluster: how it is opened, and what it does while parts of the cluster are away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import RedisCluster

from play.errors import Unavailable
from play.match import Match
from storage import RedisStore, StoreProblem, keys, open_store
from storage.client import TIMEOUT, by_url
from storage.embedded.directory import holds_store
from tests.storage.test_opening import refused
from tests.support.clusters import Cluster, three_masters
from tests.support.matches import HALL, ids, running
from tests.support.storing import got, put
from tests.support.waiting import LIMIT, eventually


async def test_a_cluster_is_opened(
    redis_cluster: Cluster, cluster_client: RedisCluster, tmp_path: Path
) -> None:
    async with open_store(redis_cluster.url, tmp_path / "nowhere") as store:
        match = await put(store, running(), 0)
        assert await store.matches.at(HALL) == [match]
    assert not holds_store(tmp_path / "nowhere")


async def test_a_cluster_must_be_called_one(
    redis_cluster: Cluster, cluster_client: RedisCluster, tmp_path: Path
) -> None:
    await refused(redis_cluster.url.partition("?")[0], tmp_path, StoreProblem.CLUSTER)


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost/1?cluster=true",
        "unix:///tmp/x?cluster=true",
        "redis://localhost?cluster=yes",
        "redis://localhost?cluster=true&socket_timeout=9",
    ],
)
async def test_urls_that_no_cluster_has(url: str, tmp_path: Path) -> None:
    await refused(url, tmp_path, StoreProblem.BAD_URL)


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
