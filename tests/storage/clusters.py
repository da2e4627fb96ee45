"""A cluster of three masters on loopback, for the session."""

from __future__ import annotations

import random
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from storage.embedded import SETTINGS
from storage.embedded.programs import find_server
from tests.storage.waiting import eventually_now

SLOTS = 16384
_BUS = 10_000  # a node talks to the others on its port plus this


class Node:
    """One server of a cluster."""

    def __init__(self, directory: Path, port: int) -> None:
        self.directory = directory
        self.port = port
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        self.directory.mkdir(exist_ok=True)
        settings = {**SETTINGS, "appendfsync": "no", "port": str(self.port), "bind": "127.0.0.1"}
        del settings["unixsocketperm"]
        settings |= {"cluster-enabled": "yes", "cluster-node-timeout": "1000"}
        words = [str(find_server())]
        for name, value in settings.items():
            words += [f"--{name}", value]
        with (self.directory / "log").open("ab") as log:
            return subprocess.Popen(words, cwd=self.directory, stdout=log, stderr=log)

    def ask(self, *words: str | int) -> bytes:
        """The answer to a command, as it stands on the wire."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as line:
                line.sendall(" ".join(map(str, words)).encode() + b"\r\n")
                return line.recv(1 << 16)
        except OSError:
            return b""

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Start it again on what it has on disk."""
        self.process = self._started()


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

    def join(self) -> None:
        """Make one cluster of the nodes."""
        first, *others = self.nodes
        for number, node in enumerate(self.nodes):
            start, end = number * SLOTS // 3, (number + 1) * SLOTS // 3 - 1
            eventually_now(lambda node=node: node.ask("PING").startswith(b"+PONG"))  # type: ignore[misc]
            assert node.ask("CLUSTER", "ADDSLOTSRANGE", start, end).startswith(b"+OK")
        for node in others:
            assert node.ask("CLUSTER", "MEET", "127.0.0.1", first.port).startswith(b"+OK")
        eventually_now(self.whole)


@contextmanager
def three_masters(directory: Path) -> Iterator[Cluster]:
    """A cluster, for as long as the context lasts."""
    with ExitStack() as stack:
        nodes = []
        for number in range(3):
            node = Node(directory / str(number), _free_port())
            stack.callback(node.kill)
            nodes.append(node)
        cluster = Cluster(nodes)
        cluster.join()
        yield cluster


def _free_port() -> int:
    for _ in range(100):
        port = random.randrange(20_000, 50_000)
        if _free(port) and _free(port + _BUS):
            return port
    raise OSError("no free port")


def _free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
