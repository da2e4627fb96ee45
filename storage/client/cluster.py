"""The nodes of a Redis Cluster: which one has a key, and a pipeline to each.

redis-py learns and keeps the map of slots. It does not send commands: while the map is learnt anew, its own way to send
fails with `AttributeError` and the like.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from redis import exceptions
from redis.asyncio import BlockingConnectionPool, RedisCluster
from redis.asyncio.connection import Connection, SSLConnection

from storage.client.pipeline import LOST, Absence, Pipeline, slot_key, translated


class Cluster(RedisCluster):
    """A client of a cluster, and the pool of connections to each node.

    Args:
        seeds: Nodes to learn the others from; one that answers is enough.
        bounds: Timeouts and the like.
        options: Credentials and TLS, the same for all nodes.
    """

    def __init__(
        self,
        seeds: Sequence[tuple[str, int]],
        bounds: dict[str, Any],
        options: dict[str, Any],
        *,
        secure: bool = False,
    ) -> None:
        (host, port), *_ = self.seeds = list(seeds)
        self._made = {"timeout": bounds["socket_timeout"], **bounds, **options}
        self._made["connection_class"] = SSLConnection if secure else Connection
        self._pools: dict[str, BlockingConnectionPool] = {}
        super().__init__(host=host, port=port, ssl=secure, **bounds, **options)

    def pool(self, host: str, port: int) -> BlockingConnectionPool:
        """Return the pool of connections to a node."""
        name = f"{host}:{port}"
        if name not in self._pools:
            self._pools[name] = BlockingConnectionPool(host=host, port=port, **self._made)
        return self._pools[name]

    async def learn(self) -> None:
        """Ask the nodes which of them has which slots: those known, then the seeds."""
        with translated():
            await self.nodes_manager.initialize(additional_startup_nodes_info=self.seeds)

    async def aclose(self) -> None:
        """Close all connections."""
        await super().aclose()
        for nodes in ("nodes_cache", "startup_nodes"):
            await self.nodes_manager.aclose(nodes)
        for pool in self._pools.values():
            await pool.disconnect()


class Nodes:
    """Sends each command to the node that has its key; a reply that names another node is followed.

    The map of slots is learnt anew after a node was lost.
    """

    def __init__(self, client: Cluster, patience: float) -> None:
        self._client = client
        self._patience = patience
        self._absence = Absence(patience)  # of all nodes that could say which there are
        self._pipelines: dict[str, Pipeline] = {}
        self._learning = asyncio.Lock()
        self._learnt = 0  # how often the map was learnt
        self._stale = True

    async def primaries(self) -> list[Pipeline]:
        """Return a pipeline to each master, in the order of their names."""
        await self._known()
        nodes = self._client.get_primaries()
        return [self._to(node.host, node.port) for node in sorted(nodes, key=lambda node: str(node.name))]

    async def one_each(self, names: Iterable[str]) -> list[str]:
        """Return of some keys one for each master that has any."""
        await self._known()
        return list({self._having(("GET", name)): name for name in names}.values())

    async def ask_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the replies to commands; in the place of each that failed its error."""
        await self._known()
        learnt = self._learnt
        parts: dict[Pipeline, list[int]] = {}
        for number, words in enumerate(commands):
            parts.setdefault(self._having(words), []).append(number)
        answers = await asyncio.gather(
            *(pipeline.ask_all([commands[number] for number in part]) for pipeline, part in parts.items())
        )
        replies: dict[int, Any] = {}
        for part, answer in zip(parts.values(), answers, strict=True):
            replies.update(zip(part, answer, strict=True))
        for number, reply in replies.items():
            if isinstance(reply, exceptions.AskError):  # MOVED too
                replies[number] = await self._redirected(commands[number], reply)
            if isinstance(reply, (*LOST, exceptions.MovedError)) and learnt == self._learnt:
                self._stale = True
        return [replies[number] for number in range(len(commands))]

    async def _redirected(self, words: tuple[Any, ...], to: exceptions.AskError) -> Any:
        node = self._to(to.host, to.port)
        if isinstance(to, exceptions.MovedError):
            return (await node.ask_all([words]))[0]
        return (await node.together([("ASKING",), words]))[-1]

    async def _known(self) -> None:
        async with self._learning:
            if (away := self._absence.error()) is not None:
                raise away
            if self._stale:
                began = asyncio.get_running_loop().time()
                if (failed := await self._learn()) is not None:
                    self._absence.begin(failed, began, self._learn)
                    raise failed

    async def _learn(self) -> Exception | None:
        """Learn the map; return why that failed, if it did."""
        try:
            await self._client.learn()
        except LOST as failed:
            return failed
        self._learnt += 1
        self._stale = False
        return None

    def _having(self, words: tuple[Any, ...]) -> Pipeline:
        slot = self._client.keyslot(slot_key(words))
        with translated():
            node = self._client.nodes_manager.get_node_from_slot(slot)
        return self._to(node.host, node.port)

    def _to(self, host: str, port: str | int) -> Pipeline:
        name = f"{host}:{port}"
        if name not in self._pipelines:
            pool = self._client.pool(host, int(port))
            self._pipelines[name] = Pipeline(pool, replicated=True, patience=self._patience)
        return self._pipelines[name]
