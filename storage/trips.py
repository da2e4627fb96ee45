"""Questions to Redis that end in time: with an answer, or with `Unavailable`.

One server and a cluster are asked alike. On a cluster a script's keys must share a tag, and a batch goes to the nodes
concerned, each its part.
"""

from __future__ import annotations

import asyncio
from hashlib import sha1
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from redis import exceptions
from redis.asyncio import RedisCluster

from play.errors import Unavailable
from storage.client import CONNECTIONS
from storage.funnel import Funnel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from redis.asyncio import Redis

PATIENCE: Final = 2.0
"""Seconds after which a person is told that the store does not answer."""

_PAUSES: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
_SCANNED: Final = 1000  # keys looked at in one step of a scan

_PASSING: Final = (
    exceptions.ConnectionError,  # a line cut, or a server that starts again or loads its data
    exceptions.TimeoutError,
    exceptions.ClusterError,  # slots that move, or that nobody has for the moment
    exceptions.ClusterDownError,
    exceptions.SlotNotCoveredError,
    exceptions.TryAgainError,
)
_STRANGE_CLUSTER: Final = exceptions.RedisClusterException

T = TypeVar("T")
Word: TypeAlias = str | bytes | int


async def _cancellable(question: Callable[[], Awaitable[T]]) -> T:
    """The answer, unless the task was cancelled meanwhile.

    redis-py sends under `asyncio.wait_for`, which in Python 3.11 loses a cancellation that comes just as it is done: the
    task would run on, and whoever waits for its end would wait for ever.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    answer = await question()
    if task and task.cancelling() > before:
        raise asyncio.CancelledError
    return answer


class Script:
    """A script of the folder `scripts`, by its name."""

    def __init__(self, name: str) -> None:
        self.text = (files("storage") / "scripts" / f"{name}.lua").read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def call(self, names: Sequence[str], values: Sequence[Word]) -> tuple[Word, ...]:
        """The command that runs it, once the server knows it."""
        return ("EVALSHA", self.digest, len(names), *names, *values)

    def brought(self, call: Sequence[Word]) -> tuple[Word, ...]:
        """The same with the script itself, for a server that does not."""
        return ("EVAL", self.text, *call[2:])


class Line:
    """A line to a server, or a cluster, that is tried again while the server is merely out of reach.

    Args:
        client: From `storage.client`: it must never repeat a command by itself.
        patience: Seconds for all tries of one question together.
    """

    def __init__(self, client: Redis | RedisCluster, patience: float = PATIENCE) -> None:
        self.client = client
        self.clustered = isinstance(client, RedisCluster)
        self._patience = patience
        self._funnel = None if isinstance(client, RedisCluster) else Funnel(client.connection_pool)
        # A cluster's client refuses what is more than its connections can carry; so it waits here, in order.
        self._places = asyncio.Semaphore(CONNECTIONS)

    async def command(self, *words: Word) -> Any:
        """The answer to one command. Like all questions, it may be asked twice."""
        return await self.ask(lambda: self._put(words))

    async def run(self, script: Script, names: Sequence[str], values: Sequence[Word] = ()) -> Any:
        """What a script returns, in one trip; in two where the server does not know it yet."""
        call = script.call(names, values)
        return await self.ask(lambda: self._run(script, call))

    async def batch(self, calls: Sequence[Sequence[Word]], scripts: Sequence[Script] = ()) -> list[Any]:
        """The answers to several commands in one trip, or one for each node; they are not one step.

        Args:
            calls: The commands.
            scripts: The scripts that are among them.
        """
        return await self.ask(lambda: self._batch(calls, scripts)) if calls else []

    async def _put(self, words: Sequence[Word]) -> Any:
        if self._funnel is not None:
            return await self._funnel.ask(*words)
        async with self._places:
            return await self.client.execute_command(*words)

    async def _run(self, script: Script, call: Sequence[Word]) -> Any:
        try:
            return await self._put(call)
        except exceptions.NoScriptError:
            return await self._put(script.brought(call))

    async def _batch(self, calls: Sequence[Sequence[Word]], scripts: Sequence[Script]) -> list[Any]:
        if self._funnel is not None:
            answers = await self._funnel.ask_all([tuple(call) for call in calls])
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
        """Seconds and microseconds since 1970 by the server's clock; on a cluster by the same node's each time."""
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
        await self.command("PING")  # by now it knows its nodes
        return self.client.get_primaries()

    async def scan(self, pattern: str) -> AsyncIterator[list[str]]:
        """All keys like a pattern, by and by, on all nodes; one that is made or goes meanwhile may be left out."""
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
        return await node.execute_command(
            *words
        )  # by itself, for the cluster's client makes a mapping of answers

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
                        return await _cancellable(question)
                    except _PASSING as error:
                        last = error
                    except exceptions.ReadOnlyError as error:
                        last = error  # no master any more: the one that follows it is behind a new connection
                        await self._look_again()
                    except _STRANGE_CLUSTER as error:
                        last = error  # no node of a cluster could be asked where the others are
                    await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
                    tries += 1
        except TimeoutError as late:
            raise Unavailable from (last or late)
        except exceptions.RedisError as refusal:
            raise Unavailable from refusal

    async def _look_again(self) -> None:
        if isinstance(self.client, RedisCluster):
            await self.client.aclose()  # it asks for the nodes anew when it is next used
        else:
            await self.client.connection_pool.disconnect(inuse_connections=False)
            if self._funnel is not None:
                await self._funnel.hang_up()
