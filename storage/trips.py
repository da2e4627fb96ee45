"""Questions to Redis that end in time: with an answer, or with `Unavailable`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeVar

from redis import exceptions

from play.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from redis.asyncio import Redis

PATIENCE: Final = 2.0
"""Seconds after which a person is told that the store does not answer."""

_PAUSES: Final = (0.02, 0.05, 0.1, 0.2, 0.4)

T = TypeVar("T")


class Line:
    """A line to a server that is tried again while the server is merely out of reach.

    Args:
        client: From `storage.client`: it must never repeat a command by itself.
        patience: Seconds for all tries of one question together.
    """

    def __init__(self, client: Redis, patience: float = PATIENCE) -> None:
        self.client = client
        self._patience = patience

    async def ask(self, question: Callable[[], Awaitable[T]]) -> T:
        """What `question` returns.

        Args:
            question: May be asked twice without harm: of one that failed nobody knows whether it was carried out.

        Raises:
            Unavailable: no answer in time, or a refusal that says more about the server than about the question
                (out of memory, a busy script, an append-only file that cannot be written...). The cause is chained.
        """
        last: Exception | None = None
        try:
            async with asyncio.timeout(self._patience):
                tries = 0
                while True:
                    try:
                        return await question()
                    except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
                        last = error  # a line cut, or a server that starts again or loads its data
                    except exceptions.ReadOnlyError as error:
                        last = error  # no master any more: the one that follows it is behind a new connection
                        await self.client.connection_pool.disconnect(inuse_connections=False)
                    await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
                    tries += 1
        except TimeoutError as late:
            raise Unavailable from (last or late)
        except exceptions.RedisError as refusal:
            raise Unavailable from refusal
