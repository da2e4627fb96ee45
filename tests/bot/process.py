"""The bot as a process of its own, spoken to through a pipe or a terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from types import TracebackType
from typing import Final, Self

from bot.chat.i18n.catalogue import ROOT
from tests.stories.script import Presses, Says, Story

PATIENCE: Final = 60.0
"""Seconds that anything may take on a busy machine before a test gives up."""

_CODE: Final = re.compile(r"(?<=#)[a-z0-9]{6}\b|(?<=-)[a-z0-9]{6}(?=\.gif\b)")
_SAID: Final = re.compile(r"\w+: ")
_DROPPED: Final = frozenset(
    # The last would have each process compile all of the bot anew, which takes as long as the rest of its start.
    {"REDIS_URL", "DISCORD_TOKEN", "TELEGRAM_TOKEN", "PYTHONDONTWRITEBYTECODE"}
)


def environment(**settings: str) -> dict[str, str]:
    """Return the environment without Klop's settings, in which a bot starts as it does for operators."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("KLOP_") and name not in _DROPPED
    }
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **settings}


def command(data: Path, *arguments: str) -> list[str]:
    """How the bot is started."""
    return [sys.executable, "-m", "bot", "--data", str(data), *arguments]


def run(
    data: Path,
    typed: str | bytes,
    *arguments: str,
    settings: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> subprocess.CompletedProcess[str]:
    """A whole evening: everything is typed at once, and the bot ends with it."""
    data.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        command(data, *arguments),
        input=typed.encode() if isinstance(typed, str) else typed,
        capture_output=True,
        cwd=data.parent,
        env=environment(**(settings or {})),
        timeout=PATIENCE,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)
    )


class Bot:
    """A bot that stays, and is spoken to line by line."""

    def __init__(self, data: Path, *arguments: str, settings: Mapping[str, str] | None = None) -> None:
        self.data = data
        data.parent.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            command(data, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=data.parent,
            env=environment(**(settings or {})),
        )
        self._lines: Queue[str | None] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8").rstrip("\n"))
        self._lines.put(None)

    def say(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def until(self, part: str) -> list[str]:
        """What is printed up to and including a line with that in it."""
        seen: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"no one said {part!r}: {seen}") from None
            if line is None:
                raise AssertionError(f"the bot ended before it said {part!r}: {seen}")
            seen.append(line)
            if part in line:
                return seen

    def end(self, how: signal.Signals) -> tuple[int, str, str]:
        """Send a signal; the exit status, and what was printed meanwhile on each stream."""
        self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.process.stderr
        printed = []
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            printed.append(line)
        return status, "\n".join(printed), self.process.stderr.read().decode("utf-8")

    @property
    def server(self) -> int:
        """The process id of the server it started."""
        return int((self.data / "server.lock").read_text())


def typed(story: Story) -> str:
    """A story as it is typed in a local room."""
    lines = []
    for step, _ in story.steps:
        assert isinstance(step, Says | Presses)
        lines.append(f"{step.who}: {step.text if isinstance(step, Says) else step.number}")
    return "\n".join(lines)


def answers(printed: str) -> Sequence[str]:
    """What the bot said, without what it repeats, with every code alike."""
    return [_CODE.sub("xxxxxx", line) for line in printed.splitlines() if line and not _SAID.match(line)]
