"""Redis servers of tests: each in a directory of its test, killed and started again as the test wants."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from subprocess import Popen

from storage.embedded import command
from storage.embedded.server import find_server
from tests.support.waiting import eventually_now

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
