"""The receiver: accepts the updates of a platform into the inbox, reads them back and has them handled by turns."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from bot.chat.fair_queue import less
from bot.chat.periodic import Barrier, Sleep, delay
from bot.chat.quotas import COMMANDS, FREE, Quota
from bot.chat.receiving.lanes import Admission, Entrance, Handling, Lanes, Rest
from bot.chat.sending.ports import CourierError
from bot.chat.sending.sender import StreamReader
from play.errors import Unavailable
from storage.ports import TRIES, Inbox, Received, Update, is_failure, reason_of

_log: Final = logging.getLogger(__name__)

BATCH: Final = 256  # updates read at once

WAITS: Final = 0.25  # seconds after which what is neither handled nor answered is said to wait

MOST: Final = 20_000
"""Updates held at once, at a kilobyte or two each: the many of one person are held, so that those behind them are read.
They wait in the inbox beyond that."""

PATIENCE: Final = 6  # tries of an update while the store does not answer: half a minute, for the person waits

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
        passing: tuple[type[Exception], ...] = (),
        waits: Callable[[Update], Rest] | None = None,
    ) -> None:
        """Handle what is in `inbox`; `passing` are the errors of the platform, after which an update counts as handled.

        `waits` returns what is done for an update that is not answered within `WAITS`, if anything is.
        """
        self._inbox = inbox
        self._handle = handle
        self._entrance = entrance
        self._sleep = sleep
        self._passing: tuple[type[Exception], ...] = (OSError, CourierError, *passing)
        self._failed: Counter[str] = Counter()  # by entry
        self._waits = waits
        self._waiting: set[asyncio.Task[None]] = set()
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

    async def handle_unstored(self, updates: Sequence[Update]) -> None:
        """Handle updates that the store does not take, and return once they are answered.

        What only reads is answered, all else is refused in words.
        """
        kept = [update for update in updates if not self._dropped(update)]
        requests = [Handling(_person(each), each.chat, partial(self._handle, each, True)) for each in kept]
        for request in requests:
            self._lanes.put(request)
        await asyncio.gather(*(request.done for request in requests), return_exceptions=True)

    def waiting(self, person: str) -> int:
        """Return how many updates of a person are read and not begun."""
        return self._lanes.waiting(person)

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
        while True:
            room = 0 if self._finishing else max(0, min(BATCH, MOST - len(self._reader.held)))
            found = await self._reader.read(room)  # also with no room: it renews the lease
            for received in found:
                self._put(received)
            if not found or len(found) < room:
                return

    def _dropped(self, update: Update) -> bool:
        entrance, person = self._entrance, _person(update)
        return entrance is not None and not entrance.gate.takes(
            person, _cost(entrance, update), self._open[person]
        )

    def _put(self, received: Received) -> None:
        if received.entry in self._reader.held:
            return
        update = received.update
        if self._dropped(update):
            self._reader.finish(received)
            return
        person, cost = _person(update), _cost(self._entrance, update)
        counts = cost is not FREE
        request = Handling(person, update.chat, lambda: self._admitted(person, cost, received), counts=counts)
        self._reader.held[received.entry] = received
        opened = self._open
        if counts:
            opened[person] += 1

        def done(done: asyncio.Future[None]) -> None:
            if counts:
                less(opened, person)
            if not done.cancelled():
                del self._failed[received.entry]
                self._reader.finish(received)

        request.done.add_done_callback(done)
        self._lanes.put(request)
        if self._waits and (rest := self._waits(update)):
            task = asyncio.create_task(_late(request.done, rest), name=f"waits in {update.chat}")
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _admitted(self, person: str, cost: Quota | None, received: Received) -> Rest:
        if self._entrance:
            admission = await self._entrance.gate.enter(person, cost)
            if admission is Admission.REFUSED:
                return await self._entrance.refuse(received.update)
            if admission is Admission.DROPPED:
                return None
        return await self._handled(received)

    async def _handled(self, received: Received) -> Rest:
        """Handle an update, also after a store that did not answer, or a failure: the person's and the chat's next ones wait."""
        away = 0
        while True:
            last = away == PATIENCE - 1
            with Barrier() as barrier:
                rest = await self._handle(received.update, last)
                return self._shown(received, rest) if rest else None
            if isinstance(barrier.error, Unavailable) and not last:
                away += 1
                await self._sleep(delay(away))
            elif barrier.error and not await self._again(received, barrier.error):
                return None

    async def _shown(self, received: Received, rest: Coroutine[Any, Any, None]) -> None:
        with Barrier() as barrier:
            await rest
        failed = barrier.error is not None and await self._again(received, barrier.error)
        if failed and (again := await self._handled(received)):
            await again

    async def _again(self, received: Received, error: Exception) -> bool:
        """Count a failure of an update; whether it is to be handled again, else it is set aside. Raise any other error."""
        if isinstance(error, self._passing) or not is_failure(error):
            raise error
        _log.warning("an update in %s cannot be handled: %s", received.update.chat, reason_of(error))
        self._failed[received.entry] += 1
        if self._failed[received.entry] == TRIES:
            _log.error("the update failed %d times", TRIES, exc_info=error)
            self._reader.fail(received, error)
            return False
        await self._sleep(delay(self._failed[received.entry]))
        return True


async def _late(done: asyncio.Future[None], rest: Coroutine[Any, Any, None]) -> None:
    await asyncio.wait([done], timeout=WAITS)
    if done.done():
        rest.close()
    else:
        await rest


def _cost(entrance: Entrance | None, update: Update) -> Quota | None:
    """Return what an update costs of a quota; one that cannot be read, or without an entrance, costs as much as a command."""
    with Barrier():  # it is read again when it is handled, which tells how it fails
        return entrance.cost(update) if entrance else COMMANDS
    return COMMANDS


def _person(update: Update) -> str:
    return update.person or update.chat
