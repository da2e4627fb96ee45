"""Many questions at once on few connections.

What is asked while an earlier question is under way goes out with the others that wait, in one piece, and the answers
come back in order. The client's own pool hands a connection to each question, unfairly when many wait (some wait for
seconds while others are served again and again), and costs more than the question itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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


_Question: TypeAlias = tuple[tuple[Any, ...], asyncio.Future[Any]]


class Funnel:
    """Asks the questions of many tasks.

    Args:
        pool: Where connections come from.
    """

    def __init__(self, pool: BlockingConnectionPool | ConnectionPool) -> None:
        self._pool = pool
        self._waiting: deque[_Question] = deque()
        self._busy = 0
        self._lanes: set[asyncio.Task[None]] = set()

    async def ask(self, *words: Any) -> Any:
        """The answer to a command.

        Raises:
            RedisError: what the server says, or what befell the line.
        """
        (answer,) = await self.ask_all([words])
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def ask_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The answers to commands, and in the place of each that failed its error."""
        future = asyncio.get_running_loop().create_future
        piece: list[_Question] = [(words, future()) for words in commands]
        if self._busy < LANES and not self._waiting:
            self._busy += 1
            try:
                await self._send(piece)  # at once, by whoever asks: nobody else has to be woken for it
            finally:
                self._busy -= 1
                self._open_lane()
        else:
            self._waiting.extend(piece)
            self._open_lane()
        return [await _settled(future) for _, future in piece]

    def _open_lane(self) -> None:
        if self._waiting and self._busy < LANES:
            self._busy += 1
            lane = asyncio.create_task(self._work(), name="questions to Redis")
            self._lanes.add(lane)
            lane.add_done_callback(self._lanes.discard)

    async def _work(self) -> None:
        try:
            while self._waiting:
                piece: list[_Question] = []
                while self._waiting and len(piece) < PIECE:
                    question = self._waiting.popleft()
                    if not question[1].done():  # whoever asked may have gone
                        piece.append(question)
                if piece:
                    await self._send(piece)
        finally:
            self._busy -= 1

    async def _send(self, piece: Sequence[_Question]) -> None:
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
        future.exception()  # whoever asked may have gone


async def _settled(future: asyncio.Future[Any]) -> Any:
    """What became of a question; an error is returned, not raised."""
    try:
        return await future
    except (exceptions.RedisError, OSError, TimeoutError) as error:
        return error
