"""Fixtures: a real server and a cluster for the session, and the stores on them, empty, for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster

from play.facts import Started
from play.match import Match
from play.people import Account, Address
from play.ports import Store
from play.settings import Settings
from storage.client.connecting import by_socket, by_url
from storage.embedded import EmbeddedRedis
from storage.embedded.directory import socket_path
from storage.ports import FullStore
from storage.redis.store import RedisStore
from tests.support.memory import MemoryStore
from tests.support.proxy import Proxy, proxied
from tests.support.servers import Cluster, Server, three_masters
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


# Short ways to put matches into a store and to get them out again.


async def put(store: Store, match: Match, expected: int, **more: Any) -> Match:
    """Commit a match; the match as committed."""
    return (await store.matches.commit(Started(match), expected, **more)).match


async def got(store: Store, match_id: str) -> Match:
    """A match as it is stored."""
    return (await store.matches.load(match_id)).match


async def language(store: Store, whose: Account | Address) -> str | None:
    """A language that was chosen."""
    return (await store.settings.get(whose)).language


async def set_settings(store: Store, whose: Account | Address, settings: Settings) -> None:
    """Choose these settings and no others."""
    await store.settings.change(whose, lambda _: settings)


async def set_language(store: Store, whose: Account | Address, chosen: str) -> None:
    """Choose one."""
    await store.settings.change(whose, lambda now: replace(now, language=chosen))


async def flush(store: RedisStore) -> None:
    """Delete everything that its servers hold."""
    client = store.connection.client
    if isinstance(client, RedisCluster):
        await client.flushall(target_nodes=RedisCluster.PRIMARIES)
    else:
        await client.flushall()


# Everything that a server holds, key by key.


Contents: TypeAlias = Mapping[str, Any]
"""By key: what it holds, as plain values that can be compared."""

_HOW: Final[Mapping[str, Callable[[str], tuple[str | int, ...]]]] = {
    "string": lambda key: ("GET", key),
    "hash": lambda key: ("HGETALL", key),
    "zset": lambda key: ("ZRANGE", key, 0, -1, "WITHSCORES"),
    "stream": lambda key: ("XRANGE", key, "-", "+"),
    "set": lambda key: ("SMEMBERS", key),
    "list": lambda key: ("LRANGE", key, 0, -1),
}


async def contents(store: RedisStore) -> Contents:
    """Everything, as of now. How long a key lasts is not part of it."""
    keys = [key async for found in store.connection.scan("*") for key in found]
    kinds = [bytes(kind).decode() for kind in await store.connection.batch([("TYPE", key) for key in keys])]
    there = [
        (key, kind) for key, kind in zip(keys, kinds, strict=True) if kind != "none"
    ]  # else it has run out
    held = await store.connection.batch([_HOW[kind](key) for key, kind in there])
    return {key: _plain(kind, value) for (key, kind), value in zip(there, held, strict=True)}


def _plain(kind: str, held: Any) -> Any:
    if kind == "hash":
        return dict(held) if isinstance(held, Mapping) else dict(zip(held[::2], held[1::2], strict=True))
    return repr(held)
