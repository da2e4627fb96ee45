"""Clients of redis-py with every timeout and retry set explicitly.

The library's defaults repeat a command whose reply was lost, ten times: that doubles what is not idempotent.
These clients never repeat anything; `storage.client.connection` does, where it does no harm.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from redis.asyncio import (
    BlockingConnectionPool,
    Redis,
    RedisCluster,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from storage.errors import CannotStart, StoreProblem

TIMEOUT: Final = 0.8  # seconds to connect, and to wait for a reply
CONNECTIONS: Final = 32  # connections at most; a command beyond them waits for its turn

_FROM_URL: Final = frozenset(
    {"host", "port", "db", "username", "password", "path", "connection_class", "client_name"}
    | {f"ssl_{part}" for part in ("keyfile", "certfile", "cert_reqs", "ca_certs", "ca_path", "ca_data")}
    | {"ssl_check_hostname", "ssl_min_version", "ssl_password"}
)
"""What a URL may set: the address and the credentials, never timeouts, retries or decoding."""


def by_url(url: str, timeout: float = TIMEOUT) -> Redis | RedisCluster:
    """Return a client for a `redis://`, `rediss://` or `unix://` URL. It connects when first used.

    With `?cluster=true` the server named is a node of a cluster; the others are learnt from it.

    Raises:
        CannotStart: the URL is not valid. The error does not hold the URL, for it may hold a password.
    """
    try:
        parsed: dict[str, Any] | None = {**parse_url(url)}
    except (ValueError, TypeError):
        parsed = None
    if parsed is None:
        raise CannotStart(StoreProblem.BAD_URL)
    clustered = parsed.pop("cluster", "false")
    if not parsed.keys() <= _FROM_URL or clustered not in ("true", "false"):
        raise CannotStart(StoreProblem.BAD_URL)
    if clustered == "true":
        return _cluster(timeout, **parsed)
    return _client(timeout, **parsed)


def by_socket(path: Path | str, timeout: float = TIMEOUT) -> Redis:
    """Return a client for a unix socket. It connects when first used."""
    return _client(timeout, connection_class=UnixDomainSocketConnection, path=str(path))


def _cluster(timeout: float, **place: Any) -> RedisCluster:
    if "path" in place or place.pop("db", 0) or "host" not in place:
        raise CannotStart(StoreProblem.BAD_URL)  # a cluster has no unix sockets and no numbered databases
    secure = place.pop("connection_class", None) is SSLConnection
    return RedisCluster(ssl=secure, **_bounds(timeout), **place)


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
