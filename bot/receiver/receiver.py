"""The receiver: accepts the updates of a platform into the inbox, reads them back and has them handled by turns."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from bot.quotas import Rate
from bot.receiver.gate import Entrance, Entry
from bot.receiver.lanes import Handling, Lanes, Rest, less
from bot.sender.backoff import Sleep, delay
from bot.sender.stream_reader import StreamReader
from play.errors import Unavailable
from storage.inbox import Inbox, Received, Update

BATCH: Final = 256  # updates read at once

MOST: Final = 20_000
"""Updates held at once, at a kilobyte or two each: the many of one person are held, so that those behind them are read.
They wait in the inbox beyond that."""

TRIES: Final = 6  # of an update while the store does not answer: half a minute, for the person waits

Handle: TypeAlias = Callable[[Update, bool], Awaitable[Rest]]
"""Handles an update. Raises `Unavailable` if the store does not answer, unless the second argument says that it is the last
try: then that is the answer."""


class Receiver:
    """Handles the updates of one platform. Any number of receivers may share one inbox; each update is handled by one."""

    def __init__(
        self,
        inbox: Inbox,
        handle: Handle,
        entrance: Entrance | None = None,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._inbox = inbox
        self._handle = handle
        self._entrance = entrance
        self._sleep = sleep
        self._lanes = Lanes()
        self._reader = StreamReader(inbox, sleep)
        self._finishing = False
        self._open: Counter[str] = Counter()  # by person: what counts for a quota and is not answered

    async def accept(self, updates: Sequence[Update]) -> None:
        """Store updates: from now on none is lost, so the platform may forget them. Those too many are dropped.

        Raises:
            Unavailable: the store does not answer; the platform delivers them again.
        """
        if kept := [update for update in updates if not self._dropped(update)]:
            await self._inbox.accept(kept)
            self._reader.wake()

    async def run(self) -> None:
        """Read and handle updates until cancelled. Those being handled then are read again by the next receiver."""
        try:
            await self._reader.run(self._round)
        finally:
            await self._lanes.close()
            self._lanes, self._open = Lanes(), Counter()  # of another run
            await self._reader.close()

    async def finish(self) -> None:
        """Read and begin nothing more, and return once what was begun is handled and answered; the rest is left to other receivers."""
        self._finishing = True
        self._lanes.drop_waiting()
        await self._lanes.settled()

    async def settled(self) -> None:
        """Return once all accepted updates are handled and answered."""
        while await self._inbox.backlog():
            await self._lanes.settled()
            await asyncio.sleep(0)

    async def _round(self) -> None:
        """Delete what is handled, and read what waits."""
        while True:
            room = 0 if self._finishing else max(0, min(BATCH, MOST - len(self._reader.held)))
            found = await self._reader.read(room)  # also with no room: it renews the lease
            for received in found:
                self._put(received)
            if not found or len(found) < room:
                return

    def _dropped(self, update: Update) -> bool:
        """Whether an update comes to nothing, as it is known without the store."""
        entrance, person = self._entrance, _person(update)
        if entrance is None or not (self._open[person] or entrance.gate.may_be_closed(person)):
            return False
        return not entrance.gate.takes(person, entrance.cost(update), self._open[person])

    def _put(self, received: Received) -> None:
        if received.entry in self._reader.held:
            return
        update = received.update
        if self._dropped(update):
            self._reader.finish(received)
            return
        person, entrance = _person(update), self._entrance
        cost = entrance.cost(update) if entrance else None
        request = Handling(person, update.chat, lambda: self._admitted(person, cost, update))
        self._reader.held[received.entry] = received
        opened = self._open
        if cost is not None:
            opened[person] += 1

        def done(done: asyncio.Future[None]) -> None:
            if cost is not None:
                less(opened, person)
            if not done.cancelled():
                self._reader.finish(received)

        request.done.add_done_callback(done)
        self._lanes.put(request)

    async def _admitted(self, person: str, cost: Rate | None, update: Update) -> Rest:
        """Handle an update, unless its person has sent too many."""
        entry = await self._entrance.gate.enter(person, cost) if self._entrance else Entry.ADMITTED
        if entry is Entry.ADMITTED:
            return await self._handled(update)
        return await self._entrance.refuse(update) if self._entrance and entry is Entry.REFUSED else None

    async def _handled(self, update: Update) -> Rest:
        """Handle an update, waiting for a store that does not answer: the person's and the chat's next ones wait too."""
        for tries in range(1, TRIES):
            try:
                return await self._handle(update, False)
            except Unavailable:
                await self._sleep(delay(tries))
        return await self._handle(update, True)


def _person(update: Update) -> str:
    return update.person or update.chat
