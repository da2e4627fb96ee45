"""A person at a real terminal: with a line editor, and without one."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from tests.bot.process import command, environment

PATIENCE = 20.0
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """The other end of a terminal that a bot runs at."""

    def __init__(self, descriptor: int, process: subprocess.Popen[bytes]) -> None:
        self._descriptor = descriptor
        self.process = process
        self._seen = b""

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def until(self, part: str) -> str:
        """What is shown up to that, since the last time."""
        end = monotonic() + PATIENCE
        while part.encode() not in self._seen:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, end - monotonic()))
            assert ready, f"never shown: {part!r} in {self._seen!r}"
            try:
                chunk = os.read(self._descriptor, 1 << 16)
            except OSError:  # Linux says so when the last one at the terminal has gone
                chunk = b""
            assert chunk, f"ended before it showed {part!r}: {self._seen!r}"
            self._seen += chunk
            if b"\x1b[6n" in chunk:  # a line editor asks where the cursor is
                os.write(self._descriptor, b"\x1b[1;1R")
        shown, _, self._seen = self._seen.partition(part.encode())
        return shown.decode("utf-8", "replace")


@contextmanager
def sitting(data: Path, *arguments: str, **settings: str) -> Iterator[Terminal]:
    data.parent.mkdir(parents=True, exist_ok=True)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    settings = {"TERM": "xterm", "COLUMNS": "80", "LINES": "40", **settings}
    with subprocess.Popen(
        command(data, *arguments),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=data.parent,
        env=environment(**settings),
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(ours, process)
        finally:
            if process.poll() is None:
                process.kill()
            os.close(ours)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "evening" / "data"


def test_a_line_at_the_prompt_is_answered(data: Path) -> None:
    with sitting(data, "--room", "lounge") as terminal:
        terminal.until("lounge>")
        terminal.type("bob: /challenge ann lgame\r")
        terminal.until("bob challenges ann: L-game")
        terminal.until("lounge>")
        terminal.type("/as ann\r")
        terminal.until("You now speak as ann.")
        terminal.until("lounge>")
        terminal.type("/quit\r")
        assert terminal.process.wait(PATIENCE) == 0
    assert "/challenge ann lgame" in (data / "history").read_text("utf-8")
    assert (data / "history").stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["control-c", "control-d"])
def test_keys_that_end_it(key: str, data: Path) -> None:
    with sitting(data) as terminal:
        terminal.until("local>")
        terminal.type(key)
        assert terminal.process.wait(PATIENCE) == 0
        assert terminal.process.returncode == 0


@pytest.mark.slow
def test_commands_are_completed(data: Path) -> None:
    with sitting(data) as terminal:
        terminal.until("local>")
        terminal.type("/chal")
        terminal.until("/challenge")
        terminal.type("\t bob break")
        terminal.until("breakthrough")
        terminal.type("\t\r")
        terminal.until("challenges bob: Breakthrough")


def test_without_a_line_editor_plain_lines_do(data: Path, tmp_path: Path) -> None:
    without = tmp_path / "without" / "prompt_toolkit"
    without.mkdir(parents=True)
    (without / "__init__.py").write_text("raise ImportError\n")
    path = os.pathsep.join((str(without.parent), environment()["PYTHONPATH"]))
    with sitting(data, PYTHONPATH=path) as terminal:
        terminal.until("local>")
        terminal.type("bob: /challenge ann lgame\n")
        terminal.until("bob challenges ann: L-game")
        terminal.until("local>")
        terminal.type("ann: 1\n")
        terminal.until("The game begins: bob")
        terminal.until("local>")
        terminal.type("\x04")
        assert terminal.process.wait(PATIENCE) == 0


@pytest.mark.slow
def test_lines_stay_within_a_narrow_terminal(data: Path) -> None:
    with sitting(data, COLUMNS="60") as terminal:
        terminal.until("local>")
        terminal.type("/rules lgame\r")
        terminal.until("Rules: L-game")
        shown = _CONTROL.sub("", terminal.until("local>")).splitlines()
        assert len([line for line in shown if line.strip()]) > 20
        assert all(len(line) <= 60 for line in shown)


@pytest.mark.slow
def test_a_history_has_a_place_without_a_server_of_our_own(tmp_path: Path, redis_server: Path) -> None:
    data = tmp_path / "evening" / "new"
    with sitting(data, REDIS_URL=f"unix://{redis_server}") as terminal:
        terminal.until("local>")
        terminal.type("/help\r")
        terminal.until("Start here")
        terminal.until("local>")
        terminal.type("\x04")
        assert terminal.process.wait(PATIENCE) == 0
    assert "/help" in (data / "history").read_text("utf-8")
