"""A connection to Redis, one server or a cluster, that retries and ends in time: with a reply, or with `Unavailable`.

On a cluster the keys of a script must share a hash tag, and a batch is split among the nodes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Any, Final, TypeAlias, TypeVar

from redis import exceptions
from redis.asyncio import Redis, RedisCluster

from play.errors import Unavailable
from storage.client.connecting import CONNECTIONS
from storage.client.pipeline import Pipeline
from storage.processes import Process

PATIENCE: Final = 2.0  # seconds after which a command ends with `Unavailable`

_PAUSES: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
_SCANNED: Final = 1000  # keys looked at in one step of a scan

_TRANSIENT: Final = (
    exceptions.ConnectionError,  # a connection cut, or a server that restarts or loads its data
    exceptions.TimeoutError,
    exceptions.ClusterError,  # slots that move, or that no node has for the moment
    exceptions.ClusterDownError,
    exceptions.SlotNotCoveredError,
    exceptions.TryAgainError,
)

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


class Script:
    """A Lua script of the folder `scripts`, by its name."""

    def __init__(self, name: str) -> None:
        self.text = (files("storage") / "scripts" / f"{name}.lua").read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, names: Sequence[str], values: Sequence[Word]) -> tuple[Word, ...]:
        """Return the command that runs it on a server that has it cached."""
        return ("EVALSHA", self.digest, len(names), *names, *values)

    def uncached(self, call: Sequence[Word]) -> tuple[Word, ...]:
        """Return the same with the script's text, for a server that has not."""
        return ("EVAL", self.text, *call[2:])


class Connection:
    """A connection to a server or a cluster; what fails in passing is retried, for `patience` seconds.

    Every method may raise `Unavailable`, and may send its command twice; the client must never repeat one by itself.
    """

    def __init__(
        self, client: Redis | RedisCluster, patience: float = PATIENCE, process: Process | None = None
    ) -> None:
        self.client = client
        self.process: Final = process or Process()
        self.clustered = isinstance(client, RedisCluster)
        self._patience = patience
        self._pipeline = None if isinstance(client, RedisCluster) else Pipeline(client.connection_pool)
        # A cluster's client refuses more commands than it has connections, so they wait here, in order.
        self._places = asyncio.Semaphore(CONNECTIONS)

    async def command(self, *words: Word) -> Any:
        """Return the reply to one command."""
        return await self.ask(lambda: self._put(words))

    async def run(self, script: Script, names: Sequence[str], values: Sequence[Word] = ()) -> Any:
        """Return what a script returns: one round trip, two where the server has not cached it yet."""
        call = script.call(names, values)
        return await self.ask(lambda: self._run(script, call))

    async def batch(self, calls: Sequence[Sequence[Word]], scripts: Sequence[Script] = ()) -> list[Any]:
        """Return the replies to commands, which may run `scripts`: one round trip, or one a node. They are not one transaction."""
        return await self.ask(lambda: self._batch(calls, scripts)) if calls else []

    async def _put(self, words: Sequence[Word]) -> Any:
        if self._pipeline is not None:
            return await self._pipeline.ask(*words)
        async with self._places:
            return await self.client.execute_command(*words)

    async def _run(self, script: Script, call: Sequence[Word]) -> Any:
        try:
            return await self._put(call)
        except exceptions.NoScriptError:
            return await self._put(script.uncached(call))

    async def _batch(self, calls: Sequence[Sequence[Word]], scripts: Sequence[Script]) -> list[Any]:
        if self._pipeline is not None:
            answers = await self._pipeline.ask_all([tuple(call) for call in calls])
        else:
            async with self._places:
                pipe = self.client.pipeline(transaction=False)
                for call in calls:
                    pipe.execute_command(*call)
                answers = list(await pipe.execute(raise_on_error=False))
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
        seconds, micros = await self.ask(lambda: self._at(self._first_node(), ("TIME",)))
        return int(seconds), int(micros)

    def _first_node(self) -> Any:
        if not isinstance(self.client, RedisCluster):
            return None
        nodes = self.client.get_primaries()
        return min(nodes, key=lambda node: str(node.name)) if nodes else self.client.get_random_node()

    async def _nodes(self) -> Sequence[Any]:
        if not isinstance(self.client, RedisCluster):
            return (None,)
        await self.command("PING")  # makes the client learn its nodes
        return self.client.get_primaries()

    async def scan(self, pattern: str) -> AsyncIterator[list[str]]:
        """Yield all keys that match a pattern, in pieces, on all nodes; a key made or deleted meanwhile may be left out."""
        for node in await self._nodes():
            cursor = 0
            while True:
                words = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED)
                cursor, found = await self.ask(lambda words=words, node=node: self._at(node, words))  # type: ignore[misc]
                if found:
                    yield [bytes(key).decode(errors="replace") for key in found]
                if not int(cursor):
                    break

    async def _at(self, node: Any, words: Sequence[Word]) -> Any:
        if node is None:
            return await self._put(words)
        # Through the node itself, for the cluster's client would make a mapping of replies.
        return await node.execute_command(*words)

    async def ask(self, question: Callable[[], Awaitable[T]]) -> T:
        """Return what `question` returns, retrying it until the patience runs out; it must be safe to run twice.

        Raises:
            Unavailable: no reply in time, or an error that says more about the server than about the command
                (out of memory, a busy script, an append-only file that cannot be written...). The cause is chained.
        """
        last: Exception | None = None
        try:
            async with asyncio.timeout(self._patience):
                tries = 0
                while True:
                    try:
                        return await _cancellable(question)
                    except _TRANSIENT as error:
                        last = error
                    except exceptions.ReadOnlyError as error:
                        last = error  # no master any more: its successor is behind a new connection
                        await self._reconnect()
                    except exceptions.RedisClusterException as error:
                        last = error  # no node could say where the others are
                    await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
                    tries += 1
        except TimeoutError as late:
            raise Unavailable from (last or late)
        except exceptions.RedisError as refusal:
            raise Unavailable from refusal

    async def _reconnect(self) -> None:
        if isinstance(self.client, RedisCluster):
            await self.client.aclose()  # it learns the nodes anew when it is next used
        else:
            await self.client.connection_pool.disconnect(inuse_connections=False)
            if self._pipeline is not None:
                await self._pipeline.disconnect()
