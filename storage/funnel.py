"""Many questions at once on few connections.

What is asked while an earlier question is under way goes out with the others that wait, in one piece, and the answers
come back in order. The client's own pool hands a connection to each question, unfairly when many wait (some wait for
seconds while others are served again and again), and costs more than the question itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from hiredis import pack_command
from redis import exceptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis.asyncio import BlockingConnectionPool
    from redis.asyncio.connection import ConnectionPool

LANES: Final = 4
"""Connections that are used at once. Several, so that one slow answer does not hold up everybody."""

PIECE: Final = 128
"""Questions at most that go out in one piece."""


class Funnel:
    """Asks the questions of many tasks.

    Args:
        pool: Where connections come from.
    """

    def __init__(self, pool: BlockingConnectionPool | ConnectionPool) -> None:
        self._pool = pool
        self._waiting: deque[tuple[tuple[Any, ...], asyncio.Future[Any]]] = deque()
        self._lanes: set[asyncio.Task[None]] = set()

    def ask(self, *words: Any) -> asyncio.Future[Any]:
        """The answer to a command, to be awaited. It fails with what the server says, or with what befell the line."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((words, future))
        if len(self._lanes) < LANES:
            lane = asyncio.create_task(self._work(), name="questions to Redis")
            self._lanes.add(lane)
            lane.add_done_callback(self._lanes.discard)
        return future

    async def _work(self) -> None:
        while self._waiting:
            piece: list[tuple[tuple[Any, ...], asyncio.Future[Any]]] = []
            while self._waiting and len(piece) < PIECE:
                words, future = self._waiting.popleft()
                if not future.done():  # whoever asked may have gone
                    piece.append((words, future))
            if piece:
                await self._send(piece)

    async def _send(self, piece: Sequence[tuple[tuple[Any, ...], asyncio.Future[Any]]]) -> None:
        futures = [future for _, future in piece]
        connection = None
        whole = False
        try:
            connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
            packed = b"".join([pack_command(words) for words, _ in piece])
            await connection.send_packed_command(packed, check_health=False)
            for future in futures:
                try:
                    answer = await connection.read_response()
                except exceptions.ResponseError as refusal:
                    _fail(future, refusal)
                else:
                    if not future.done():
                        future.set_result(answer)
            whole = True
        except (exceptions.RedisError, OSError, TimeoutError) as error:
            for future in futures:
                _fail(future, error)
        finally:
            for future in futures:
                _fail(future, exceptions.ConnectionError("the question was cut off"))
            if connection is not None:
                if not whole:  # answers that nobody waits for may still be in it
                    await connection.disconnect(nowait=True)
                await self._pool.release(connection)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
