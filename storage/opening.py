"""The store that a bot runs on, opened and looked over."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from redis import exceptions
from redis.asyncio import RedisCluster

from storage.binary import OLDEST
from storage.client import by_socket, by_url
from storage.embedded import EmbeddedRedis
from storage.errors import CannotStart, Trouble
from storage.faults import fault
from storage.redis_store import RedisStore
from storage.trips import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from redis.asyncio import Redis

NEEDED: Final = (("appendonly", "aof_enabled", "yes"), ("maxmemory-policy", "maxmemory_policy", "noeviction"))
"""Settings without which a Redis forgets: each one's name, what INFO calls it, and the value it must have."""

_LOADING: Final = 60.0  # seconds to wait for a server that still loads its data

OWN: Final = 10.0
"""Seconds for which our own server is asked again that runs and does not answer: the machine may be busy."""


@asynccontextmanager
async def open_store(url: str | None, directory: Path) -> AsyncIterator[RedisStore]:
    """The store, open for as long as the context lasts.

    Args:
        url: A Redis of the operator's; None for the embedded one. With `?cluster=true` it is one node of a cluster.
        directory: The data directory, for the embedded one.

    Raises:
        CannotStart: there is no server, or none that matches could be trusted to; the reason names the remedy.
    """
    async with AsyncExitStack() as stack:
        if url:
            client = by_url(url)
        else:
            server = await stack.enter_async_context(EmbeddedRedis(directory))
            client = by_socket(server.socket)
        stack.push_async_callback(client.aclose)
        await check(client, again=0.0 if url else OWN)
        fault("after-open")
        yield RedisStore(client)


async def check(client: Redis | RedisCluster, patience: float = PATIENCE, *, again: float = 0.0) -> None:
    """Make sure that a server, or every master of a cluster, remembers what it is told.

    Args:
        client: Asks it.
        patience: Seconds for each answer.
        again: For how many seconds one server that does not answer is asked again.

    Raises:
        CannotStart: it does not, or cannot be asked.
    """
    if isinstance(client, RedisCluster):
        await _check_cluster(client, patience)
        return
    info = await _asked(client.info, patience, again)
    if info.get("cluster_enabled") == 1:
        _check_version(info)
        raise CannotStart(Trouble.CLUSTER)
    _check_info(info)


async def _check_cluster(client: RedisCluster, patience: float) -> None:
    said = await _asked(lambda: client.execute_command("CLUSTER INFO"), patience)
    if said.get("cluster_state") != "ok":
        raise CannotStart(Trouble.CLUSTER_DOWN)
    for node in client.get_primaries():
        _check_info(await _asked(lambda node=node: client.info(target_nodes=node), patience))  # type: ignore[misc]


def _check_info(info: dict[str, Any]) -> None:
    _check_version(info)
    if info.get("role") != "master":
        raise CannotStart(Trouble.REPLICA)
    for setting, name, needed in NEEDED:
        value = str(info.get(name))
        value = {"0": "no", "1": "yes"}.get(value, value)
        if value != needed:
            raise CannotStart(Trouble.SETTING, setting=setting, found=value, needed=needed)


def _check_version(info: dict[str, Any]) -> None:
    found = tuple(int(part) for part in str(info["redis_version"]).split(".")[:2])
    if found < OLDEST:
        raise CannotStart(Trouble.TOO_OLD, found=_dotted(found), needed=_dotted(OLDEST))


async def _asked(
    question: Callable[[], Awaitable[dict[str, Any]]], patience: float, again: float = 0.0
) -> dict[str, Any]:
    clock = asyncio.get_running_loop().time
    began = clock()
    while True:
        try:
            async with asyncio.timeout(patience):
                return await question()
        except (exceptions.RedisError, TimeoutError) as error:
            root = _root(error)
            if isinstance(root, (exceptions.AuthenticationError, exceptions.NoPermissionError)):
                raise CannotStart(Trouble.LOGIN) from error
            if "luster" in str(root) and "not enabled" in str(root):
                raise CannotStart(Trouble.NO_CLUSTER) from error
            if isinstance(root, exceptions.ClusterDownError):
                raise CannotStart(Trouble.CLUSTER_DOWN) from error
            longest = _LOADING if isinstance(root, exceptions.BusyLoadingError) else again
            if clock() - began >= longest:
                raise CannotStart(Trouble.UNREACHABLE) from error
            await asyncio.sleep(0.1)


def _root(error: BaseException) -> BaseException:
    """What the server said. The client wraps what it is told while it connects into errors of its own."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
