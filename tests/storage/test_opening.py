"""Opening the store: a server that would forget is refused, and the refusal names the remedy."""

from __future__ import annotations

import asyncio
import logging
import traceback
from pathlib import Path
from typing import Any

import pytest
from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster, SSLConnection
from redis.asyncio.sentinel import SentinelConnectionPool

from storage import CannotStart, StoreProblem, keys, open_store
from storage.client.absence import PATIENCE
from storage.client.connecting import TIMEOUT, by_socket, by_url
from storage.client.connecting import Cluster as UrlsCluster
from storage.embedded.directory import DIRECTORY, holds_store
from storage.opening import check
from storage.redis.store import RedisStore
from tests.support.matches import HALL, running
from tests.support.proxy import Proxy
from tests.support.servers import Cluster, Node, free_port
from tests.support.stores import got, language, put
from tests.support.waiting import LIMIT, eventually


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A data directory that must not be needed."""
    return tmp_path / "nowhere"


async def test_without_a_url_it_is_the_embedded_one(tmp_path: Path) -> None:
    async with open_store(None, tmp_path / "data") as store:
        match = await put(store, running(), 0)
    async with open_store("", tmp_path / "data") as store:
        assert await store.matches.at(HALL) == [match]


async def test_with_a_url_it_is_that_one(redis_server: Path, redis_client: Redis, nowhere: Path) -> None:
    async with open_store(f"unix://{redis_server}", nowhere) as store:
        match = await put(store, running(), 0)
    assert await got(RedisStore(redis_client, patience=LIMIT), match.id) == match
    assert not holds_store(nowhere)
    assert not [*(nowhere / DIRECTORY).iterdir()]


async def refused(url: str | None, directory: Path, problem: StoreProblem) -> CannotStart:
    """The refusal to open a store; a server that was too busy to answer is asked again."""
    async with asyncio.timeout(LIMIT):
        while True:
            with pytest.raises(CannotStart) as caught:
                async with open_store(url, directory):
                    pass
            if caught.value.reason is problem or caught.value.reason is not StoreProblem.UNREACHABLE:
                assert caught.value.reason is problem
                return caught.value


@pytest.mark.parametrize("url", ["unix://{}", "unix://:wr0ng-s3cret@{}", "unix://user:wr0ng-s3cret@{}"])
async def test_a_password_is_needed(redis_server: Path, redis_client: Redis, nowhere: Path, url: str) -> None:
    await redis_client.config_set("requirepass", "right-s3cret")
    try:
        error = await refused(url.format(redis_server), nowhere, StoreProblem.LOGIN)
        async with open_store(f"unix://:right-s3cret@{redis_server}", nowhere) as store:
            assert await language(store, HALL) is None
    finally:
        await redis_client.config_set("requirepass", "")
    assert "s3cret" not in "".join(traceback.format_exception(error))


async def test_a_port_without_a_server(nowhere: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        url = f"redis://bot:s3cret@127.0.0.1:{free_port()}/0"
        error = await refused(url, nowhere, StoreProblem.UNREACHABLE)
    assert "s3cret" not in "".join(traceback.format_exception(error))
    assert "s3cret" not in caplog.text


async def test_a_server_that_is_not_up_yet_is_waited_for(
    tmp_path: Path, nowhere: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = Node(tmp_path / "server", {"appendfsync": "no"})
    server.port = free_port()

    async def opens() -> str | None:
        async with open_store(f"redis://127.0.0.1:{server.port}", nowhere, waits=True) as store:
            return await language(store, HALL)

    opening = asyncio.create_task(opens())
    try:
        await eventually(lambda: "the bot waits for the store" in caplog.text or opening.done())
        assert not opening.done()
        assert f"connecting to 127.0.0.1:{server.port}" in caplog.text
        await asyncio.to_thread(server.start)
        assert await asyncio.wait_for(opening, LIMIT) is None
    finally:
        opening.cancel()
        server.kill()


async def test_a_cluster_without_a_node(nowhere: Path) -> None:
    await refused(f"redis://127.0.0.1:{free_port()}?cluster=true", nowhere, StoreProblem.UNREACHABLE)


@pytest.mark.parametrize(
    "url", ["redis://localhost", "rediss://:pw@example.org:1/2?ssl_cert_reqs=none", "unix:///x"]
)
async def test_the_client_waits_briefly_and_never_repeats(url: str) -> None:
    client = by_url(url)
    assert isinstance(client, Redis)
    options = client.connection_pool.connection_kwargs
    assert options["socket_timeout"] == options["socket_connect_timeout"] == TIMEOUT <= 1
    assert PATIENCE <= 2.5
    connection = client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
    assert connection.retry.get_retries() == 0
    await client.aclose()


def info(**changed: str) -> bytes:
    """What a server says of itself."""
    said = {
        "redis_version": "7.0.15",
        "role": "master",
        "cluster_enabled": "0",
        "aof_enabled": "1",
        "maxmemory_policy": "noeviction",
        **changed,
    }
    text = "".join(f"{key}:{value}\r\n" for key, value in said.items()).encode()
    return b"$%d\r\n%b\r\n" % (len(text), text)


@pytest.mark.parametrize(
    ("said", "trouble"),
    [
        (info(redis_version="6.0.16"), StoreProblem.TOO_OLD),
        (info(redis_version="5.0"), StoreProblem.TOO_OLD),
        (info(cluster_enabled="1"), StoreProblem.CLUSTER),
        (info(role="slave"), StoreProblem.REPLICA),
        (info(aof_enabled="0"), StoreProblem.SETTING),
        (b"-NOPERM this user has no permissions to run the 'info' command\r\n", StoreProblem.LOGIN),
        (b"-ERR unknown command 'info'\r\n", StoreProblem.UNREACHABLE),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", StoreProblem.UNREACHABLE),
    ],
)
async def test_what_a_server_says_of_itself(
    proxy: Proxy, nowhere: Path, said: bytes, trouble: StoreProblem
) -> None:
    proxy.replies.extend([said] * 100)  # it is asked again
    await refused(f"unix://{proxy.path}", nowhere, trouble)


@pytest.mark.parametrize("version", ["6.2.0", "7.2.4", "10.1"])
async def test_versions_that_will_do(proxy: Proxy, nowhere: Path, version: str) -> None:
    proxy.replies.append(info(redis_version=version))
    async with open_store(f"unix://{proxy.path}", nowhere):
        pass


async def test_a_server_that_loads_its_data_is_waited_for(proxy: Proxy, nowhere: Path) -> None:
    proxy.replies.extend([b"-LOADING Redis is loading the dataset in memory\r\n"] * 3)
    async with open_store(f"unix://{proxy.path}", nowhere) as store:
        assert await language(store, HALL) is None


async def test_a_black_hole(proxy: Proxy) -> None:
    proxy.deaf = True
    client = by_socket(proxy.path)
    with pytest.raises(CannotStart) as error:
        await check(client, patience=0.05)
    assert error.value.reason is StoreProblem.UNREACHABLE
    await client.aclose()


@pytest.mark.parametrize("written", ["bot", "2"], ids=["earlier", "later"])
async def test_a_store_of_another_format_is_refused_and_not_changed(
    redis_server: Path, redis_client: Redis, nowhere: Path, written: str
) -> None:
    await redis_client.zadd(keys.BEAT, {written: 1_770_000_000_000_000})
    await redis_client.set("klop:{17}:match:k7q2ab", b"\x03a record")
    before = {key: await redis_client.dump(key) for key in await redis_client.keys()}
    await refused(f"unix://{redis_server}", nowhere, StoreProblem.FORMAT)
    assert {key: await redis_client.dump(key) for key in await redis_client.keys()} == before


async def test_a_cluster_of_an_earlier_format_is_refused(
    redis_cluster: Cluster, cluster_client: RedisCluster, nowhere: Path
) -> None:
    await cluster_client.zadd("klop:beat", {"bot": 1_770_000_000_000_000})
    await refused(redis_cluster.url, nowhere, StoreProblem.FORMAT)


# URLs of the store: what each names, and what is refused.


def cluster(url: str) -> tuple[list[tuple[str, int]], dict[str, Any]]:
    """The seeds of a cluster, and how its nodes are connected to."""
    client = by_url(url)
    assert isinstance(client, UrlsCluster)
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
        *("http://localhost", "s3cret", "redis://", "redis+cluster://one", "http+sentinel://one/klop"),
        "redis://:s3cret/with-slash@localhost:6379/0",
        "redis://:s3cret@localhost:99999999/0",
        "redis://:s3cret@[::1/0",
        *(f"redis://:s3cret@localhost?{given}" for given in ("socket_timeout=99", "retry_on_timeout=yes")),
        *(f"redis://:s3cret@localhost?{given}" for given in ("decode_responses=yes", "db=s3cret")),
        "redis://:s3cret@one?sentinel_password=s3cret",
        "redis://one,two",  # several servers, and no cluster
        *("redis://localhost/1?cluster=true", "redis://one,two/1?cluster=true", "unix:///x?cluster=true"),
        *("redis://localhost?cluster=yes", "redis://localhost?cluster=true&socket_timeout=9"),
        *("redis://one,,two?cluster=true", "redis://one:s3cret,two?cluster=true"),
        *("redis+sentinel://s3cret", "redis+sentinel://one", "redis+sentinel://one/"),
        *(f"redis+sentinel://:s3cret@one/klop{rest}" for rest in ("/first", "/0/1", "?cluster=true")),
        "redis+sentinel://:s3cret@one/klop?sentinel_socket_timeout=9",
    ],
)
def test_what_is_no_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(CannotStart) as caught:
        by_url(url)
    assert caught.value.reason is StoreProblem.BAD_URL
    assert caught.value.__context__ is None  # it would name the URL
    assert "s3cret" not in "".join(traceback.format_exception(caught.value)).replace(url, "")
