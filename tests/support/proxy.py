"""Stands between a client and a server on unix sockets, and loses what it is told to lose."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path


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
    """

    def __init__(self, path: Path, server: Path) -> None:
        self.path = path
        self.questions = 0
        self.lose_questions = 0
        self.lose_answers = 0
        self.delay_questions = 0
        self.replies: deque[bytes] = deque()
        self.deaf = False
        self.meanwhile: Callable[[], Awaitable[None]] = _nothing
        self._server = server
        self._delayed: list[bytes] = []
        self._writers: list[asyncio.StreamWriter] = []

    async def deliver(self) -> list[bytes]:
        """Send the server what was delayed; return its replies, which no task waits for."""
        return [await self._answer(question) for question in self._delayed]

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        try:
            while question := await reader.read(1 << 20):
                self.questions += 1
                answer = await self._treat(question)
                if answer is None:
                    await self.meanwhile()
                    return
                writer.write(answer)
        finally:
            writer.close()

    async def _treat(self, question: bytes) -> bytes | None:
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

    async def _answer(self, question: bytes) -> bytes:
        reader, writer = await asyncio.open_unix_connection(self._server)
        try:
            writer.write(question)
            return await reader.read(1 << 20)
        finally:
            writer.close()

    @property
    def connections(self) -> int:
        """How many clients have connected so far."""
        return len(self._writers)

    def hang_up(self) -> None:
        """Cut off everybody."""
        for writer in self._writers:
            writer.close()


@asynccontextmanager
async def proxied(path: Path, server: Path) -> AsyncIterator[Proxy]:
    """A proxy at `path`, for as long as the context lasts."""
    proxy = Proxy(path, server)
    listener = await asyncio.start_unix_server(proxy.talk, path)
    try:
        yield proxy
    finally:
        proxy.hang_up()
        listener.close()
        await listener.wait_closed()
