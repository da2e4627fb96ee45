"""A cluster of three masters on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.servers import Node
from tests.support.waiting import eventually_now

SLOTS = 16384


class Cluster:
    """Three masters that share all slots."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self.url = f"redis://127.0.0.1:{nodes[0].port}?cluster=true"

    def whole(self) -> bool:
        """Whether every node sees every other one, and all slots have a master."""
        return all(
            b"cluster_state:ok" in said and b"cluster_known_nodes:3" in said
            for said in (node.ask("CLUSTER", "INFO") for node in self.nodes)
        )

    def said(self) -> str:
        """What the nodes say of the cluster, for the message of a failure."""
        return "\n".join(f"{node.ask('CLUSTER', 'NODES')!r}\n{node.log()}" for node in self.nodes)

    def join(self) -> None:
        """Make one cluster of the nodes."""
        for number, node in enumerate(self.nodes):
            start, end = number * SLOTS // 3, (number + 1) * SLOTS // 3 - 1
            assert node.ask("CLUSTER", "ADDSLOTSRANGE", start, end).startswith(b"+OK")
        eventually_now(self._joined, said=self.said, pause=0.1)

    def _joined(self) -> bool:
        """Whether it is whole; introduces the nodes that have not met, for a busy node forgets an introduction."""
        first, *others = self.nodes
        for node in others:
            if f":{first.port}@".encode() not in node.ask("CLUSTER", "NODES"):
                node.ask("CLUSTER", "MEET", "127.0.0.1", first.port)
        return self.whole()


@contextmanager
def three_masters(directory: Path) -> Iterator[Cluster]:
    """A cluster, for as long as the context lasts."""
    with ExitStack() as stack:
        # A node that does not answer within the time-out is taken for dead: on a busy machine seconds are too little.
        settings = {"appendfsync": "no", "cluster-enabled": "yes", "cluster-node-timeout": "15000"}
        nodes = [Node(directory / str(number), settings) for number in range(3)]
        for node in nodes:
            stack.callback(node.kill)
            node.start()
        cluster = Cluster(nodes)
        cluster.join()
        yield cluster
