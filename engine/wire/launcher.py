"""Runs an engine program so that nothing it starts outlives it: `python launcher.py <client's pid> <program> <arguments>`.

Linux alone. The launcher is the parent of every process that the program leaves behind, also of a process in a session of its own
(PR_SET_CHILD_SUBREAPER), and ends all of it when the program ends, at SIGTERM, or when the kernel reports that the client has
ended (PR_SET_PDEATHSIG), even by kill -9. The program has the launcher's standard streams, and `PATH` alone in its environment.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_CHILD_SUBREAPER = 36

_STATUS = 127  # of a program that cannot be started, as in a shell


class _Terminated(BaseException):
    """The launcher is told to end."""


def main(client: int, program: list[str]) -> None:
    """Run the program, and end all that it has started."""
    signal.signal(signal.SIGTERM, _terminate)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        if os.getppid() != client:  # it ended before the kernel knew
            return
        child = os.fork()
        if child == 0:
            _become(program)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)  # else the program's end would close no pipe
        os.dup2(nothing, 1)
        while os.wait()[0] != child:
            pass
    except _Terminated:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end_all()


def _terminate(_number: int, _frame: object) -> NoReturn:
    raise _Terminated


def _become(program: list[str]) -> NoReturn:
    try:
        for number in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores the last two
            signal.signal(number, signal.SIG_DFL)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execvpe(program[0], program, {"PATH": os.environ.get("PATH", "")})  # noqa: S606 - no shell is the point
    finally:
        os._exit(_STATUS)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _end_all() -> None:
    """Kill all descendants, until none is left: those of a killed process become children of this one."""
    while True:
        for pid in _descendants():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def _descendants() -> set[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                # The name before the last bracket may hold anything; after it come the state and the parent.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found, before = {os.getpid()}, 0
    while len(found) > before:
        before = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return found - {os.getpid()}


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
