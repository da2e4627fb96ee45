"""Drives a program that speaks the protocol. The program is not trusted: neither to answer nor to play legally."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final

from engine.wire.protocol import MAX_LINE, PROTOCOL
from rules.core import AnyGame, Position, RulesError

GREETING: Final = 10.0  # seconds that a program has to start and to answer `klop`
GRACE: Final = 2.0  # seconds beyond its time until `stop`, and again until it is killed
MOST_LINES: Final = 100_000  # lines that it may write before its answer


_LAUNCHER: Final = (
    (sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py")))
    if sys.platform == "linux"
    else ()
)
"""The command of the launcher; empty where there is none: then a program is ended with its process group."""


class EngineTimeout(Exception):
    """The program did not answer in time. It has been killed."""


class ProtocolViolation(Exception):
    """The program broke the protocol, ended, or answered with an illegal turn. It has been killed."""


class EngineClient:
    """One program, started when it is first needed, and again after it was killed."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command: Final = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._lock: Final = asyncio.Lock()
        self.games: frozenset[str] = frozenset()

    async def turn(
        self,
        game: AnyGame,
        options: Mapping[str, str],
        position: Position[object],
        *,
        seconds: float,
        seed: int = 0,
    ) -> tuple[str, ...]:
        """Return a whole legal turn as canonical plies, for which the program may think so many seconds.

        Raises EngineTimeout or ProtocolViolation.
        """
        async with self._lock, AsyncExitStack() as otherwise:
            otherwise.push_async_callback(self.close)
            try:
                turn = await self._turn(game, options, position, seconds, seed)
            except TimeoutError:
                raise EngineTimeout(f"{self._command[0]}: no answer in time") from None
            except asyncio.IncompleteReadError:
                raise ProtocolViolation(f"{self._command[0]} has ended by itself") from None
            except (OSError, ValueError, asyncio.LimitOverrunError) as broken:
                raise ProtocolViolation(f"{self._command[0]}: {broken}") from broken
            otherwise.pop_all()
            return turn

    async def close(self) -> None:
        """End the program and all that it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            process.stdin.close()
        if _LAUNCHER:
            with suppress(ProcessLookupError):
                process.terminate()
            await _ended(process)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            process.kill()
        await _ended(process)
        # Else the collector closes it, perhaps after its loop has ended.
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001

    async def _turn(
        self, game: AnyGame, options: Mapping[str, str], position: Position[object], seconds: float, seed: int
    ) -> tuple[str, ...]:
        await self._started()
        if game.key not in self.games:
            raise ProtocolViolation(f"{self._command[0]} does not play {game.key}")
        chosen = "".join(f" {key}={value}" for key, value in options.items())
        async with asyncio.timeout(GREETING):
            await self._ask(f"newgame {game.key}{chosen}")
            await self._ask(f"position at {game.notation.format_position(position)}")
        await self._send(f"go movetime {max(1, round(seconds * 1000))} seed {seed}")
        try:
            async with asyncio.timeout(seconds + GRACE):
                answer = await self._best_move()
        except TimeoutError:
            await self._send("stop")
            async with asyncio.timeout(GRACE):
                answer = await self._best_move()
        return whole_turn(game, position, answer)

    async def _started(self) -> None:
        if self._process is not None and self._process.returncode is None:
            return
        await self.close()
        path = os.environ.get("PATH", "")
        if shutil.which(self._command[0], path=path) is None:
            raise ProtocolViolation(f"{self._command[0]}: there is no such program")
        self._process = await asyncio.create_subprocess_exec(
            *(*_LAUNCHER, str(os.getpid()), *self._command) if _LAUNCHER else self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=MAX_LINE,
            start_new_session=True,
            env={"PATH": path},  # without the bot's secrets
        )
        async with asyncio.timeout(GREETING):
            lines = await self._ask("klop")
        if f"protocol {PROTOCOL}" not in lines:
            raise ProtocolViolation(f"{self._command[0]} speaks another protocol")
        self.games = frozenset(line.removeprefix("game ") for line in lines if line.startswith("game "))

    async def _ask(self, line: str) -> list[str]:
        await self._send(line)
        lines = [await self._line()]
        while lines[-1] != "ok":
            if len(lines) > MOST_LINES:
                raise ProtocolViolation(f"{self._command[0]} does not come to an end")
            lines.append(await self._line())
        return lines

    async def _best_move(self) -> str:
        for _ in range(MOST_LINES):
            if (line := await self._line()).startswith("bestmove "):
                return line.removeprefix("bestmove ")
        raise ProtocolViolation(f"{self._command[0]} does not come to an end")

    async def _line(self) -> str:
        assert self._process is not None, "started"  # noqa: S101
        assert self._process.stdout is not None, "piped"  # noqa: S101
        line = (await self._process.stdout.readuntil(b"\n")).decode("utf-8", "replace").strip()
        if line.startswith("error"):
            raise ProtocolViolation(f"{self._command[0]}: {line[:200]}")
        return line

    async def _send(self, line: str) -> None:
        assert self._process is not None, "started"  # noqa: S101
        assert self._process.stdin is not None, "piped"  # noqa: S101
        self._process.stdin.write(f"{line}\n".encode())
        await self._process.stdin.drain()


async def _ended(process: asyncio.subprocess.Process) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(GRACE):
            # Unread output would keep its end of the pipe open here.
            while process.stdout and await process.stdout.read(MAX_LINE):
                pass
            await process.wait()


def whole_turn(game: AnyGame, position: Position[object], answer: str) -> tuple[str, ...]:
    """Return the canonical plies of an answer, or raise ProtocolViolation unless they are one whole legal turn."""
    here, texts = position, []
    try:
        for part in filter(None, (part.strip() for part in answer.split(";"))):
            for move in game.notation.parse(part, here):
                texts.append(game.notation.format(move))
                if here.outcome is not None or here.to_move != position.to_move:
                    raise ProtocolViolation(f"more than a turn: {answer[:100]}")
                here = here.play(move)
    except RulesError as refused:
        raise ProtocolViolation(f"illegal: {answer[:100]}") from refused
    owes = here.outcome is None and here.to_move == position.to_move and len(texts) < position.plies_left
    if owes or not texts:
        raise ProtocolViolation(f"less than a turn: {answer[:100]}")
    return tuple(texts)
