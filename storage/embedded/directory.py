"""The data directory: private, used by one bot at a time, with a lock file of each process that uses it.

The kernel releases a lock when its process ends, even by kill -9. Process ids say less: they come again, and in a container
they are always the same.
"""

from __future__ import annotations

import fcntl
import logging
import os
import platform
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Final, Self

from storage.errors import CannotStart, StoreProblem


class LockFile:
    """A file that one process at a time has locked, with that process's id inside.

    The lock belongs to the open file: a child that inherits `descriptor` holds it too.
    """

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Lock it, unless another process has; return whether it is locked now."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def sign(self, pid: int | None) -> None:
        """Write the holder's process id into the file."""
        os.ftruncate(self.descriptor, 0)
        if pid is not None:
            os.pwrite(self.descriptor, str(pid).encode(), 0)

    def signed(self) -> int | None:
        """Return the process id in the file; None if there is none."""
        text = os.pread(self.descriptor, 20, 0)
        return int(text) if text.isdigit() else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)  # the lock lasts until all that inherited it have closed it


LOCK: Final = "lock"
SOCKET: Final = "redis.sock"

SOCKET_PATH_LIMIT: Final = 100
"""Bytes. A unix socket's whole path must fit into 104 on macOS, 108 on Linux, with a NUL."""

_PROBED: Final = 1 << 16  # bytes that are written to find out whether the disk is full


def holds_store(directory: Path) -> bool:
    """Return whether an embedded server has ever stored anything in a data directory."""
    return any((directory / name).exists() for name in ("appendonlydir", "appendonly.aof"))


@contextmanager
def claimed(directory: Path) -> Iterator[Path]:
    """Claim a data directory while the context lasts; it is made if need be, with mode 0700.

    Raises:
        CannotStart: it cannot be made, others may read it, or another bot uses it.
    """
    with usable(directory):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory = directory.resolve()
        _close_to_others(directory)
        lock = LockFile(directory / LOCK)
    with lock:
        with usable(directory):
            if not lock.take():
                raise CannotStart(StoreProblem.IN_USE, directory=str(directory), pid=lock.signed() or 0)
            lock.sign(os.getpid())
        yield directory


@contextmanager
def usable(directory: Path) -> Iterator[None]:
    """Make an error of the system in a data directory a `CannotStart` that has its words."""
    try:
        yield
    except OSError as error:
        raise CannotStart(
            StoreProblem.DIRECTORY, directory=str(directory), text=os.strerror(error.errno or 0)
        ) from error


def unwritable(directory: Path) -> str | None:
    """Return in the words of the system why a data directory takes no writes; None if it does."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(bytes(_PROBED))
    except OSError as error:
        return os.strerror(error.errno or 0)
    return None


def _close_to_others(directory: Path) -> None:
    """Make a directory private if it is empty or was used before; others might be a home directory, or /tmp."""
    if not directory.stat().st_mode & 0o077:
        return
    if any(directory.iterdir()) and not (directory / LOCK).exists():
        raise CannotStart(StoreProblem.NOT_PRIVATE, directory=str(directory))
    directory.chmod(0o700)


@contextmanager
def socket_path(directory: Path) -> Iterator[Path]:
    """Yield a path for the server's socket: in the data directory, or in a private temporary one if that is too long."""
    inside = directory / SOCKET
    if _fits(inside):
        yield inside
        return
    roots = [Path(tempfile.gettempdir()), Path("/tmp")]  # noqa: S108 - mkdtemp below is private
    root = next((root for root in roots if _fits(root / "klop-12345678" / SOCKET)), None)
    private = Path(tempfile.mkdtemp(prefix="klop-", dir=root))
    try:
        yield private / SOCKET
    finally:
        shutil.rmtree(private, ignore_errors=True)


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= SOCKET_PATH_LIMIT


DIRECTORY: Final = "processes"

_NEW: Final = ".new"  # of a file that is not locked yet
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Process:
    """A process, as its readers of streams name it."""

    name: str = field(default_factory=partial(secrets.token_hex, 8))  # never given twice
    ended: frozenset[str] = frozenset()  # names of processes that have ended and may have left streams behind


@contextmanager
def registered(directory: Path) -> Iterator[Process]:
    """Register this process in a data directory while the context lasts, and find those that have ended.

    Where no lock file can be written, none is found: their leases run out.
    """
    with ExitStack() as stack:
        try:
            process = _registered(directory, stack)
        except OSError as error:
            _log.info("no lock file in %s: %s", directory, error)
            process = Process()
        yield process


def _registered(directory: Path, stack: ExitStack) -> Process:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = directory / DIRECTORY
    folder.mkdir(mode=0o700, exist_ok=True)
    machine = _machine()
    ended = set()
    for path in folder.iterdir():
        if path.suffix == _NEW:
            continue
        with LockFile(path) as lock:
            if lock.take():
                path.unlink(missing_ok=True)
                # A lock of another machine, on a shared disk, may be one that cannot be seen here.
                if path.name.startswith(machine):
                    ended.add(path.name)
    process = Process(f"{machine}-{secrets.token_hex(8)}", frozenset(ended))
    own = folder / process.name
    new = own.with_suffix(_NEW)
    lock = stack.enter_context(LockFile(new))
    lock.take()
    new.rename(own)
    stack.callback(own.unlink, missing_ok=True)
    return process


def _machine() -> str:
    try:
        known = _BOOT_ID.read_text()
    except OSError:
        known = platform.node()
    return blake2b(known.encode(), digest_size=8).hexdigest()
