"""Fixtures: a real server and a cluster for the session, and the stores on them, empty, for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster

from storage.client import by_socket, by_url
from storage.embedded import EmbeddedRedis
from storage.embedded.directory import socket_path
from storage.ports import FullStore
from storage.redis.store import RedisStore
from tests.support.clusters import Cluster, three_masters
from tests.support.memory import MemoryStore
from tests.support.proxy import Proxy, proxied
from tests.support.servers import Server
from tests.support.waiting import LIMIT


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The unix socket of a server set up as the embedded one, but for fsync."""
    directory = tmp_path_factory.mktemp("redis")
    with socket_path(directory) as path:
        server = Server(directory, {"appendfsync": "no"}, path)
        try:
            server.start()
            yield path
        finally:
            server.kill()


@pytest_asyncio.fixture
async def redis_client(redis_server: Path) -> AsyncIterator[Redis]:
    """A client of the session's server, which is empty."""
    client = by_socket(redis_server, timeout=LIMIT)
    await client.flushall()
    yield client
    await client.aclose()


@pytest.fixture(scope="session")
def redis_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three masters on loopback."""
    with three_masters(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest_asyncio.fixture
async def cluster_client(redis_cluster: Cluster) -> AsyncIterator[RedisCluster]:
    """A client of the session's cluster, which is empty."""
    client = by_url(redis_cluster.url, timeout=LIMIT)
    assert isinstance(client, RedisCluster)
    await client.flushall(target_nodes=RedisCluster.PRIMARIES)
    yield client
    await client.aclose()


@pytest_asyncio.fixture
async def embedded_client(tmp_path: Path) -> AsyncIterator[Redis]:
    """A client of an embedded server of the test's own."""
    async with EmbeddedRedis(tmp_path / "data") as server:
        client = by_socket(server.socket, timeout=LIMIT)
        yield client
        await client.aclose()


@pytest_asyncio.fixture
async def proxy(redis_server: Path, redis_client: Redis, tmp_path: Path) -> AsyncIterator[Proxy]:
    """A proxy before the session's server, which is empty."""
    with socket_path(tmp_path) as path:
        async with proxied(path, redis_server) as proxy:
            yield proxy


KINDS = ["memory", "redis", "cluster", pytest.param("embedded", marks=pytest.mark.slow)]


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest) -> FullStore:
    """Every kind of store, empty."""
    if request.param == "memory":
        return MemoryStore()
    return RedisStore(request.getfixturevalue(f"{request.param}_client"), patience=LIMIT)
