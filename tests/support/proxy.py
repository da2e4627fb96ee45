"""Proxies between a client and a server on a unix socket, which lose what tests have them lose."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

_PIECE: Final = 1 << 20


async def _nothing() -> None:
    """What happens in the meantime, unless a test has plans."""


class Proxy:
    """A proxy for questions that are sent in one piece, one after another on each connection.

    Attributes:
        path: The socket that the client connects to.
        questions: How many have come.
        lose_questions: How many of the next are cut off before the server sees them.
        lose_answers: How many of the next are carried out, their answers lost with the connection.
        delay_questions: How many of the next reach the server only when `deliver` is called; the client is cut off.
        replies: Answers to the next questions, which the server never sees.
        deaf: Whether questions are swallowed without a word.
        meanwhile: Awaited after each loss, before the client notices.
        connections: How many clients have connected so far.
    """

    def __init__(self, server: Path, path: Path = Path()) -> None:
        self.path = path
        self.questions = 0
        self.lose_questions = 0
        self.lose_answers = 0
        self.delay_questions = 0
        self.replies: deque[bytes] = deque()
        self.deaf = False
        self.meanwhile: Callable[[], Awaitable[None]] = _nothing
        self.connections = 0
        self._server = server
        self._delayed: list[bytes] = []
        self._talks: set[asyncio.Task[None]] = set()

    async def deliver(self) -> list[bytes]:
        """Send the server what was delayed; return its replies, which no task waits for."""
        return [await self._answer(question) for question in self._delayed]

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it goes, or is cut off."""
        self.connections += 1
        task = asyncio.current_task()
        assert task
        self._talks.add(task)
        task.add_done_callback(self._talks.discard)
        try:
            # Cancelled is what `hang_up` does; the stream's own callback would log it as an error.
            with suppress(ConnectionError, asyncio.CancelledError):
                while question := await reader.read(_PIECE):
                    self.questions += 1
                    answer = await self._treat(question, writer)
                    if answer is None:
                        await self.meanwhile()
                        return
                    writer.write(answer)
        finally:
            writer.close()

    async def _treat(self, question: bytes, writer: asyncio.StreamWriter) -> bytes | None:
        """The answer to pass on; None to hang up."""
        if self.deaf:
            return b""
        if self.replies:
            return self.replies.popleft()
        if self.lose_questions:
            self.lose_questions -= 1
            return None
        if self.delay_questions:
            self.delay_questions -= 1
            self._delayed.append(question)
            return None
        answer = await self._answer(question)
        if self.lose_answers:
            self.lose_answers -= 1
            return None
        return answer

    async def _answer(self, question: bytes, *, sliced: bool = False) -> bytes:
        reader, writer = await asyncio.open_unix_connection(self._server, limit=_PIECE)
        try:
            await _written(writer, question, sliced=sliced)
            return await reader.read(_PIECE)
        finally:
            writer.close()

    async def hang_up(self) -> None:
        """Cut off every client."""
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)


@asynccontextmanager
async def proxied(path: Path, server: Path) -> AsyncIterator[Proxy]:
    """A proxy at `path`, for as long as the context lasts."""
    proxy = Proxy(server, path)
    listener = await asyncio.start_unix_server(proxy.talk, path)
    try:
        yield proxy
    finally:
        await proxy.hang_up()
        listener.close()
        await listener.wait_closed()


class Ill(StrEnum):
    """What befalls a question, or its answer."""

    LATENCY = "latency"  # it takes its time; sometimes longer than a client waits, and arrives all the same
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

_LATE: Final = 0.04  # of those with latency: how many come later than a client waits
_LONG: Final = 1.2  # seconds


class FaultProxy(Proxy):
    """A proxy on a port of loopback that does to a line at random what networks do.

    Attributes:
        port: On 127.0.0.1.
        befallen: How many questions it did something to.
    """

    def __init__(self, server: Path, ill: Ill, seed: int) -> None:
        super().__init__(server)
        self.port = 0
        self.befallen = 0
        self._ill = ill
        self._luck = random.Random(seed)

    async def _treat(self, question: bytes, writer: asyncio.StreamWriter) -> bytes | None:
        if self._luck.random() >= SHARES[self._ill]:
            return await self._answer(question)
        self.befallen += 1
        answer: bytes | None = None  # hang up
        match self._ill:
            case Ill.LATENCY:
                await asyncio.sleep(_LONG if self._luck.random() < _LATE else self._luck.uniform(0, 0.02))
                answer = await self._answer(question)
            case Ill.CUT_AFTER:
                await self._answer(question)
            case Ill.CUT_IN_REPLY:
                whole = await self._answer(question)
                await _written(writer, whole[: self._luck.randrange(len(whole))])
            case Ill.SLICES:
                await _written(writer, await self._answer(question, sliced=True), sliced=True)
                answer = b""
            case Ill.BLACK_HOLE:
                await asyncio.sleep(_LONG * 3)
            case Ill.CUT_BEFORE:
                pass
        return answer


async def _written(writer: asyncio.StreamWriter, said: bytes, *, sliced: bool = False) -> None:
    """Send bytes: in one piece, or each by itself."""
    for piece in (said[at : at + 1] for at in range(len(said))) if sliced else (said,):
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)


@asynccontextmanager
async def faulty(server: Path, ill: Ill, seed: int) -> AsyncIterator[FaultProxy]:
    """A proxy with a fault, for as long as the context lasts."""
    proxy = FaultProxy(server, ill, seed)
    listener = await asyncio.start_server(proxy.talk, "127.0.0.1", 0)
    proxy.port = listener.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listener.close()
        await proxy.hang_up()
        await listener.wait_closed()
