"""The loop that the receiver and the sender share: read a stream, acknowledge what is finished, wait for more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Generic, NoReturn

from bot.chat.periodic import Sleep, delay
from play.errors import Unavailable
from storage.ports import E, Stream, reason_of

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
        self._failed: dict[str, str] = {}  # by entry: why it is to be set aside
        self._stream = stream
        self._sleep = sleep

    def wake(self) -> None:
        """End the present or the next pause."""
        self._stream.wake()

    def finish(self, entry: E) -> None:
        """Have an entry acknowledged in the next round."""
        self.held[entry.entry] = entry
        self.finished.append(entry)
        self.wake()

    def fail(self, entry: E, error: Exception) -> None:
        """Have an entry set aside where it would be acknowledged: it was tried often enough."""
        self._failed[entry.entry] = reason_of(error)

    async def run(self, a_round: Callable[[], Awaitable[None]]) -> NoReturn:
        """Call rounds, which read all that waits, with pauses between until cancelled."""
        tries = 0
        while True:
            try:
                await a_round()
                tries = 0
            except Unavailable:
                tries += 1
                await self._sleep(min(delay(tries), SOON))
            else:
                await self.pause()

    async def read(self, limit: int) -> Sequence[E]:
        """Delete from the stream what is finished, and return up to `limit` new entries.

        What is finished from now on ends the next pause.

        Raises:
            Unavailable: the stream does not answer; all of it is tried again in the next round.
        """
        done, self.finished = self.finished, []
        try:
            handled = await self._handled(done)
            found = await self._stream.read(limit, handled)
        except BaseException:
            self.finished[:0] = done
            raise
        for each in done:
            self.held.pop(each.entry, None)
            self._failed.pop(each.entry, None)
        return found

    async def _handled(self, finished: Sequence[E]) -> Sequence[E]:
        """Set aside what failed of some entries; return the others."""
        for each in finished:
            if each.entry in self._failed:
                await self._stream.set_aside(each, self._failed[each.entry])
        return [each for each in finished if each.entry not in self._failed]

    async def pause(self) -> None:
        """Wait for something to do: a new entry of this process, one that is finished, the time for another look."""
        await self._stream.wait(IDLE)

    async def close(self) -> None:
        """Leave what is not finished to the next reader."""
        finished = tuple(self.finished)
        self.held.clear()
        self.finished.clear()
        with suppress(Unavailable):
            await self._stream.done(await self._handled(finished))
        self._failed.clear()
        with suppress(Unavailable):
            await self._stream.close()
