"""A connection to Redis, one server or a cluster, that retries and ends in time: with a reply, or with `Unavailable`.

On a cluster the keys of a script must share a hash tag, and a batch is split among the nodes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from hashlib import sha1
from importlib.resources import files
from time import perf_counter
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from redis import exceptions
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.sentinel import SentinelConnectionPool

from play.errors import TakesNoWrites, Unavailable
from storage import keys
from storage.client.connecting import Cluster, Nodes
from storage.client.pipeline import LOST, PATIENCE, PAUSES, Pipeline, ServerAway, words_of
from storage.embedded.directory import Process

_log: Final = logging.getLogger(__name__)

_REFUSED: Final = 0.005
"""Seconds until a call fails that is not sent: a task that repeats it at once must not stop all others."""
_SAID: Final = 1.0  # seconds between two looks at why calls fail: each may be one at the disk
_FULL: Final = ("OOM ", "MISCONF ")  # begin what a server says that takes no writes
_COMMAND: Final = "command"  # what the meter is told of a call without a script
_SCANNED: Final = 1000  # keys looked at in one step of a scan

_TRANSIENT: Final = (*LOST, exceptions.AskError, exceptions.TryAgainError)  # the last two: slots that move

T = TypeVar("T")
Word: TypeAlias = str | bytes | int


async def _cancellable(question: Callable[[], Awaitable[T]]) -> T:
    """Return what `question` returns, unless the task was cancelled meanwhile.

    redis-py sends under `asyncio.wait_for`, which in Python 3.11 loses a cancellation that comes just as it is done: the
    task would run on, and a task that awaits its end would wait for ever.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    answer = await question()
    if task and task.cancelling() > before:
        raise asyncio.CancelledError
    return answer


def pairs(reply: Any) -> list[tuple[Any, Any]]:
    """Return a reply of names and values as pairs; redis-py may have made a mapping, tuples or a flat list of it."""
    if isinstance(reply, dict):
        return list(reply.items())
    if reply and isinstance(reply[0], tuple | list):
        return [(name, value) for name, value in reply]
    return list(zip(reply[::2], reply[1::2], strict=True))


class Meter(Protocol):
    """What measures calls to the store."""

    def called(self, what: str, seconds: float) -> None:
        """A call has ended: of a script, by its name, or of `command`s."""

    def overtaken(self) -> None:
        """Another commit came before one."""


class Script:
    """A Lua script of the folder `scripts`, by its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = (files("storage") / "scripts" / f"{name}.lua").read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, names: Sequence[str], values: Sequence[Word]) -> tuple[Word, ...]:
        """Return the command that runs it on a server that has it cached."""
        return ("EVALSHA", self.digest, len(names), *names, *values)

    def uncached(self, call: Sequence[Word]) -> tuple[Word, ...]:
        """Return the same with the script's text, for a server that has not."""
        return ("EVAL", self.text, *call[2:])


class Connection:
    """A connection to a server or a cluster; what fails in passing is retried, for `patience` seconds by all calls together.

    Every method may raise `Unavailable`, and may send its command twice; the client must never repeat one by itself.
    """

    def __init__(
        self, client: Redis | RedisCluster, patience: float = PATIENCE, process: Process | None = None
    ) -> None:
        self.client = client
        self.process: Final = process or Process()
        self.clustered = isinstance(client, Cluster)
        self.watched = False  # whether Sentinels name the master
        self.meter: Meter | None = None
        self.trouble: Callable[[], str | None] = lambda: None  # what is amiss with the embedded server
        self._said = -_SAID
        self._patience = patience
        self._nodes: Nodes | Pipeline
        if isinstance(client, Cluster):
            self._nodes = Nodes(client, patience)
        else:
            pool = client.connection_pool  # type: ignore[union-attr]  # a cluster's client is a `Cluster`
            self.watched = isinstance(pool, SentinelConnectionPool)
            self._nodes = Pipeline(pool, replicated=self.watched, patience=patience)

    async def command(self, *words: Word) -> Any:
        """Return the reply to one command."""
        return await self.ask(lambda: self._put(words))

    async def run(self, script: Script, names: Sequence[str], values: Sequence[Word] = ()) -> Any:
        """Return what a script returns: one round trip, two where the server has not cached it yet."""
        call = script.call(names, values)
        return await self.ask(lambda: self._run(script, call), script.name)

    async def batch(self, calls: Sequence[Sequence[Word]], scripts: Sequence[Script] = ()) -> list[Any]:
        """Return the replies to commands, which may run `scripts`: one round trip, or one a node. They are not one transaction."""
        if not calls:
            return []
        return await self.ask(
            lambda: self._batch(calls, scripts), "+".join(script.name for script in scripts) or _COMMAND
        )

    async def _put(self, words: Sequence[Word]) -> Any:
        (reply,) = await self._nodes.ask_all([tuple(words)])
        if isinstance(reply, BaseException):
            raise reply
        return reply

    async def _run(self, script: Script, call: Sequence[Word]) -> Any:
        try:
            return await self._put(call)
        except exceptions.NoScriptError:
            return await self._put(script.uncached(call))

    async def _batch(self, calls: Sequence[Sequence[Word]], scripts: Sequence[Script]) -> list[Any]:
        answers = await self._nodes.ask_all([tuple(call) for call in calls])
        known = {script.digest: script for script in scripts}
        for place, answer in enumerate(answers):
            if isinstance(answer, exceptions.NoScriptError):
                script = known[str(calls[place][1])]
                answers[place] = await self._run(script, calls[place])
            elif isinstance(answer, BaseException):
                raise answer
        return answers

    async def time(self) -> tuple[int, int]:
        """Return the server's time in seconds and microseconds since 1970; on a cluster always by the same node."""
        seconds, micros = await self.ask(self._time)
        return int(seconds), int(micros)

    async def _time(self) -> Any:
        return await (await self._primaries())[0].ask("TIME")

    async def each(self, *words: Word) -> list[Any]:
        """Return the reply of the server, or of every master of the cluster, to a command without a key."""

        async def question() -> list[Any]:
            return [await node.ask(*words) for node in await self._primaries()]

        return await self.ask(question)

    async def probe(self) -> None:
        """Write a key to the server, or to every master of the cluster; raise `Unavailable` if one takes no writes."""
        names = [keys.probe_key(f"{{{tag}}}") for tag in range(keys.TAGS)]
        nodes = self._nodes
        chosen = await self.ask(lambda: nodes.one_each(names)) if isinstance(nodes, Nodes) else names[:1]
        await self.batch([("SET", name, "", "PX", 1000) for name in chosen])

    def words_of(self, error: BaseException) -> str:
        """Return why a call failed, in the words of the server or of the system."""
        found = words_of(error)
        return f"{found} ({trouble})" if (trouble := self.trouble()) else found

    async def scan(self, pattern: str) -> AsyncIterator[list[str]]:
        """Yield all keys that match a pattern, in pieces, on all nodes; a key made or deleted meanwhile may be left out."""
        for node in await self.ask(self._primaries):
            cursor = 0
            while True:
                words = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED)
                cursor, found = await self.ask(lambda words=words, node=node: node.ask(*words))  # type: ignore[misc]
                if found:
                    yield [bytes(key).decode(errors="replace") for key in found]
                if not int(cursor):
                    break

    async def _primaries(self) -> list[Pipeline]:
        return await self._nodes.primaries() if isinstance(self._nodes, Nodes) else [self._nodes]

    async def ask(self, question: Callable[[], Awaitable[T]], what: str = _COMMAND) -> T:
        """Return what `question` returns, retrying it until the patience runs out; it must be safe to run twice.

        `what` it is: the name of a script, for the meter.

        Raises:
            Unavailable: no reply in time, or an error that says more about the server than about the command
                (out of memory, a busy script, an append-only file that cannot be written...). The cause is chained.
        """
        began = perf_counter()
        try:
            return await self._tried(question)
        except Unavailable as error:
            if began - self._said >= _SAID:
                self._said = began
                _log.warning("the store: %s", self.words_of(error))
            raise
        finally:
            if self.meter is not None:
                self.meter.called(what, perf_counter() - began)

    async def _tried(self, question: Callable[[], Awaitable[T]]) -> T:
        last: Exception | None = None
        try:
            async with asyncio.timeout(self._patience):
                tries = 0
                while True:
                    try:
                        return await _cancellable(question)
                    except exceptions.AuthenticationError:
                        raise
                    except ServerAway as away:
                        if away.lasting:
                            await asyncio.sleep(_REFUSED)
                            raise Unavailable from away.why
                        last = away.why
                    except _TRANSIENT as error:
                        last = error
                    await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
                    tries += 1
        except TimeoutError as late:
            raise Unavailable from (last or late)
        except exceptions.RedisError as refusal:
            full = str(refusal).startswith(_FULL)
            raise (TakesNoWrites if full else Unavailable) from refusal
