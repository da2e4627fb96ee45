"""Has the local room told what happens: after each line at once, and in between what the clock brings."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from bot.sender import Sender
from play.errors import Unavailable
from storage.outgoing import LEASE

_SOON: Final = 0.2  # seconds
_OFTEN: Final = 1.0  # seconds; a sender that is silent for longer is taken for dead


class OutboxDrain:
    """Drains the outgoing stream for a room. Only one at a time does, so that everything comes in order."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._lock = asyncio.Lock()
        self._inherits: float | None = None

    async def told(self) -> None:
        """Return once everybody has been told everything; or, when the store is out of reach, without that.

        A bot that was killed leaves what it had in hand, which others get only when it is known to be dead.
        """
        clock = asyncio.get_running_loop().time
        if self._inherits is None:
            self._inherits = clock() + LEASE + _OFTEN
        async with self._lock:
            with suppress(Unavailable):
                await self._sender.drain()
                while clock() < self._inherits and await self._sender.backlog():
                    await asyncio.sleep(_SOON)
                    await self._sender.drain()

    async def run(self) -> None:
        """Tell what happens without anybody's word, until cancelled."""
        while True:
            await self.told()
            await asyncio.sleep(_OFTEN)
