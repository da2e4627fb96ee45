"""Redis servers of tests: one, a cluster, a master with Sentinels."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from subprocess import Popen

from storage.embedded import command
from storage.embedded.server import find_server
from tests.support.waiting import eventually_now

# Redis servers of tests: each in a directory of its test, killed and started again as the test wants.


_BUS = 10_000  # a node of a cluster talks to the others on its port plus this


@cache
def program() -> Path:
    """Return the server's program, which is looked for once."""
    return find_server()


class Ended(Exception):
    """The server ended before it answered; the text is the end of its log."""


class Server:
    """A server set up as the embedded one is, on a unix socket and perhaps on a port of loopback.

    Args:
        directory: Where its data and its log are.
        settings: Over the usual ones.
        socket: Its unix socket; `s` in the directory by default.
    """

    port = 0

    def __init__(
        self, directory: Path, settings: Mapping[str, str] | None = None, socket: Path | None = None
    ) -> None:
        self.directory = directory
        self.socket = socket or directory / "s"
        self.settings = dict(settings or {})
        self.process: Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and return when it answers.

        Raises:
            Ended: it never will.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        with (self.directory / "log").open("ab") as log:
            self.process = process = Popen(self.words(), cwd=self.directory, stdout=log, stderr=log)
        eventually_now(
            lambda: self.ask("PING").startswith(b"+PONG") or process.poll() is not None, said=self.log
        )
        if process.poll() is not None:
            raise Ended(self.log())

    def words(self) -> list[str]:
        """Return the command that starts it."""
        return command(program(), self.socket, self.settings)

    def log(self) -> str:
        """Return the end of what it has written."""
        return (self.directory / "log").read_text(errors="replace")[-3000:]

    def ask(self, *words: str | int) -> bytes:
        """Return the reply to a command as it stands on the wire; nothing if there is none."""
        family, address = (
            (socket.AF_INET, ("127.0.0.1", self.port)) if self.port else (socket.AF_UNIX, str(self.socket))
        )
        try:
            with socket.socket(family) as line:
                line.settimeout(10)
                line.connect(address)
                line.sendall(" ".join(map(str, words)).encode() + b"\r\n")
                return line.recv(1 << 16)
        except OSError:
            return b""

    def signal(self, number: int) -> None:
        """Send its process a signal."""
        assert self.process
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it as `kill -9` does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Node(Server):
    """A server on a free port of loopback: of a cluster, or one with replicas."""

    def start(self) -> None:
        """Start it; on another port if the first is taken before the server has it."""
        for _ in range(5):
            self.port = self.port or free_port()
            self.settings |= {"port": str(self.port), "bind": "127.0.0.1"}
            try:
                return super().start()
            except Ended:
                if "Address already in use" not in self.log():
                    raise
                self.port = 0
        raise Ended(self.log())


class SentinelNode(Node):
    """A Sentinel that watches a master, under the name `klop`, with two others."""

    def __init__(self, directory: Path, master: Node) -> None:
        super().__init__(directory)
        self._master = master

    def words(self) -> list[str]:
        """Return the command that starts it; it keeps what it learns in its file."""
        config = self.directory / "sentinel.conf"
        config.write_text(
            f"port {self.port}\nbind 127.0.0.1\nsentinel monitor klop 127.0.0.1 {self._master.port} 2\n"
            "sentinel down-after-milliseconds klop 1500\nsentinel failover-timeout klop 2500\n"
        )
        return [str(program()), str(config), "--sentinel"]


@contextmanager
def redis_server(directory: Path, **settings: str) -> Iterator[Path]:
    """The unix socket of a server for as long as the context lasts. It does not wait for the disk: the machine does not fail in a test."""
    server = Server(directory, {"appendfsync": "no", **settings})
    try:
        server.start()
        yield server.socket
    finally:
        server.kill()


def free_port() -> int:
    """Return a port of this machine that nothing listens on; also the one that a cluster's node adds to it.

    Both are below the ports from which Linux takes those of outgoing connections (32 768 and up): one of these could hold the
    port while a server starts again, and a client that retries could even connect to itself.
    """
    for _ in range(100):
        port = random.randrange(10_000, 22_000)
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


# Servers of which one can take over from another, on loopback: a cluster, and a master with Sentinels.


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
