"""One trip to Redis that ends in time: with an answer, or with `Unavailable`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeVar

from redis import exceptions

from play.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PATIENCE: Final = 2.0
"""Seconds after which a person is told that the store does not answer."""

_PAUSES: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
_PASSING: Final = (exceptions.ConnectionError, exceptions.TimeoutError)
"""What may heal within seconds: a connection cut, a server that starts again or loads its data."""

T = TypeVar("T")


async def answered(attempt: Callable[[], Awaitable[T]], patience: float = PATIENCE) -> T:
    """What `attempt` returns, tried again while the server is merely out of reach.

    Args:
        attempt: A trip that may be made twice without harm: whether one that failed was carried out is not known.
        patience: Seconds for all tries together.

    Raises:
        Unavailable: no answer in time, or a refusal that says more about the server than about the question
            (out of memory, a replica, a busy script, an append-only file that cannot be written...). The cause is chained.
    """
    last: Exception | None = None
    try:
        async with asyncio.timeout(patience):
            tries = 0
            while True:
                try:
                    return await attempt()
                except _PASSING as error:
                    last = error
                await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
                tries += 1
    except TimeoutError as late:
        raise Unavailable from (last or late)
    except exceptions.RedisError as refusal:
        raise Unavailable from refusal
