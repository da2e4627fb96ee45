"""Becomes a server that ends with the bot: `python server_exec.py <lock's descriptor> <bot's pid> <program> <arguments>`.

It runs between fork and exec, where the bot itself must run no Python. It writes its process id into the lock file that it
inherits: the lock is held for as long as the server runs, also if the bot has ended. On Linux it also asks the kernel for
SIGTERM when the bot ends, even by kill -9; elsewhere the next bot stops it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(lock: int, parent: int, program: list[str]) -> None:
    """Write the process id into the lock, tie the process to its parent, and become the program."""
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() == parent:  # else the parent ended before the kernel knew
        os.execv(program[0], program)  # noqa: S606 - no shell is the point


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
