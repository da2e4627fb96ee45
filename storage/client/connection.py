"""Calls to Redis, one server or a cluster, that are tried again and end in time: with replies, or with `Unavailable`.

The commands of many tasks go over few connections: those that are asked while these are busy are sent together in one write,
and each future is resolved as its reply arrives. redis-py's pool hands a connection to each command, unfairly when many wait
(some wait for seconds), and that costs more than the command itself; so does its way to write and read. So redis-py makes the
connections, with handshake, TLS and login, and this module writes to and reads from their streams.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha1
from importlib.resources import files
from time import perf_counter
from typing import Any, ClassVar, Final, Protocol, TypeAlias
from weakref import WeakKeyDictionary

from hiredis import Reader, pack_command
from redis import exceptions
from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster
from redis.asyncio.connection import AbstractConnection, ConnectionPool, DefaultParser
from redis.asyncio.sentinel import SentinelConnectionPool

from play.errors import TakesNoWrites, Unavailable
from storage import keys
from storage.client.absence import (
    CLIENT_ERRORS,
    LOST,
    PATIENCE,
    Absence,
    ServerAway,
    Uncopied,
    is_lost,
    translated,
    waited_for,
    words_of,
)
from storage.client.wakeups import Wakeups
from storage.embedded.directory import Process

CHANNELS: Final = 4
"""Connections that are used at once. Several, so that one slow reply does not hold up the others."""
MOST: Final = 128  # commands in one write at most
LEAST: Final = 8
"""Commands that are not split among connections. What waits is sent in equal parts, so that the server works on one while
the replies to another are read; but each part costs a round trip."""
_CHUNK: Final = 1 << 16  # bytes
_SILENT: Final = 10.0  # seconds without a message after which a subscription is tried
_COPIED: Final[Sequence[Any]] = ("WAIT", 1, 500)
"""A replica takes within so many milliseconds what was written: fewer than a reply may take."""
_LOGGED: Final = 1.0  # seconds between two looks at why calls fail: each may be one at the disk
_WEIGHT: Final = bytes(4096)
"""What a probe writes: a block of the disk, since a few bytes may fit where the write did not that ended the server."""
_FULL: Final = ("OOM ", "MISCONF ")  # begin what a server says that takes no writes
_COMMAND: Final = "command"  # what the meter is given for a call without a script
_TRANSIENT: Final = (*LOST, exceptions.AskError, exceptions.TryAgainError)  # the last two: slots that move
_SCANNED: Final = 1000  # keys looked at in one step of a scan
PRIVATE: Final = ("_reader", "_writer")
"""Private attributes of a connection of redis-py that this module uses."""

Word: TypeAlias = str | bytes | int
Words: TypeAlias = Sequence[Any]
"""A command; of the keys of a script all must share a hash tag."""

_log: Final = logging.getLogger(__name__)


def pairs(reply: Any) -> list[tuple[Any, Any]]:
    """Return a flat reply of names and values, or one of entries of a stream, as pairs."""
    if reply and isinstance(reply[0], list):
        return [(name, value) for name, value in reply]
    return list(zip(reply[::2], reply[1::2], strict=True))


def slot_key(words: Words) -> str:
    """Return the key that decides which node of a cluster has a command."""
    at = 3 if words[0] in ("EVAL", "EVALSHA") else 1
    return str(words[at]) if len(words) > at else ""


class Script:
    """A Lua script of the folder `scripts`, by its name."""

    texts: ClassVar[dict[str, str]] = {}
    """By digest: what a server is sent that has not cached it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = (files("storage") / "scripts" / f"{name}.lua").read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        self.texts[self.digest] = self.text

    def call(self, names: Sequence[str], values: Sequence[Word]) -> tuple[Word, ...]:
        """Return the command that runs it on a server that has it cached."""
        return ("EVALSHA", self.digest, len(names), *names, *values)


class _Channel:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def __init__(self, connection: AbstractConnection) -> None:
        self.connection = connection
        self._parser = _parser()
        self.patience: float | None = connection.socket_timeout

    async def open(self) -> None:
        reader = self.connection._reader  # noqa: SLF001 - see PRIVATE
        if reader is None or reader.at_eof() or reader.exception():
            await self.close()
            await self.connection.connect()  # type: ignore[no-untyped-call]
        reader, writer = self.connection._reader, self.connection._writer  # noqa: SLF001 - see PRIVATE
        if reader is None or writer is None:
            raise exceptions.ConnectionError("closed before it was used")
        self.reader, self.writer = reader, writer

    async def read(self, replies: list[Any], count: int, limit: asyncio.Timeout, on_reply: _OnReply) -> None:
        clock = asyncio.get_running_loop().time
        if self.writer.transport.get_write_buffer_size() > _CHUNK:
            await self.writer.drain()
        while True:
            chunk = await self.reader.read(_CHUNK)
            if not chunk:
                raise exceptions.ConnectionError("the server closed the connection")
            self._parser.feed(chunk)
            while (reply := self._parser.gets()) is not False:
                if not count:
                    raise exceptions.InvalidResponse("more replies than commands")
                count -= 1
                replies.append(reply)
                if on_reply:
                    on_reply(reply)
            if not count:
                return
            if self.patience is not None:
                limit.reschedule(clock() + self.patience)

    async def next(self) -> Any:
        """Return the next reply, of a server that sends them unasked; raise an error that it sends."""
        while (reply := self._parser.gets()) is False:
            chunk = await self.reader.read(_CHUNK)
            if not chunk:
                raise exceptions.ConnectionError("the server closed the connection")
            self._parser.feed(chunk)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def close(self) -> None:
        """Disconnect: replies that no task waits for may still arrive."""
        self._parser = _parser()
        with suppress(*CLIENT_ERRORS):
            await self.connection.disconnect(nowait=True)


def _parser() -> Reader:
    return Reader(protocolError=exceptions.InvalidResponse, replyError=_error)


def _error(reply: str) -> Exception:
    """Return an error of the server with all of its words: redis-py leaves the first one out."""
    error: Exception = DefaultParser.parse_error(reply)  # type: ignore[no-untyped-call]
    error.args = (reply,)
    return error


_OnReply: TypeAlias = Callable[[Any], object] | None
_Waiting: TypeAlias = tuple[Words, asyncio.Future[Any]]  # a command, and the future of its reply

_idle: Final[WeakKeyDictionary[Any, list[_Channel]]] = WeakKeyDictionary()
"""By pool: channels that are not in use. Their connections are the pool's to close."""


class Pipeline:
    """Sends the commands of many tasks to one server.

    Where the server's place may be taken by a replica (`replicated`), a reply is passed on when a replica has what was written
    before it; on a server without replicas at once.
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

    def exchange(self, commands: Sequence[Words]) -> Coroutine[Any, Any, list[Any]]:
        """Return the replies to commands; in the place of each that failed its error. A server that is away is not asked."""
        if (why := self._absence.why) is not None:
            return _same(self._absence.error(why), len(commands))
        if self._busy < CHANNELS and not self._waiting:
            return self.together(commands)  # in the asking task: a worker would cost a switch of tasks
        return self._queued(commands)

    async def _queued(self, commands: Sequence[Words]) -> list[Any]:
        future = asyncio.get_running_loop().create_future
        waiting: list[_Waiting] = [(words, future()) for words in commands]
        self._waiting.extend(waiting)
        self._start_worker()
        return [await reply for _, reply in waiting]

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
                    futures = deque(future for _, future in part)
                    try:
                        await self.together([words for words, _ in part], partial(_resolve, futures))
                    finally:
                        while futures:  # one of the commands cannot be packed
                            _resolve(futures, exceptions.ConnectionError("the command was cut off"))
        finally:
            self._busy -= 1

    async def together(self, commands: Sequence[Words], on_reply: _OnReply = None) -> list[Any]:
        """Return the replies to commands that are sent in order on one connection, with no others between them.

        In the place of each that failed is its error: it is not known whether those without a reply were carried out. With
        `on_reply`, of a worker, each is passed on as it arrives.
        """
        packet = [*commands, ("ROLE",) if self._alone else _COPIED] if self._replicated else commands
        packed = b"".join([pack_command(tuple(words)) for words in packet])
        replies: list[Any] = []
        failed: Exception | None = exceptions.ConnectionError("the command was cut off")
        channel: _Channel | None = None
        began = asyncio.get_running_loop().time()
        self._busy += on_reply is None  # a worker has been counted
        try:
            channel = self._idle.pop() if self._idle else _Channel(await self._pool.get_connection())  # type: ignore[no-untyped-call]
            await channel.open()
            async with asyncio.timeout(channel.patience) as limit:
                channel.writer.write(packed)
                await channel.read(replies, len(packet), limit, None if self._replicated else on_reply)
                if self._replicated and not self._is_copied(replies.pop()):
                    channel.writer.write(pack_command(tuple(_COPIED)))
                    await channel.read(replies, 1, limit, None)
                    self._is_copied(replies.pop())
            failed = None
        except CLIENT_ERRORS as error:
            failed = translated(error)
        finally:
            self._busy -= on_reply is None
            self._complete(replies, len(commands), failed, on_reply)
            if channel is not None:
                try:
                    if failed is not None:
                        await channel.close()
                finally:
                    self._idle.append(channel)
            if on_reply is None:
                self._start_worker()
        for words, reply in zip(commands, replies, strict=True):
            if isinstance(reply, LOST) and is_lost(reply):
                self._absence.begin(reply, began, partial(self._probe, words))
                break
        return replies

    def _complete(self, replies: list[Any], count: int, failed: Exception | None, on_reply: _OnReply) -> None:
        passed = 0 if self._replicated else len(replies)
        if failed is not None:
            del replies[passed:]  # what no replica has
            replies += [failed] * (count - len(replies))
        if on_reply:
            for reply in replies[passed:]:
                on_reply(reply)

    def _is_copied(self, reply: Any) -> bool:
        """Whether a replica has what was written before this reply, or there is none; else `_COPIED` is still to be asked.

        Raises:
            Uncopied: no replica has it. If the server has none any more, its place may have been taken, so this is
                raised once, and the next packet believes it.
        """
        if self._alone and isinstance(reply, list) and reply[0] == b"master":
            self._alone = not reply[2]
            return self._alone
        if not isinstance(reply, int) or reply < 1:
            self._alone = True
            raise Uncopied(str(reply))
        return True

    async def _probe(self, failed: Words) -> Exception | None:
        """Write what belongs to the slot of a command that has failed; return why the server is away, if it is.

        A server that answers at all, be it that its memory is full, is not away. On one whose disk is full reading
        brings an answer, and the next write ends it.
        """
        try:
            (reply,) = await self.together([("SET", keys.probe_key(slot_key(failed)), _WEIGHT, "PX", 1000)])
        finally:  # perhaps it is no master any more, and its successor is behind a new connection; or the pool was closed
            for channel in self._idle:
                await channel.close()
        return reply if is_lost(reply) else None

    async def subscribe(self, channel: str, heard: Callable[[bytes | None], None]) -> None:
        """See `Connection.subscribe`."""
        words: tuple[Any, ...] = ("SUBSCRIBE", channel)
        line = _Channel(await self._pool.get_connection())  # type: ignore[no-untyped-call]
        try:
            await line.open()
            line.writer.write(pack_command(words))
            asked = True  # and not answered yet
            while True:
                try:
                    async with asyncio.timeout(line.patience if asked else _SILENT):
                        kind, *_, message = await line.next()
                except TimeoutError:
                    if asked:
                        raise
                    line.writer.write(pack_command(("PING",)))
                    asked = True
                    continue
                asked = False
                if kind != b"pong":
                    heard(bytes(message) if kind == b"message" else None)
        finally:
            await line.close()
            await self._pool.release(line.connection)

    async def primaries(self) -> list[Pipeline]:
        """See `Nodes`."""
        return [self]

    async def one_each(self, names: Sequence[str]) -> list[str]:
        """See `Nodes`."""
        return list(names[:1])


async def _same(reply: Any, count: int) -> list[Any]:
    return [reply] * count


def _resolve(futures: deque[asyncio.Future[Any]], reply: Any) -> None:
    future = futures.popleft()
    if not future.done():
        future.set_result(reply)


class CallMeter(Protocol):
    """What measures calls to the store."""

    def called(self, what: str, seconds: float) -> None:
        """A call has ended: of a script, by its name, or of `command`s."""

    def overtaken(self) -> None:
        """Another commit came before one."""


class Nodes(Protocol):
    """A server, or the nodes of a cluster."""

    def exchange(self, commands: Sequence[Words]) -> Coroutine[Any, Any, list[Any]]:
        """Return the replies to commands; in the place of each that failed its error."""

    async def primaries(self) -> list[Pipeline]:
        """Return a pipeline to each master, in the order of their names."""

    async def one_each(self, names: Sequence[str]) -> list[str]:
        """Return of some keys one for each master that has any."""


class Connection:
    """A connection to a server, or to the `nodes` of a cluster, among which a batch is split.

    What fails in passing is retried, for `patience` seconds by all calls together. Every method may raise `Unavailable`, and may
    send its command twice; the client must never repeat one by itself.
    """

    def __init__(
        self,
        client: Redis | RedisCluster,
        patience: float = PATIENCE,
        process: Process | None = None,
        nodes: Nodes | None = None,
    ) -> None:
        self.client = client
        self.process: Final = process or Process()
        self.clustered = nodes is not None
        self.watched = False  # whether Sentinels name the master
        self.replicated = self.clustered  # whether a replica may take a server's place
        if nodes is None:
            pool = client.connection_pool  # type: ignore[union-attr]  # it is no cluster's
            self.watched = self.replicated = isinstance(pool, SentinelConnectionPool)
            nodes = Pipeline(pool, replicated=self.watched, patience=patience)
        self._nodes = nodes
        self.wakeups: Final = Wakeups(self.process.name, self.subscribe)
        self.meter: CallMeter | None = None
        self.trouble: Callable[[], str | None] = lambda: None  # what is amiss with the embedded server
        self._logged = -_LOGGED
        self._patience = patience

    def run(
        self, script: Script, names: Sequence[str], values: Sequence[Word] = ()
    ) -> Coroutine[Any, Any, Any]:
        """Return what a script returns: one round trip, two where the server has not cached it yet."""
        return self.ask([script.call(names, values)], script.name, only=True)

    def command(self, *words: Word) -> Coroutine[Any, Any, Any]:
        """Return the reply to one command."""
        return self.ask([words], only=True)

    def batch(self, calls: Sequence[Words], scripts: Sequence[Script] = ()) -> Coroutine[Any, Any, list[Any]]:
        """Return the replies to commands, which may run `scripts`: one round trip, or one a node. They are not one transaction."""
        if not calls:
            return _same(None, 0)
        return self.ask(calls, "+".join([script.name for script in scripts]) or _COMMAND)

    async def ask(
        self,
        calls: Sequence[Any],
        what: str = _COMMAND,
        *,
        only: bool = False,
        to: Callable[[Sequence[Any]], Awaitable[list[Any]]] | None = None,
    ) -> Any:
        """Return the replies to calls, or that to the `only` one, trying again until the patience runs out.

        `what` they are for the meter; they are made by `to`, by default at the nodes that have their keys.

        Raises:
            Unavailable: no reply in time, or an error that says more about the server than about the command
                (out of memory, a busy script, an append-only file that cannot be written...). The cause is chained.
        """
        exchange = to or self._nodes.exchange
        task = asyncio.current_task()
        cancelled = task.cancelling() if task else 0
        began, tries = perf_counter(), 0
        cause: BaseException | None = None
        try:
            async with asyncio.timeout(self._patience):
                while True:
                    try:
                        replies = await self._checked(calls, await exchange(calls))
                        # redis-py connects under `asyncio.wait_for`, which in Python 3.11 loses a cancellation that comes
                        # just as it is done: a task that awaits the end of this one would wait for ever.
                        if task and task.cancelling() > cancelled:
                            raise asyncio.CancelledError
                        return replies[0] if only else replies
                    except _TRANSIENT as error:
                        cause = error.why if isinstance(error, ServerAway) else error
                        if not await waited_for(error, tries):
                            break
                    tries += 1
        except TimeoutError as late:
            cause = cause or late
        except exceptions.RedisError as refusal:
            cause = refusal
        finally:
            if self.meter is not None:
                self.meter.called(what, perf_counter() - began)
        failed = (TakesNoWrites if str(cause).startswith(_FULL) else Unavailable)()
        failed.__cause__ = cause
        if began - self._logged >= _LOGGED:
            self._logged = began
            _log.warning("the store: %s", self.words_of(failed))
        raise failed

    async def _checked(self, calls: Sequence[Any], replies: list[Any]) -> list[Any]:
        unknown = [at for at, reply in enumerate(replies) if isinstance(reply, exceptions.NoScriptError)]
        if unknown:
            whole = [("EVAL", Script.texts[calls[at][1]], *calls[at][2:]) for at in unknown]
            for at, reply in zip(unknown, await self._nodes.exchange(whole), strict=True):
                replies[at] = reply
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        return replies

    async def subscribe(self, channel: str, heard: Callable[[bytes | None], None]) -> None:
        """Pass on what is published on a channel, and first None once this listens; raise `Unavailable` at the end."""
        node = (await self.ask((), to=lambda _: self._nodes.primaries()))[0]
        try:
            await node.subscribe(channel, heard)
        except CLIENT_ERRORS as error:
            raise Unavailable from translated(error)

    async def time(self) -> int:
        """Return the server's time in microseconds since 1970; on a cluster always by the same node."""
        seconds, micros = await self.command("TIME")
        return int(seconds) * 1_000_000 + int(micros)

    async def each(self, *words: Word) -> list[Any]:
        """Return the reply of the server, or of every master of the cluster, to a command without a key."""

        async def at_each(calls: Sequence[Words]) -> list[Any]:
            return [reply for node in await self._nodes.primaries() for reply in await node.exchange(calls)]

        replies: list[Any] = await self.ask([words], to=at_each)
        return replies

    async def fields(self, *words: Word) -> list[dict[str, str]]:
        """Return the names and values in the reply of each server to INFO, or to CLUSTER INFO."""
        lines = [reply.decode(errors="replace").splitlines() for reply in await self.each(*words)]
        return [
            {name: value for name, colon, value in (line.partition(":") for line in each) if colon}
            for each in lines
        ]

    async def probe(self) -> None:
        """Write a key to the server, or to every master of the cluster; raise `Unavailable` if one takes no writes."""
        names = [keys.probe_key(f"{{{tag}}}") for tag in range(keys.TAGS)]
        chosen = await self.ask(names, to=self._nodes.one_each)
        await self.batch([("SET", name, "", "PX", 1000) for name in chosen])

    def words_of(self, error: BaseException) -> str:
        """Return why a call failed, in the words of the server or of the system."""
        found = words_of(error)
        return f"{found} ({trouble})" if (trouble := self.trouble()) else found

    async def scan(self, pattern: str) -> AsyncIterator[list[str]]:
        """Yield all keys that match a pattern, in pieces, on all nodes; a key made or deleted meanwhile may be left out."""
        for node in await self.ask((), to=lambda _: self._nodes.primaries()):
            cursor = 0
            while True:
                words = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED)
                cursor, found = await self.ask([words], only=True, to=node.exchange)
                if found:
                    yield [bytes(key).decode(errors="replace") for key in found]
                if not int(cursor):
                    break
