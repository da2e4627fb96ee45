"""The data directory: private, and used by one bot at a time."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from storage.embedded.lock_file import LockFile
from storage.errors import CannotStart, StoreProblem

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
