"""Clients of redis-py with every timeout and retry set explicitly.

The library's defaults repeat a command whose reply was lost, ten times: that doubles what is not idempotent.
These clients never repeat anything; `storage.client.connection` does, where it does no harm.

Of a cluster redis-py learns and keeps the map of slots. It does not send commands: while the map is learnt anew, its own way
to send fails with `AttributeError` and the like.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster, UnixDomainSocketConnection
from redis.asyncio.cluster import ClusterNode
from redis.asyncio.connection import Connection as TcpConnection
from redis.asyncio.connection import SSLConnection, parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff

from storage.client.absence import CLIENT_ERRORS, LOST, PATIENCE, Absence, translated
from storage.client.connection import Connection, Pipeline, Words, slot_key
from storage.embedded.directory import Process
from storage.errors import CannotStart, StoreProblem


class Cluster(RedisCluster):
    """A client of a cluster, which learns its nodes from some of them, and the pool of connections to each node."""

    def __init__(
        self,
        seeds: Sequence[tuple[str, int]],
        bounds: dict[str, Any],
        options: dict[str, Any],
        *,
        secure: bool,
    ) -> None:
        (host, port), *_ = self.seeds = list(seeds)
        self._made = {"timeout": bounds["socket_timeout"], **bounds, **options}
        self._made["connection_class"] = SSLConnection if secure else TcpConnection
        self._pools: dict[str, BlockingConnectionPool] = {}
        super().__init__(host=host, port=port, ssl=secure, **bounds, **options)

    def pool(self, host: str, port: int) -> BlockingConnectionPool:
        """Return the pool of connections to a node."""
        name = f"{host}:{port}"
        if name not in self._pools:
            self._pools[name] = BlockingConnectionPool(host=host, port=port, **self._made)
        return self._pools[name]

    async def aclose(self) -> None:
        """Close all connections."""
        await super().aclose()
        for nodes in ("nodes_cache", "startup_nodes"):
            await self.nodes_manager.aclose(nodes)
        for pool in self._pools.values():
            await pool.disconnect()


class ClusterNodes:
    """Sends each command to the node that has its key; a reply that names another node is followed.

    The map of slots is learnt anew after a node was lost.
    """

    def __init__(self, client: Cluster, patience: float) -> None:
        self._client = client
        self._patience = patience
        self._absence = Absence(patience)  # of all nodes that could say which there are
        self._pipelines: dict[str, Pipeline] = {}
        self._learning = asyncio.Lock()
        self._learnt = 0  # how often the map was learnt
        self._stale = True

    async def primaries(self) -> list[Pipeline]:
        """See `Nodes`."""
        await self._known()
        nodes = self._client.get_primaries()
        return [self._to(node.host, node.port) for node in sorted(nodes, key=lambda node: str(node.name))]

    async def one_each(self, names: Sequence[str]) -> list[str]:
        """See `Nodes`."""
        await self._known()
        return list({self._having(("GET", name)): name for name in names}.values())

    async def exchange(self, commands: Sequence[Words]) -> list[Any]:
        """See `Nodes`."""
        await self._known()
        learnt = self._learnt
        parts: dict[Pipeline, list[int]] = {}
        for number, words in enumerate(commands):
            parts.setdefault(self._having(words), []).append(number)

        async def exchanged(pipeline: Pipeline, part: Sequence[int]) -> list[Any]:
            return await pipeline.exchange([commands[number] for number in part])

        answers = await asyncio.gather(*(exchanged(pipeline, part) for pipeline, part in parts.items()))
        replies: dict[int, Any] = {}
        for part, answer in zip(parts.values(), answers, strict=True):
            replies.update(zip(part, answer, strict=True))
        for number, reply in replies.items():
            if isinstance(reply, exceptions.AskError):  # MOVED too
                replies[number] = await self._redirected(commands[number], reply)
            if isinstance(reply, (*LOST, exceptions.MovedError)) and learnt == self._learnt:
                self._stale = True
        return [replies[number] for number in range(len(commands))]

    async def _redirected(self, words: Words, to: exceptions.AskError) -> Any:
        node = self._to(to.host, to.port)
        if isinstance(to, exceptions.MovedError):
            return (await node.exchange([words]))[0]
        return (await node.together([("ASKING",), words]))[-1]

    async def _known(self) -> None:
        async with self._learning:
            if (why := self._absence.why) is not None:
                raise self._absence.error(why)
            if self._stale:
                began = asyncio.get_running_loop().time()
                if (failed := await self._learn()) is not None:
                    self._absence.begin(failed, began, self._learn)
                    raise failed

    async def _learn(self) -> Exception | None:
        manager = self._client.nodes_manager
        for host, port in self._client.seeds:  # may answer where no node that is known does any more
            node = ClusterNode(host, port, **manager.connection_kwargs)
            manager.startup_nodes.setdefault(node.name, node)
        try:
            await manager.initialize()
        except CLIENT_ERRORS as error:
            if isinstance(failed := translated(error), LOST):
                return failed
            raise failed from error.__cause__
        self._learnt += 1
        self._stale = False
        return None

    def _having(self, words: Words) -> Pipeline:
        slot = self._client.keyslot(slot_key(words))
        try:
            node = self._client.nodes_manager.get_node_from_slot(slot)
        except CLIENT_ERRORS as error:
            raise translated(error) from error
        return self._to(node.host, node.port)

    def _to(self, host: str, port: str | int) -> Pipeline:
        name = f"{host}:{port}"
        if name not in self._pipelines:
            pool = self._client.pool(host, int(port))
            self._pipelines[name] = Pipeline(pool, replicated=True, patience=self._patience)
        return self._pipelines[name]


def connect(
    client: Redis | RedisCluster, patience: float = PATIENCE, process: Process | None = None
) -> Connection:
    """Return a connection by a client that `by_url` or `by_socket` has made."""
    nodes = ClusterNodes(client, patience) if isinstance(client, Cluster) else None
    return Connection(client, patience, process, nodes)


TIMEOUT: Final = 0.8  # seconds to connect, and to wait for a reply
PORT: Final = 6379
SENTINEL_PORT: Final = 26379
CONNECTIONS: Final = 32  # connections at most; a command beyond them waits for its turn

_LOGIN: Final = ("username", "password")
_FROM_URL: Final = frozenset(
    {"host", "port", "db", "username", "password", "path", "connection_class", "client_name"}
    | {f"ssl_{part}" for part in ("keyfile", "certfile", "cert_reqs", "ca_certs", "ca_path", "ca_data")}
    | {"ssl_check_hostname", "ssl_min_version", "ssl_password"}
)
"""What a URL may set: the address and the credentials, never timeouts, retries or decoding."""


def by_url(url: str, timeout: float = TIMEOUT) -> Redis | RedisCluster:
    """Return a client for a URL of docs/storage.md: of a server, a cluster, or a master that Sentinels name. It connects when first used.

    Raises:
        CannotStart: the URL is not valid. The error does not hold the URL, for it may hold a password.
    """
    try:
        client = _parsed(url, timeout)
    except (ValueError, TypeError):
        client = None
    if client is None:
        raise CannotStart(StoreProblem.BAD_URL)
    return client


def by_socket(path: Path | str, timeout: float = TIMEOUT) -> Redis:
    """Return a client for a unix socket. It connects when first used."""
    return _client(timeout, connection_class=UnixDomainSocketConnection, path=str(path))


def _parsed(url: str, timeout: float) -> Redis | RedisCluster:
    scheme, _, rest = url.partition("://")
    if scheme == "unix":
        return _client(timeout, **_options(url))
    tls, _, sentinel = scheme.partition("+")
    _need(tls in ("redis", "rediss") and scheme in (tls, f"{tls}+sentinel"))
    # The standard library takes several hosts, of which one is in brackets, for a broken address.
    authority, path, query = _split(rest)
    login, at, names = authority.rpartition("@")
    seeds = [_seed(name, SENTINEL_PORT if sentinel else PORT) for name in names.split(",")]
    words = dict(parse_qsl(query, strict_parsing=bool(query)))
    clustered = words.pop("cluster", "false")
    _need(clustered in ("true", "false"))
    service, _, path = path.partition("/") if sentinel else ("", "", path)
    _need(not path or path.isdecimal())
    own = {name: words.pop(f"sentinel_{name}") for name in _LOGIN if sentinel and f"sentinel_{name}" in words}
    options = _options(f"{tls}://{login}{at}host/{path}?{urlencode(words)}")
    del options["host"]
    if sentinel:
        _need(bool(service) and clustered == "false")
        return _by_sentinels(seeds, unquote(service), timeout, own, options)
    if clustered == "true":
        secure = options.pop("connection_class", None) is SSLConnection
        _need(not options.pop("db", 0))  # a cluster has no numbered databases
        return Cluster(seeds, _bounds(timeout), options, secure=secure)
    _need(len(seeds) == 1)
    return _client(timeout, host=seeds[0][0], port=seeds[0][1], **options)


def _need(valid: bool) -> None:
    if not valid:
        raise ValueError("not valid")


def _split(rest: str) -> tuple[str, str, str]:
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    return authority, path.rstrip("/"), query


def _options(url: str) -> dict[str, Any]:
    options: dict[str, Any] = {**parse_url(url)}
    _need(options.keys() <= _FROM_URL)
    return options


def _seed(name: str, port: int) -> tuple[str, int]:
    parts: SplitResult = urlsplit(f"//{name}")
    _need(bool(parts.hostname) and parts.netloc == name and "@" not in name)
    return unquote(str(parts.hostname)), parts.port or port


def _by_sentinels(
    seeds: list[tuple[str, int]], service: str, timeout: float, login: dict[str, str], options: dict[str, Any]
) -> Redis:
    bounds = _bounds(timeout)
    secure = options.pop("connection_class", None) is SSLConnection
    tls = {name: value for name, value in options.items() if name.startswith("ssl_")}
    sentinels = Sentinel(seeds, sentinel_kwargs={**bounds, **tls, **login, "ssl": secure})  # type: ignore[no-untyped-call]
    return Redis.from_pool(_SentinelPool(service, sentinels, ssl=secure, **bounds, **options))


class _SentinelPool(SentinelConnectionPool):
    """Connections to the master; those to the Sentinels are closed with them.

    One task at a time asks the Sentinels: two at once would make redis-py lose one of them from its list.
    """

    def __init__(self, service: str, sentinels: Sentinel, **options: Any) -> None:
        super().__init__(service, sentinels, **options)  # type: ignore[no-untyped-call]
        self._asking = asyncio.Lock()

    async def get_master_address(self) -> tuple[str, int]:
        async with self._asking:
            address: tuple[str, int] = await super().get_master_address()  # type: ignore[no-untyped-call]
            return address

    async def disconnect(self, inuse_connections: bool = True) -> None:
        await super().disconnect(inuse_connections)
        if inuse_connections:
            await self.sentinel_manager.aclose()


def _client(timeout: float, **place: Any) -> Redis:
    return Redis.from_pool(BlockingConnectionPool(timeout=timeout, **_bounds(timeout), **place))


def _bounds(timeout: float) -> dict[str, Any]:
    return {
        "max_connections": CONNECTIONS,
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
        "driver_info": None,
    }
