"""Open the store for an operator's command, also while a bot runs on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from storage import CannotStart, RedisStore, StoreProblem, open_store
from storage.client import by_socket
from storage.embedded.directory import SOCKET
from storage.opening import check, opened_archive


@asynccontextmanager
async def attached(
    url: str | None, directory: Path, archive: Path | None = None
) -> AsyncIterator[RedisStore]:
    """Open the store; while a bot has claimed the data directory, connect to its server."""
    async with AsyncExitStack() as stack:
        try:
            store = await stack.enter_async_context(open_store(url, directory, archive))
        except CannotStart as refused:
            socket = await asyncio.to_thread(_socket, directory)
            if refused.problem is not StoreProblem.IN_USE or socket is None:
                raise
            client = by_socket(socket)
            stack.push_async_callback(client.aclose)
            await check(client)
            store = RedisStore(client, archive=opened_archive(archive, stack))
        yield store


def _socket(directory: Path) -> Path | None:
    """Return the socket of the server that runs in a data directory; None if it is elsewhere, for the path is too long."""
    socket = directory.resolve() / SOCKET
    return socket if socket.exists() else None
