"""Lock files: held by a process, let go by the kernel when it ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType


class LockFile:
    """A file that one process at a time has locked, with its process id inside.

    The lock belongs to the open file: a child that inherits `descriptor` holds it too.
    """

    def __init__(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Lock it, unless another has it; whether it is locked now.

        Raises:
            OSError: the file system has no locks.
        """
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def sign(self, pid: int | None) -> None:
        """Write into the file who has it."""
        os.ftruncate(self.descriptor, 0)
        if pid is not None:
            os.pwrite(self.descriptor, str(pid).encode(), 0)

    def signed(self) -> int | None:
        """Who has it, by what is written there."""
        text = os.pread(self.descriptor, 20, 0)
        return int(text) if text.isdigit() else None

    def close(self) -> None:
        """Let it go, as far as this process is concerned."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
