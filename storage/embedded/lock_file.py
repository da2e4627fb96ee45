"""Lock files: held by a process, released by the kernel when it ends, even by kill -9."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self


class LockFile:
    """A file that one process at a time has locked, with that process's id inside.

    The lock belongs to the open file: a child that inherits `descriptor` holds it too.
    """

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Lock it, unless another process has; return whether it is locked now.

        Raises:
            OSError: the file system has no locks.
        """
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

    def close(self) -> None:
        """Close it in this process; the lock lasts until all that inherited it have closed it."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
