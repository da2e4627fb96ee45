"""Many questions at once on few connections.

What is asked while an earlier question is under way goes out with others that wait, in one piece, and the answers
come back in order, each as soon as it is there. The client's own pool hands a connection to each question, unfairly
when many wait (some wait for seconds while others are served again and again), and costs more than the question
itself. So does its way to ask: the connections are made by it, with all that belongs to that, and then spoken through
here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from hiredis import Reader, pack_command
from redis import exceptions
from redis.asyncio.connection import DefaultParser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from redis.asyncio import BlockingConnectionPool
    from redis.asyncio.connection import AbstractConnection, ConnectionPool

LANES: Final = 4
"""Connections that are used at once. Several, so that one slow answer does not hold up everybody."""

PIECE: Final = 128
"""Questions at most that go out in one piece."""

LEAST: Final = 8
"""Questions that are not shared out among lanes: what waits goes out in equal parts, for the server to be busy with one
while the answers to another are dealt with, but each piece costs a trip."""

_MUCH: Final = 1 << 16  # bytes


_Question: TypeAlias = tuple[tuple[Any, ...], asyncio.Future[Any]]


class _Lane:
    """A connection of the pool, and what has been read from it."""

    def __init__(self, connection: AbstractConnection) -> None:
        self._connection = connection
        self._answers = _reader()

    async def open(self) -> None:
        """Make sure that it is connected, and that nobody at the other end has hung up.

        Raises:
            RedisError, OSError: it is not.
        """
        reader = self._connection._reader  # noqa: SLF001 - the client's streams are spoken through
        if reader is None or reader.at_eof() or reader.exception():
            await self.close()
            await self._connection.connect()  # type: ignore[no-untyped-call]

    async def ask(self, commands: Sequence[tuple[Any, ...]], told: Callable[[Any], object]) -> None:
        """Ask commands, which go out in one piece; an error that the server names is an answer too.

        Args:
            commands: What is asked.
            told: Called with each answer, in order, as soon as it is there.

        Raises:
            ConnectionError, TimeoutError: of the client's kind; nobody knows how far the commands came beyond those
                that were answered.
        """
        try:
            await self._asked(b"".join(map(pack_command, commands)), len(commands), told)
        except TimeoutError as late:
            raise exceptions.TimeoutError("no answer") from late
        except OSError as error:
            raise exceptions.ConnectionError(str(error)) from error
        except (
            AttributeError,
            exceptions.InvalidResponse,
        ) as error:  # closed while it was used; not Redis at all
            raise exceptions.ConnectionError(f"the line is broken: {error}") from error

    async def _asked(self, packed: bytes, count: int, told: Callable[[Any], object]) -> None:
        """Hear so many answers; the server may take its time for each piece of them."""
        reader, writer = self._connection._reader, self._connection._writer  # noqa: SLF001
        if reader is None or writer is None:
            raise exceptions.ConnectionError("closed before it was used")
        patience = self._connection.socket_timeout
        clock = asyncio.get_running_loop().time
        async with asyncio.timeout(patience) as limit:
            writer.write(packed)
            if len(packed) > _MUCH:
                await writer.drain()
            while True:
                said = await reader.read(_MUCH)
                if not said:
                    raise exceptions.ConnectionError("the server has hung up")
                self._answers.feed(said)
                while (answer := self._answers.gets()) is not False:
                    if not count:
                        raise exceptions.InvalidResponse("more answers than questions")
                    told(answer)
                    count -= 1
                if not count:
                    return
                if patience is not None:
                    limit.reschedule(clock() + patience)

    async def close(self) -> None:
        """Hang up: answers that nobody waits for may still come."""
        self._answers = _reader()
        await self._connection.disconnect(nowait=True)


def _reader() -> Reader:
    return Reader(protocolError=exceptions.InvalidResponse, replyError=DefaultParser.parse_error)


_idle: Final[WeakKeyDictionary[Any, list[_Lane]]] = WeakKeyDictionary()
"""By pool: the connections taken from it that nobody speaks through just now. They are the pool's to close."""


class Funnel:
    """Asks the questions of many tasks.

    Args:
        pool: Where connections come from.
    """

    def __init__(self, pool: BlockingConnectionPool | ConnectionPool) -> None:
        self._pool = pool
        self._idle = _idle.setdefault(pool, [])
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
        if self._busy < LANES and not self._waiting:
            self._busy += 1
            try:
                answers: list[Any] = []
                # At once, by whoever asks: nobody else has to be woken for it.
                failed = await self._send(commands, answers.append)
                return answers if failed is None else answers + [failed] * (len(commands) - len(answers))
            finally:
                self._busy -= 1
                self._open_lane()
        future = asyncio.get_running_loop().create_future
        piece: list[_Question] = [(words, future()) for words in commands]
        self._waiting.extend(piece)
        self._open_lane()
        return [await future for _, future in piece]

    async def hang_up(self) -> None:
        """Have every connection that nobody speaks through made anew."""
        for lane in self._idle:
            await lane.close()

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
                share = min(PIECE, max(LEAST, len(self._waiting) // LANES))
                while self._waiting and len(piece) < share:
                    question = self._waiting.popleft()
                    if not question[1].done():  # whoever asked may have gone
                        piece.append(question)
                if piece:
                    await self._answer(piece)
        finally:
            self._busy -= 1

    async def _answer(self, piece: Sequence[_Question]) -> None:
        """Whoever is answered goes on while the server is still busy with the rest."""
        unanswered = deque(future for _, future in piece)

        def told(answer: Any) -> None:
            future = unanswered.popleft()
            if not future.done():
                future.set_result(answer)

        failed: BaseException | None = exceptions.ConnectionError("the question was cut off")
        try:
            failed = await self._send([words for words, _ in piece], told)
        finally:
            while unanswered:
                told(failed)

    async def _send(
        self, commands: Sequence[tuple[Any, ...]], told: Callable[[Any], object]
    ) -> BaseException | None:
        """Ask commands on some lane; the error that befell all that were not answered, if there was one."""
        lane = None
        failed: BaseException | None = exceptions.ConnectionError("the question was cut off")
        try:
            lane = self._idle.pop() if self._idle else _Lane(await self._pool.get_connection())  # type: ignore[no-untyped-call]
            await lane.open()
            await lane.ask(commands, told)
            failed = None
        except (exceptions.RedisError, OSError, TimeoutError) as error:
            failed = error
        finally:
            if lane is not None:
                try:
                    if failed is not None:
                        await lane.close()
                finally:
                    self._idle.append(lane)
        return failed
