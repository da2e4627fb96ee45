"""Open the store that a bot runs on, and check that its server keeps data safely."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from redis import exceptions
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.sentinel import MasterNotFoundError

from play.errors import Unavailable
from storage import keys
from storage.archive import Archive
from storage.client.absence import PATIENCE, words_of
from storage.client.connecting import by_socket, by_url, connect
from storage.embedded import EmbeddedRedis
from storage.embedded.directory import registered
from storage.embedded.server import OLDEST
from storage.errors import CannotStart, StoreProblem
from storage.redis.store import RedisStore

NEEDED: Final = (("appendonly", "aof_enabled", "yes"), ("maxmemory-policy", "maxmemory_policy", "noeviction"))
"""Settings without which a Redis loses data: each one's name, its name in INFO, and the value it must have."""

_PASSING: Final = (StoreProblem.UNREACHABLE, StoreProblem.CLUSTER_DOWN, StoreProblem.NO_MASTER)
"""Problems that may pass by themselves: the store is not up yet."""

_APART: Final = 1.0  # seconds between looks whether it is

_log: Final = logging.getLogger(__name__)

_LOADING: Final = 60.0  # seconds to wait for a server that loads its data
_LATE: Final = 5  # times as long as a reply may take is waited for one that is late: the machine may be busy

OWN: Final = 10.0
"""Seconds for which the embedded server is asked again while it does not answer: the machine may be busy."""


@asynccontextmanager
async def open_store(
    url: str | None, directory: Path, archive: Path | None = None, *, waits: bool = False
) -> AsyncIterator[RedisStore]:
    """Open the store for as long as the context lasts: at a URL of the operator's, or embedded in the data directory.

    Finished matches are in the folder `archive`, if there is one. A server of the operator's that is not up yet is
    waited for if that is wanted.

    Raises:
        CannotStart: there is no server, or none that keeps data safely; the reason names the remedy.
    """
    async with AsyncExitStack() as stack:
        server = None
        if url:
            client = by_url(url)
        else:
            server = await stack.enter_async_context(EmbeddedRedis(directory))
            client = by_socket(server.socket)
        stack.push_async_callback(client.aclose)
        while True:
            try:
                await check(client, again=0.0 if url else OWN)
                break
            except CannotStart as trouble:
                if not (url and waits and trouble.reason in _PASSING):
                    raise
                _log.warning("the bot waits for the store: %s", words_of(trouble.__cause__ or trouble))
            await asyncio.sleep(_APART)
        archived = opened_archive(archive, stack)
        store = RedisStore(client, process=stack.enter_context(registered(directory)), archive=archived)
        await stack.enter_async_context(store.connection.wakeups.heard())
        if server is not None:
            store.connection.trouble = server.trouble
        yield store


def opened_archive(folder: Path | None, stack: AsyncExitStack) -> Archive | None:
    """Return the archive in a folder, which is closed with the stack; None without a folder."""
    if folder is None:
        return None
    archive = Archive(folder)
    stack.callback(archive.close)
    return archive


async def check(client: Redis | RedisCluster, patience: float = PATIENCE, *, again: float = 0.0) -> None:
    """Check that a server, or every master of a cluster, keeps data safely, and holds none of another format.

    One that does not answer is asked `again` for so many seconds; one that is only late, a few times.

    Raises:
        CannotStart: it does not, or does not answer.
    """
    connection = connect(client, patience)
    asked = partial(_asked, again=again, late=max(again, _LATE * patience))
    if connection.clustered:
        said = await asked(lambda: connection.fields("CLUSTER", "INFO"))
        if any(each.get("cluster_state") != "ok" for each in said):
            raise CannotStart(StoreProblem.CLUSTER_DOWN)
    for info in await asked(lambda: connection.fields("INFO")):
        version = tuple(int(part) for part in info["redis_version"].split(".")[:2])
        if version < OLDEST:
            raise CannotStart(StoreProblem.TOO_OLD, found=_dotted(version), needed=_dotted(OLDEST))
        if info.get("cluster_enabled") == "1" and not connection.clustered:
            raise CannotStart(StoreProblem.CLUSTER)
        if info.get("role") != "master":
            raise CannotStart(StoreProblem.REPLICA)
        for setting, name, needed in NEEDED:
            value = str(info.get(name))
            value = {"0": "no", "1": "yes"}.get(value, value)
            if value != needed:
                raise CannotStart(StoreProblem.SETTING, setting=setting, found=value, needed=needed)
    formats = await asked(lambda: connection.command("ZRANGE", keys.BEAT, 0, -1))
    if any(bytes(found) != keys.FORMAT.encode() for found in formats):
        raise CannotStart(StoreProblem.FORMAT)


async def _asked(question: Callable[[], Awaitable[Any]], again: float, late: float) -> Any:
    clock = asyncio.get_running_loop().time
    began = clock()
    while True:
        try:
            return await question()
        except Unavailable as error:
            root = _root(error)
            if isinstance(root, (exceptions.AuthenticationError, exceptions.NoPermissionError)):
                raise CannotStart(StoreProblem.LOGIN) from error
            if "luster" in str(root) and "not enabled" in str(root):
                raise CannotStart(StoreProblem.NO_CLUSTER) from error
            if isinstance(root, MasterNotFoundError):
                raise CannotStart(StoreProblem.NO_MASTER) from error
            if isinstance(root, exceptions.ClusterDownError) or "not covered" in str(root):
                raise CannotStart(StoreProblem.CLUSTER_DOWN) from error
            longest = again
            if isinstance(root, exceptions.BusyLoadingError):
                longest = _LOADING
            elif isinstance(root, TimeoutError | asyncio.CancelledError):
                longest = late
            if clock() - began >= longest:
                raise CannotStart(StoreProblem.UNREACHABLE) from error
            await asyncio.sleep(0.1)


def _root(error: BaseException) -> BaseException:
    """Return the server's error. redis-py wraps errors that occur while it connects."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
