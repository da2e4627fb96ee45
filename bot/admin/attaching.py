"""The store to look after: the one a bot runs on right now, or one that is opened for this alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from storage import CannotStart, RedisStore, StoreProblem, open_store
from storage.client import by_socket
from storage.embedded.directory import SOCKET
from storage.opening import check


@asynccontextmanager
async def attached(url: str | None, directory: Path) -> AsyncIterator[RedisStore]:
    """The store, also while a bot has the data directory: then its server is asked.

    Raises:
        CannotStart: there is no store that could be opened.
    """
    async with AsyncExitStack() as stack:
        try:
            store = await stack.enter_async_context(open_store(url, directory))
        except CannotStart as refused:
            socket = await asyncio.to_thread(_socket, directory)
            if refused.problem is not StoreProblem.IN_USE or socket is None:
                raise
            client = by_socket(socket)
            stack.push_async_callback(client.aclose)
            await check(client)
            store = RedisStore(client)
        yield store


def _socket(directory: Path) -> Path | None:
    """The socket of the server that runs in a data directory; None where its path was too long for one."""
    socket = directory.resolve() / SOCKET
    return socket if socket.exists() else None
