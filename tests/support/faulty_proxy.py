"""A proxy on loopback that does to a line what networks do."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

PIECE: Final = 1 << 20


class Ill(StrEnum):
    """What befalls a question, or its answer."""

    LATENCY = "latency"  # it takes its time; sometimes longer than anybody waits, and arrives all the same
    CUT_BEFORE = "cut before the request"
    CUT_AFTER = "cut after execution"
    CUT_IN_REPLY = "cut in the reply"
    SLICES = "1-byte slices"
    BLACK_HOLE = "black hole"  # nothing comes back, and nothing says so


SHARES: Final = {
    Ill.LATENCY: 0.5,
    Ill.CUT_BEFORE: 0.1,
    Ill.CUT_AFTER: 0.1,
    Ill.CUT_IN_REPLY: 0.1,
    Ill.SLICES: 1.0,
    Ill.BLACK_HOLE: 0.05,
}
"""How many questions of all it befalls."""

_LATE: Final = 0.04  # of those with latency: how many come later than anybody waits
_LONG: Final = 1.2  # seconds


class FaultProxy:
    """Passes questions on to a server on a unix socket, and answers back, as far as the ill lets it.

    A question is what the client sends in one piece: it never sends the next before it has the answer.

    Attributes:
        port: On 127.0.0.1.
        questions: How many have come.
        befallen: How many of them it did something to.
    """

    def __init__(self, server: Path, ill: Ill, seed: int) -> None:
        self.port = 0
        self.questions = 0
        self.befallen = 0
        self._server = server
        self._ill = ill
        self._luck = random.Random(seed)
        self._talks: set[asyncio.Task[None]] = set()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it goes, or is cut off."""
        task = asyncio.current_task()
        assert task
        self._talks.add(task)
        task.add_done_callback(self._talks.discard)
        line: socket.socket = writer.get_extra_info("socket")
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        theirs, ours = await asyncio.open_unix_connection(self._server, limit=PIECE)
        try:
            # Cancelled is what `hang_up` does; the stream's own callback would log it as an error.
            with suppress(ConnectionError, asyncio.CancelledError):
                while question := await reader.read(PIECE):
                    if not await self._treated(question, theirs, ours, writer):
                        break
        finally:
            ours.close()
            writer.close()

    async def _treated(
        self,
        question: bytes,
        theirs: asyncio.StreamReader,
        ours: asyncio.StreamWriter,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Pass a question on and its answer back; whether the line holds."""
        self.questions += 1
        if self._luck.random() >= SHARES[self._ill]:
            ours.write(question)
            writer.write(await theirs.read(PIECE))
            return True
        self.befallen += 1
        match self._ill:
            case Ill.LATENCY:
                await asyncio.sleep(_LONG if self._luck.random() < _LATE else self._luck.uniform(0, 0.02))
                ours.write(question)
                writer.write(await theirs.read(PIECE))
            case Ill.CUT_BEFORE:
                return False
            case Ill.CUT_AFTER:
                ours.write(question)
                await theirs.read(PIECE)
                return False
            case Ill.CUT_IN_REPLY:
                ours.write(question)
                answer = await theirs.read(PIECE)
                writer.write(answer[: self._luck.randrange(len(answer))])
                await writer.drain()
                return False
            case Ill.SLICES:
                await _sliced(ours, question)
                await _sliced(writer, await theirs.read(PIECE))
            case Ill.BLACK_HOLE:
                await asyncio.sleep(_LONG * 3)
                return False
        return True

    async def hang_up(self) -> None:
        """Cut off everybody."""
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)


async def _sliced(writer: asyncio.StreamWriter, said: bytes) -> None:
    for at in range(len(said)):
        writer.write(said[at : at + 1])
        await writer.drain()
        await asyncio.sleep(0)


@asynccontextmanager
async def faulty(server: Path, ill: Ill, seed: int) -> AsyncIterator[FaultProxy]:
    """A proxy, for as long as the context lasts."""
    proxy = FaultProxy(server, ill, seed)
    listener = await asyncio.start_server(proxy.talk, "127.0.0.1", 0)
    proxy.port = listener.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listener.close()
        await proxy.hang_up()
        await listener.wait_closed()
