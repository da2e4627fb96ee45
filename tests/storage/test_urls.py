"""URLs of the store: what each names, and what is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Redis, SSLConnection
from redis.asyncio.sentinel import SentinelConnectionPool

from storage import CannotStart, StoreProblem
from storage.client import TIMEOUT, by_url
from storage.client.connecting import Cluster


def cluster(url: str) -> tuple[list[tuple[str, int]], dict[str, Any]]:
    """The seeds of a cluster, and how its nodes are connected to."""
    client = by_url(url)
    assert isinstance(client, Cluster)
    pool = client.pool("n", 1)
    assert isinstance(pool, BlockingConnectionPool)
    return client.seeds, {**pool.connection_kwargs, "class": pool.connection_class}


def sentinels(url: str) -> tuple[SentinelConnectionPool, list[dict[str, Any]]]:
    """The pool to the master, and how the Sentinels are connected to."""
    client = by_url(url)
    assert isinstance(client, Redis)
    pool = client.connection_pool
    assert isinstance(pool, SentinelConnectionPool)
    return pool, [each.connection_pool.connection_kwargs for each in pool.sentinel_manager.sentinels]


async def test_a_cluster_has_several_seeds() -> None:
    seeds, options = cluster("redis://bot:p%40ss@one:7001,two,[::1]:7003/?cluster=true")
    assert seeds == [("one", 7001), ("two", 6379), ("::1", 7003)]
    assert (options["username"], options["password"]) == ("bot", "p@ss")
    assert options["socket_timeout"] == TIMEOUT
    assert options["retry"].get_retries() == 0


async def test_a_cluster_with_tls() -> None:
    _, options = cluster("rediss://one,two?cluster=true&ssl_cert_reqs=none")
    assert options["class"] is SSLConnection
    assert options["ssl_cert_reqs"] == "none"


async def test_sentinels_have_a_login_of_their_own() -> None:
    pool, others = sentinels("redis+sentinel://bot:pw@one:5000,two/my%20klop/3?sentinel_password=s%40")
    assert pool.service_name == "my klop"
    said = pool.connection_kwargs
    assert (said["username"], said["password"], said["db"]) == ("bot", "pw", 3)
    assert [(each["host"], each["port"]) for each in others] == [("one", 5000), ("two", 26379)]
    assert {(each.get("username"), each["password"]) for each in others} == {(None, "s@")}
    assert all(each["socket_timeout"] == TIMEOUT for each in (said, *others))


async def test_sentinels_with_tls() -> None:
    pool, (only,) = sentinels("rediss+sentinel://one/klop?ssl_ca_certs=/ca.pem")
    assert issubclass(pool.connection_class, SSLConnection)
    assert pool.connection_kwargs["ssl_ca_certs"] == only["ssl_ca_certs"] == "/ca.pem"


async def test_sentinels_that_many_tasks_ask_are_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    async def masters(sentinel: Redis) -> dict[str, dict[str, object]]:
        await asyncio.sleep(0)
        if sentinel.connection_pool.connection_kwargs["host"] != "three":
            raise exceptions.ConnectionError
        return {
            "klop": {
                "is_master": True,
                "is_sdown": False,
                "is_odown": False,
                "num-other-sentinels": 2,
                "ip": "m",
                "port": 1,
            }
        }

    monkeypatch.setattr(Redis, "sentinel_masters", masters)
    pool, _ = sentinels("redis+sentinel://one,two,three/klop")
    known = list(pool.sentinel_manager.sentinels)
    found = await asyncio.gather(*(pool.get_master_address() for _ in range(4)))  # type: ignore[no-untyped-call]
    assert found == [("m", 1)] * 4
    assert set(pool.sentinel_manager.sentinels) == set(known)


@pytest.mark.parametrize(
    "url",
    [
        "redis://one,two",  # several servers, and no cluster
        "redis://one,two/1?cluster=true",
        "redis://one,,two?cluster=true",
        "redis://one:s3cret,two?cluster=true",
        "redis+sentinel://one",
        "redis+sentinel://one/",
        "redis+sentinel://:s3cret@one/klop/first",
        "redis+sentinel://:s3cret@one/klop/0/1",
        "redis+sentinel://:s3cret@one/klop?cluster=true",
        "redis+sentinel://:s3cret@one/klop?sentinel_socket_timeout=9",
        "redis://:s3cret@one?sentinel_password=s3cret",
        "redis+cluster://one",
        "http+sentinel://one/klop",
        "redis://",
    ],
)
def test_what_is_refused(url: str) -> None:
    with pytest.raises(CannotStart) as caught:
        by_url(url)
    assert caught.value.problem is StoreProblem.BAD_URL
    assert caught.value.__context__ is None  # it would name the URL
