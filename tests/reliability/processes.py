"""The bot as a process that can be killed: `python -m bot`, on a loopback platform."""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import DEVNULL, Process, create_subprocess_exec
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.bot.process import command, environment
from tests.support.faults import FILE, KILLED

ENDING: Final = 60.0
"""Seconds that a bot may take to end, on a crowded machine too."""


class BotDied(Exception):
    """The bot died before it did what it was waited for."""


class BotProcess:
    """One run of the bot, perhaps with a point at which it kills itself."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.gone = asyncio.Event()
        self._waiting = asyncio.create_task(self._wait())

    @classmethod
    async def start(
        cls,
        data: Path,
        log: Path,
        settings: Mapping[str, str],
        fault: str | None = None,
        program: Sequence[str] = (),
    ) -> BotProcess:
        """Start it; its log is appended to a file. A program may be run in place of `-m bot`."""
        given = {**settings, **({KILLED: fault} if fault else {})}
        program = program or ((FILE,) if fault else ())
        with log.open("ab") as file:
            process = await create_subprocess_exec(
                *_command(data, program), stdin=DEVNULL, stdout=DEVNULL, stderr=file, cwd=log.parent,
                env=environment(**given),
            )  # fmt: skip
        return cls(process)

    async def _wait(self) -> None:
        await self._process.wait()
        self.gone.set()

    @property
    def number(self) -> int:
        """The system's number of the process."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """The exit status; negative for a signal, None while it runs."""
        return self._process.returncode

    def kill(self) -> None:
        """As `kill -9` does."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def end(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal, and wait until it is gone."""
        with suppress(ProcessLookupError):
            self._process.send_signal(how)
        await asyncio.wait_for(self._waiting, ENDING)


def _command(data: Path, program: Sequence[str]) -> list[str]:
    python, _, _, *arguments = command(data)
    return [python, *program, *arguments] if program else command(data)
