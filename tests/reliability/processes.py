"""Workers as processes: started, spoken to, killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process, create_subprocess_exec
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

from tests.bot.process import command, environment
from tests.support.faults import FILE, KILLED

ROOT: Final = Path(__file__).parents[2]
ENDING: Final = 60.0
"""Seconds that a bot may take to end, on a crowded machine too."""


class Died(Exception):
    """The bot died before it answered."""


class Bot:
    """One process of `tests.reliability.worker`. Requests may be under way side by side."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.born = time.time()
        # By name, for the same may be asked again before it is answered.
        self._asked: dict[str, list[asyncio.Future[dict[str, Any]]]] = {}
        self._moments: list[tuple[str, float]] = []  # what befell it, and how many seconds after it was born
        self._ready = asyncio.Event()
        self._reading = asyncio.create_task(self._read())
        self.gone = asyncio.Event()

    @classmethod
    async def start(cls, where: str, log: Path, fault: str | None = None) -> Bot:
        """A bot, which may already be dead by its fault."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **({KILLED: fault} if fault else {})}
        # By its file: as a part of `tests` it would bring hypothesis along, and take twice the time to start.
        words = (sys.executable, FILE, str(ROOT / "tests" / "reliability" / "worker.py"), where)
        with log.open("ab") as file:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=PIPE, stdout=PIPE, stderr=file, cwd=ROOT, env=environment, limit=1 << 20
            )
        return cls(process)

    async def ready(self) -> None:
        """Return once it serves.

        Raises:
            Died: it never will.
        """
        waits = [asyncio.ensure_future(self._ready.wait()), asyncio.ensure_future(self.gone.wait())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if not self._ready.is_set():
            raise Died

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            Died: there is none.
        """
        assert self._process.stdin
        if self.gone.is_set():
            raise Died
        future = asyncio.get_running_loop().create_future()
        self._asked.setdefault(request["id"], []).append(future)
        with suppress(ConnectionError):
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            await self._process.stdin.drain()
        if self.gone.is_set() and not future.done():
            raise Died
        answer: dict[str, Any] = await future
        return answer

    async def _read(self) -> None:
        assert self._process.stdout
        while line := await self._process.stdout.readline():
            answer = json.loads(line)
            if "ready" in answer:
                self._ready.set()
                self._note("ready")
            elif (waiting := self._asked.get(answer["id"])) and not (future := waiting.pop(0)).done():
                future.set_result(answer)
        self._note("silent")
        await self._process.wait()
        self._note("gone")
        self.gone.set()
        for future in chain.from_iterable(self._asked.values()):
            if not future.done():
                future.set_exception(Died())
                future.exception()

    def kill(self) -> None:
        """As `kill -9` does."""
        self._note("killed")
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)

    def _note(self, what: str) -> None:
        self._moments.append((what, round(time.time() - self.born, 1)))

    @property
    def doing(self) -> str:
        """How far it has come, for the message of a failure."""
        served = "serves" if self._ready.is_set() else "is not ready"
        return f"process {self._process.pid} {served}, answers are due to {[name for name, waiting in self._asked.items() if waiting]}, {self._moments}"

    @property
    def status(self) -> int | None:
        """The exit status; negative for a signal, None while it runs."""
        return self._process.returncode

    async def end(self) -> None:
        """Make sure that it is gone."""
        self.kill()
        async with asyncio.timeout(ENDING):
            await self._reading


# The bot itself as a process that can be killed: `python -m bot`, on a loopback platform.


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
