"""The loop that the receiver and the sender share: read a stream, acknowledge what is finished, wait for more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Generic, NoReturn

from bot.sender.backoff import Sleep, delay
from play.errors import Unavailable
from storage.streams import E, Stream

IDLE: Final = 0.2  # seconds between looks at a stream that had nothing

SOON: Final = 1.0
"""Seconds at most until a stream is asked again that did not answer: else another process takes over."""


class StreamReader(Generic[E]):
    """Keeps which entries of a stream are held, and which are finished.

    Attributes:
        held: What is read and not acknowledged, by entry.
        finished: What is to be acknowledged.
    """

    def __init__(self, stream: Stream[E], sleep: Sleep) -> None:
        self.held: dict[str, E] = {}
        self.finished: list[E] = []
        self._stream = stream
        self._sleep = sleep
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """End the present or the next pause."""
        self._wake.set()

    def finish(self, entry: E) -> None:
        """Have an entry acknowledged in the next round."""
        self.held[entry.entry] = entry
        self.finished.append(entry)
        self.wake()

    async def run(self, a_round: Callable[[], Awaitable[bool]]) -> NoReturn:
        """Call rounds until cancelled, with pauses after those that return that there was nothing to do."""
        tries = 0
        while True:
            try:
                found = await a_round()
                tries = 0
            except Unavailable:
                tries += 1
                await self._sleep(min(delay(tries), SOON))
                continue
            if not found:
                await self.pause()

    async def read(self, limit: int) -> Sequence[E]:
        """Delete from the stream what is finished, and return up to `limit` new entries.

        What is finished from now on ends the next pause.

        Raises:
            Unavailable: the stream does not answer; all of it is tried again in the next round.
        """
        self._wake.clear()
        done, self.finished = self.finished, []
        try:
            found = await self._stream.read(limit, done)
        except BaseException:
            self.finished[:0] = done
            raise
        for each in done:
            self.held.pop(each.entry, None)
        return found

    async def pause(self) -> None:
        """Wait for something to do: a new entry of this process, one that is finished, the time for another look."""
        waits = [asyncio.ensure_future(self._stream.wait(IDLE)), asyncio.ensure_future(self._wake.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def close(self) -> None:
        """Leave what is not finished to the next reader."""
        done = tuple(self.finished)
        self.held.clear()
        self.finished.clear()
        with suppress(Unavailable):
            await self._stream.done(done)
        with suppress(Unavailable):
            await self._stream.close()
