"""The processes that use a data directory: each holds a lock file there, which shows the next one whether it has ended.

The kernel releases the lock when the process ends, even by kill -9. Process ids say less: they come again, and in a container
they are always the same.
"""

from __future__ import annotations

import logging
import platform
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Final

from storage.embedded.lock_file import LockFile

DIRECTORY: Final = "processes"

_NEW: Final = ".new"  # of a file that is not locked yet
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_log: Final = logging.getLogger(__name__)


def _new_name() -> str:
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class Process:
    """A process, as its readers of streams name it.

    Attributes:
        name: Its own name, never given twice.
        ended: Names of processes that have ended and may have left streams behind.
    """

    name: str = field(default_factory=_new_name)
    ended: frozenset[str] = frozenset()


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
    process = Process(f"{machine}-{_new_name()}", frozenset(ended))
    own = folder / process.name
    new = own.with_suffix(_NEW)
    lock = stack.enter_context(LockFile(new))
    lock.take()
    new.rename(own)
    stack.callback(own.unlink, missing_ok=True)
    return process


def _machine() -> str:
    """Return what stands for this machine since it was booted."""
    try:
        known = _BOOT_ID.read_text()
    except OSError:
        known = platform.node()
    return blake2b(known.encode(), digest_size=8).hexdigest()
