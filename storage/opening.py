"""The store that a bot runs on, opened and looked over."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from redis import exceptions

from storage.binary import OLDEST
from storage.client import by_socket, by_url
from storage.embedded import EmbeddedRedis
from storage.errors import CannotStart, Trouble
from storage.redis_store import RedisStore
from storage.trips import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from redis.asyncio import Redis

    from play.ports import Store

NEEDED: Final = (("appendonly", "aof_enabled", "yes"), ("maxmemory-policy", "maxmemory_policy", "noeviction"))
"""Settings without which a Redis forgets: each one's name, what INFO calls it, and the value it must have."""

_LOADING: Final = 60.0  # seconds to wait for a server that still loads its data


@asynccontextmanager
async def open_store(url: str | None, directory: Path) -> AsyncIterator[Store]:
    """The store, open for as long as the context lasts.

    Args:
        url: A Redis of the operator's; None for the embedded one.
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
        await check(client)
        yield RedisStore(client)


async def check(client: Redis, patience: float = PATIENCE) -> None:
    """Make sure that a server remembers what it is told.

    Raises:
        CannotStart: it does not, or cannot be asked.
    """
    info = await _info(client, patience)
    found = tuple(int(part) for part in str(info["redis_version"]).split(".")[:2])
    if found < OLDEST:
        raise CannotStart(Trouble.TOO_OLD, found=_dotted(found), needed=_dotted(OLDEST))
    if info.get("cluster_enabled") == 1:
        raise CannotStart(Trouble.CLUSTER)
    if info.get("role") != "master":
        raise CannotStart(Trouble.REPLICA)
    for setting, name, needed in NEEDED:
        value = str(info.get(name))
        value = {"0": "no", "1": "yes"}.get(value, value)
        if value != needed:
            raise CannotStart(Trouble.SETTING, setting=setting, found=value, needed=needed)


async def _info(client: Redis, patience: float) -> dict[str, Any]:
    clock = asyncio.get_running_loop().time
    began = clock()
    while True:
        try:
            async with asyncio.timeout(patience):
                return await client.info()
        except (exceptions.RedisError, TimeoutError) as error:
            root = _root(error)
            if isinstance(root, (exceptions.AuthenticationError, exceptions.NoPermissionError)):
                raise CannotStart(Trouble.LOGIN) from error
            if not isinstance(root, exceptions.BusyLoadingError) or clock() - began > _LOADING:
                raise CannotStart(Trouble.UNREACHABLE) from error
            await asyncio.sleep(0.1)


def _root(error: BaseException) -> BaseException:
    """What the server said. The client wraps what it is told while it connects into errors of its own."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
