"""Automatic pipelining: the commands of many tasks on few connections.

Commands that are asked while the connections are busy are sent together in one write, and each future is resolved as its
reply arrives. redis-py's pool hands a connection to each command, unfairly when many wait (some wait for seconds), and
that costs more than the command itself; so does its way to write and read. So redis-py makes the connections, with
handshake, TLS and login, and this module writes to and reads from their streams.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from hiredis import Reader, pack_command
from redis import exceptions
from redis.asyncio import BlockingConnectionPool
from redis.asyncio.connection import AbstractConnection, ConnectionPool, DefaultParser

from storage import keys

PATIENCE: Final = 2.0  # seconds for which a server that is away is waited for

PAUSES: Final = (0.02, 0.05, 0.1, 0.2, 0.4)  # seconds between tries

CHANNELS: Final = 4
"""Connections that are used at once. Several, so that one slow reply does not hold up the others."""

MOST: Final = 128  # commands in one write at most

LEAST: Final = 8
"""Commands that are not split among connections. What waits is sent in equal parts, so that the server works on one while
the replies to another are read; but each part costs a round trip."""

_CHUNK: Final = 1 << 16  # bytes

_COPIED: Final = (
    "WAIT",
    1,
    500,
)  # milliseconds in which a replica takes what was written, less than a reply may take

_ROLE: Final = ("ROLE",)

_UNASKED: Final = 60.0  # seconds after which a server that no task asks is not probed any more

_WEIGHT: Final = bytes(4096)
"""What a probe writes: a block of the disk, since a few bytes may fit where the write did not that ended the server."""

_log: Final = logging.getLogger(__name__)


class Uncopied(exceptions.ConnectionError):
    """No replica took in time what was written, or the server is itself a replica: another server may be the master."""


LOST: Final = (
    exceptions.ConnectionError,  # it cannot be reached, ends, restarts or loads its data
    exceptions.TimeoutError,
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
)
"""Errors of a server that is away, or that is no master with its replicas."""


def is_lost(reply: Any) -> bool:
    """Whether a reply says that the server is away; one that rejects the password is there."""
    return isinstance(reply, LOST) and not isinstance(reply, exceptions.AuthenticationError)


_IN_SCRIPT: Final = re.compile(r" script: .*", re.DOTALL)
_LONGEST: Final = 300  # characters of an error


def words_of(error: BaseException) -> str:
    """Return why a call failed in the words of the server, or of the system if the server says nothing."""
    cause: BaseException | None = error.__cause__
    while cause is not None and not str(cause):
        cause = cause.__cause__
    return " ".join(_IN_SCRIPT.sub("", str(cause or "no reply")).split())[:_LONGEST]


class ServerAway(exceptions.ConnectionError):
    """The server is known to be away, so the command was not sent.

    Attributes:
        why: The error that says so.
        lasting: Whether it has been away for longer than it is waited for.
    """

    def __init__(self, why: Exception, *, lasting: bool) -> None:
        super().__init__(str(why))
        self.why = why
        self.lasting = lasting


class Absence:
    """Whether a server is away, found out by probes for all calls: together they wait no longer than one of them alone.

    Args:
        patience: Seconds for which it is waited for.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._since = self._asked = 0.0
        self._probed = False  # without success, since this absence began
        self._why: Exception | None = None
        self._probing: asyncio.Task[None] | None = None

    def error(self) -> ServerAway | None:
        """Return what a call fails with that need not be sent; None if it is to be sent."""
        if self._why is None:
            return None
        self._asked = asyncio.get_running_loop().time()
        return ServerAway(self._why, lasting=self._lasting())

    def begin(self, why: Exception, since: float, probe: Callable[[], Awaitable[Exception | None]]) -> None:
        """Note that a call which began then has failed; `probe` returns why the server is still away, until it is not."""
        if self._why is None:
            self._since = self._asked = since
            self._why = why
            self._probing = asyncio.create_task(self._probe(probe), name="probe of the store")

    async def _probe(self, probe: Callable[[], Awaitable[Exception | None]]) -> None:
        clock = asyncio.get_running_loop().time
        tries = 0
        try:
            while (why := await probe()) is not None:
                self._why, self._probed = why, True
                if clock() - self._asked >= _UNASKED:
                    return
                await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
                tries += 1
            if self._lasting():
                _log.warning("the store answers again")
        finally:
            self._why, self._probed = None, False

    def _lasting(self) -> bool:
        return self._probed and asyncio.get_running_loop().time() - self._since >= self._patience


@contextmanager
def translated() -> Iterator[None]:
    """Make every exception that redis-py raises one of its own errors: `ConnectionError` where it is none of them.

    While a node disappears it raises `AttributeError`, `KeyError`, `TypeError`, `OSError` and others. Only calls of the
    client belong in here, so that errors of this program stay visible.
    """
    try:
        yield
    except exceptions.InvalidResponse as error:  # not Redis at all
        raise exceptions.ConnectionError(str(error)) from error
    except exceptions.RedisError:
        raise
    except TimeoutError as late:
        raise exceptions.TimeoutError("no reply") from late
    except Exception as error:
        raise exceptions.ConnectionError(f"{type(error).__name__}: {error}") from error


_Waiting: TypeAlias = tuple[tuple[Any, ...], asyncio.Future[Any]]  # a command, and the future of its reply

PRIVATE: Final = ("_reader", "_writer")
"""Private attributes of a connection of redis-py that this module uses."""


class _Channel:
    """A connection of the pool, and the parser of its replies."""

    def __init__(self, connection: AbstractConnection) -> None:
        self._connection = connection
        self._replies = _reader()

    async def open(self) -> None:
        """Connect, unless it is connected and the server has not closed it."""
        with translated():
            reader = self._connection._reader  # noqa: SLF001 - see PRIVATE
            if reader is None or reader.at_eof() or reader.exception():
                await self.close()
                await self._connection.connect()  # type: ignore[no-untyped-call]

    async def send(self, commands: Sequence[tuple[Any, ...]], on_reply: Callable[[Any], object]) -> None:
        """Send commands in one write and pass on their replies as they arrive; an error that the server names is a reply too.

        Raises:
            ConnectionError, TimeoutError: redis-py's; it is not known which commands were carried out beyond those that
                were replied to.
        """
        packed = b"".join(map(pack_command, commands))
        with translated():
            await self._exchange(packed, len(commands), on_reply)

    async def _exchange(self, packed: bytes, count: int, on_reply: Callable[[Any], object]) -> None:
        """Write, and read `count` replies; the timeout begins anew with each chunk of them."""
        reader, writer = self._connection._reader, self._connection._writer  # noqa: SLF001 - see PRIVATE
        if reader is None or writer is None:
            raise exceptions.ConnectionError("closed before it was used")
        patience = self._connection.socket_timeout
        clock = asyncio.get_running_loop().time
        async with asyncio.timeout(patience) as limit:
            writer.write(packed)
            if len(packed) > _CHUNK:
                await writer.drain()
            while True:
                chunk = await reader.read(_CHUNK)
                if not chunk:
                    raise exceptions.ConnectionError("the server closed the connection")
                self._replies.feed(chunk)
                while (reply := self._replies.gets()) is not False:
                    if not count:
                        raise exceptions.InvalidResponse("more replies than commands")
                    on_reply(reply)
                    count -= 1
                if not count:
                    return
                if patience is not None:
                    limit.reschedule(clock() + patience)

    async def close(self) -> None:
        """Disconnect: replies that no task waits for may still arrive."""
        self._replies = _reader()
        with translated():
            await self._connection.disconnect(nowait=True)


def _reader() -> Reader:
    return Reader(protocolError=exceptions.InvalidResponse, replyError=_error)


def _error(reply: str) -> Exception:
    """Return an error of the server with all of its words: redis-py leaves the first one out."""
    error: Exception = DefaultParser.parse_error(reply)  # type: ignore[no-untyped-call]
    error.args = (reply,)
    return error


_idle: Final[WeakKeyDictionary[Any, list[_Channel]]] = WeakKeyDictionary()
"""By pool: channels that are not in use. Their connections are the pool's to close."""


def slot_key(words: tuple[Any, ...]) -> str:
    """Return the key that decides which node of a cluster has a command."""
    at = 3 if words[0] in ("EVAL", "EVALSHA") else 1
    return str(words[at]) if len(words) > at else ""


class Pipeline:
    """Sends the commands of many tasks.

    Args:
        replicated: Whether the server's place may be taken by a replica. A reply is then passed on when a replica has
            what was written before it; on a server without replicas at once.
        patience: See `Absence`.
    """

    def __init__(
        self,
        pool: BlockingConnectionPool | ConnectionPool,
        *,
        replicated: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self._pool = pool
        self._replicated = replicated
        self._absence = Absence(patience)
        self._alone = True  # as far as known the server has no replica; each packet asks again
        self._idle = _idle.setdefault(pool, [])
        self._waiting: deque[_Waiting] = deque()
        self._busy = 0
        self._workers: set[asyncio.Task[None]] = set()

    async def ask(self, *words: Any) -> Any:
        """Return the reply to a command, or raise it."""
        (reply,) = await self.ask_all([words])
        if isinstance(reply, BaseException):
            raise reply
        return reply

    async def ask_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the replies to commands; in the place of each that failed its error. A server that is away is not asked."""
        if (away := self._absence.error()) is not None:
            return [away] * len(commands)
        began = asyncio.get_running_loop().time()
        replies = await self._asked(commands)
        for words, reply in zip(commands, replies, strict=True):
            if is_lost(reply):
                self._absence.begin(reply, began, lambda words=words: self._probe(words))  # type: ignore[misc]
                break
        return replies

    async def _probe(self, failed: tuple[Any, ...]) -> Exception | None:
        """Write what belongs to the slot of a command that has failed; return why the server is away, if it is.

        A server that answers at all, be it that its memory is full, is not away. On one whose disk is full reading
        brings an answer, and the next write ends it.
        """
        try:
            replies = await self.together([("SET", keys.probe_key(slot_key(failed)), _WEIGHT, "PX", 1000)])
        finally:  # perhaps it is no master any more, and its successor is behind a new connection; or the pool was closed
            await self.disconnect()
        return replies[0] if is_lost(replies[0]) else None

    async def _asked(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        if self._busy < CHANNELS and not self._waiting:
            self._busy += 1
            try:
                return await self.together(
                    commands
                )  # in the asking task: a worker would cost a switch of tasks
            finally:
                self._busy -= 1
                self._start_worker()
        future = asyncio.get_running_loop().create_future
        waiting: list[_Waiting] = [(words, future()) for words in commands]
        self._waiting.extend(waiting)
        self._start_worker()
        return [await reply for _, reply in waiting]

    async def together(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the replies to commands that are sent in order on one connection, with no others between them."""
        replies: list[Any] = []
        failed = await self._send(commands, replies.append)
        return replies if failed is None else replies + [failed] * (len(commands) - len(replies))

    async def disconnect(self) -> None:
        """Have every idle connection made anew."""
        for channel in self._idle:
            await channel.close()

    def _start_worker(self) -> None:
        if self._waiting and self._busy < CHANNELS:
            self._busy += 1
            worker = asyncio.create_task(self._work(), name="Redis pipeline")
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        try:
            while self._waiting:
                part: list[_Waiting] = []
                share = min(MOST, max(LEAST, len(self._waiting) // CHANNELS))
                while self._waiting and len(part) < share:
                    waiting = self._waiting.popleft()
                    if not waiting[1].done():  # the asking task may have been cancelled
                        part.append(waiting)
                if part:
                    await self._answer(part)
        finally:
            self._busy -= 1

    async def _answer(self, part: Sequence[_Waiting]) -> None:
        unresolved = deque(future for _, future in part)

        def resolve(reply: Any) -> None:
            future = unresolved.popleft()
            if not future.done():
                future.set_result(reply)

        failed: BaseException | None = exceptions.ConnectionError("the command was cut off")
        try:
            failed = await self._send([words for words, _ in part], resolve)
        finally:
            while unresolved:
                resolve(failed)

    async def _send(
        self, commands: Sequence[tuple[Any, ...]], on_reply: Callable[[Any], object]
    ) -> BaseException | None:
        """Send commands on some channel; return the error of those that were not replied to, if there was one."""
        channel = None
        failed: BaseException | None = exceptions.ConnectionError("the command was cut off")
        try:
            channel = self._idle.pop() if self._idle else await self._opened()
            await channel.open()
            if self._replicated:
                await self._send_copied(channel, commands, on_reply)
            else:
                await channel.send(commands, on_reply)
            failed = None
        except exceptions.RedisError as error:
            failed = error
        finally:
            if channel is not None:
                try:
                    if failed is not None:
                        await channel.close()
                finally:
                    self._idle.append(channel)
        return failed

    async def _opened(self) -> _Channel:
        with translated():
            return _Channel(await self._pool.get_connection())  # type: ignore[no-untyped-call]

    async def _send_copied(
        self, channel: _Channel, commands: Sequence[tuple[Any, ...]], on_reply: Callable[[Any], object]
    ) -> None:
        """Send commands, and pass on their replies when a replica has what they wrote.

        Raises:
            Uncopied: no replica has it. If the server has none any more, its place may have been taken, so this is
                raised once, and the next packet believes it.
        """
        replies: list[Any] = []
        await channel.send((*commands, _ROLE if self._alone else _COPIED), replies.append)
        last = replies.pop()
        if self._alone and isinstance(last, list) and last[0] == b"master":
            self._alone = not last[2]
            if not self._alone:
                copied: list[Any] = []
                await channel.send((_COPIED,), copied.append)
                last = copied[0]
            else:
                last = 1
        if not isinstance(last, int) or last < 1:
            self._alone = True
            raise Uncopied(str(last))
        for reply in replies:
            on_reply(reply)
