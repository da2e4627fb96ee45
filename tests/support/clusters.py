"""Servers of which one can take over from another, on loopback: a cluster, and a master with Sentinels."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.servers import Node, SentinelNode
from tests.support.waiting import eventually_now

SLOTS = 16384


class Cluster:
    """Three masters that share all slots, the first nodes; and a replica of each, or none."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.seeds = f"redis://{','.join(f'127.0.0.1:{node.port}' for node in nodes)}/?cluster=true"
        self._all = f"cluster_known_nodes:{len(nodes)}".encode()
        self.url = f"redis://127.0.0.1:{nodes[0].port}?cluster=true"

    def whole(self) -> bool:
        """Whether every node sees every other one, and all slots have a master."""
        return all(
            b"cluster_state:ok" in said and self._all in said
            for said in (node.ask("CLUSTER", "INFO") for node in self.nodes)
        ) and (len(self.nodes) == 3 or paired(self.nodes, 3))

    def master(self, luck: random.Random) -> Node:
        """Return one of the masters."""
        return luck.choice([node for node in self.nodes if b"role:master" in node.ask("INFO", "replication")])

    def said(self) -> str:
        """What the nodes say of the cluster, for the message of a failure."""
        return "\n".join(f"{node.ask('CLUSTER', 'NODES')!r}\n{node.log()}" for node in self.nodes)

    def join(self) -> None:
        """Make one cluster of the nodes."""
        for number, node in enumerate(self.nodes[:3]):
            start, end = number * SLOTS // 3, (number + 1) * SLOTS // 3 - 1
            assert node.ask("CLUSTER", "ADDSLOTSRANGE", start, end).startswith(b"+OK")
        eventually_now(self._joined, said=self.said, pause=0.1)

    def _joined(self) -> bool:
        """Whether it is whole; introduces the nodes that have not met, for a busy node forgets an introduction."""
        first, *others = self.nodes
        for node in others:
            if f":{first.port}@".encode() not in node.ask("CLUSTER", "NODES"):
                node.ask("CLUSTER", "MEET", "127.0.0.1", first.port)
        for master, replica in zip(self.nodes, self.nodes[3:], strict=False):
            name = master.ask("CLUSTER", "MYID").split()[1].decode()
            if b"role:master" in replica.ask("INFO", "replication"):
                replica.ask("CLUSTER", "REPLICATE", name)  # refused until the two have met
        return self.whole()


class Watched:
    """A master and two replicas, watched by three Sentinels. The master takes writes only while a replica does."""

    def __init__(self, nodes: list[Node], sentinels: list[SentinelNode]) -> None:
        self.nodes = nodes
        self._sentinels = sentinels
        names = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in sentinels)
        self.seeds = f"redis+sentinel://{names}/klop"

    def whole(self) -> bool:
        """Whether the replicas follow the one master, and every Sentinel knows of all."""
        known = (sentinel.ask("INFO", "sentinel") for sentinel in self._sentinels)
        return paired(self.nodes, 1) and all(
            b"status=ok" in said and b"slaves=2,sentinels=3" in said for said in known
        )

    def said(self) -> str:
        """What the servers say, for the message of a failure."""
        return "\n".join(node.log() for node in (*self.nodes, *self._sentinels))

    def master(self, _: random.Random) -> Node:
        """Return the master."""
        return next(node for node in self.nodes if b"role:master" in node.ask("INFO", "replication"))


def paired(nodes: list[Node], masters: int) -> bool:
    """Whether so many nodes are masters that have replicas, and all others follow one."""
    said = [node.ask("INFO", "replication") for node in nodes]
    return (
        sum(b"role:master" in each and b"state=online" in each for each in said) == masters
        and sum(b"master_link_status:up" in each for each in said) == len(nodes) - masters
    )


@contextmanager
def three_masters(directory: Path) -> Iterator[Cluster]:
    """A cluster, for as long as the context lasts."""
    # A node that does not answer within the time-out is taken for dead: on a busy machine seconds are too little.
    with _cluster(directory, 3, timeout=15000) as cluster:
        yield cluster


@contextmanager
def replicated_cluster(directory: Path) -> Iterator[Cluster]:
    """A cluster with a replica of each master."""
    with _cluster(directory, 6, timeout=2500) as cluster:
        yield cluster


@contextmanager
def watched_master(directory: Path) -> Iterator[Watched]:
    """A master with two replicas and three Sentinels."""
    settings = {"appendfsync": "no", "min-replicas-to-write": "1", "repl-diskless-sync-delay": "0"}
    with ExitStack() as stack:
        nodes = [Node(directory / str(number), settings) for number in range(3)]
        sentinels = [SentinelNode(directory / f"sentinel{number}", nodes[0]) for number in range(3)]
        for node in (*nodes, *sentinels):
            stack.callback(node.kill)
            node.start()
        for replica in nodes[1:]:
            replica.ask("REPLICAOF", "127.0.0.1", nodes[0].port)
        watched = Watched(nodes, sentinels)
        eventually_now(watched.whole, said=watched.said, pause=0.1)
        yield watched


@contextmanager
def _cluster(directory: Path, count: int, timeout: int) -> Iterator[Cluster]:
    with ExitStack() as stack:
        settings = {"appendfsync": "no", "cluster-enabled": "yes", "cluster-node-timeout": str(timeout)}
        settings["repl-diskless-sync-delay"] = "0"
        nodes = [Node(directory / str(number), settings) for number in range(count)]
        for node in nodes:
            stack.callback(node.kill)
            node.start()
        cluster = Cluster(nodes)
        cluster.join()
        yield cluster
