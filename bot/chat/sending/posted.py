"""What a process knows of the messages that are posted: the edits that presses ask for, and which is the newest of a chat."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from weakref import WeakValueDictionary

from bot.chat.fair_queue import Recent
from bot.chat.periodic import Barrier, Sleep, delay
from bot.chat.sending.ports import RetryAfter, Transient

LASTS: Final = 600.0  # seconds for which an edit is tried; Discord takes none of an interaction after 900
MOST: Final = 1024  # messages whose edits wait at once; of more, the one that waits longest stays as it is

_log: Final = logging.getLogger(__name__)

Edit: TypeAlias = Callable[[], Awaitable[None]]
"""Edits a message. Where it raises `RetryAfter` or `Transient`, it is called again, unless a newer edit is wanted by then."""


KEPT: Final = 4096  # chats, and messages, that are remembered
FOREVER: Final = 1 << 62  # a revision up to which no press changes a message any more


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    edit: Edit
    over: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class LatestEdits:
    """The newest edit of each message that is not made yet, one at a time. Those of the sender come first."""

    def __init__(self, sleep: Sleep = asyncio.sleep, lasts: float = LASTS) -> None:
        self._sleep = sleep
        self._lasts = lasts
        self._wanted: dict[str, _Wanted] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._revisions = Recent[str, int](KEPT)

    async def show(self, ref: str, edit: Edit, turn: Edit | None = None, *, revision: int = FOREVER) -> None:
        """Make an edit of a message; return once it is made, replaced by a newer one, or given up.

        One to an older `revision` of its match than the sender has shown is not made. `turn` waits until the platform may be
        asked. Where the caller is cancelled, the edit is made all the same.
        """
        if revision < self._revisions.get(ref, 0):
            return
        self._settle(ref, self._wanted.get(ref))
        wanted = self._wanted[ref] = _Wanted(edit)
        if ref not in self._tasks:
            if len(self._tasks) >= MOST:
                self._give_up(next(iter(self._tasks)))
            self._tasks[ref] = asyncio.create_task(self._make(ref, turn), name=f"edits of {ref}")
        await wanted.over

    @asynccontextmanager
    async def dropped(self, ref: str, revision: int) -> AsyncIterator[None]:
        """Edit a message for the sender, at a revision of its match: what presses asked for until then is not shown."""
        async with self._lock(ref):
            self._settle(ref, self._wanted.get(ref))
            self._revisions[ref] = revision
            yield

    def _lock(self, ref: str) -> asyncio.Lock:
        lock = self._locks.get(ref)
        if lock is None:
            lock = self._locks[ref] = asyncio.Lock()
        return lock

    def close(self) -> None:
        """Make no edit any more."""
        for ref in list(self._tasks):
            self._give_up(ref)

    def _give_up(self, ref: str) -> None:
        self._tasks.pop(ref).cancel()
        self._settle(ref, self._wanted.get(ref))

    async def _make(self, ref: str, turn: Edit | None) -> None:
        tries = 0
        try:
            async with asyncio.timeout(self._lasts):
                while ref in self._wanted:
                    if turn is not None:
                        await turn()
                    pause = await self._try(ref, tries)
                    tries = tries + 1 if pause else 0
                    if pause:
                        await self._sleep(pause)
        except TimeoutError:
            _log.warning("a message stays as it is: it could not be changed in time")
            self._settle(ref, self._wanted.get(ref))
        finally:
            if self._tasks.get(ref) is asyncio.current_task():
                del self._tasks[ref]

    async def _try(self, ref: str, tries: int) -> float:
        async with self._lock(ref):
            wanted = self._wanted.get(ref)
            if wanted is None:
                return 0
            with Barrier() as barrier:  # the one who asked for it gets the error
                await wanted.edit()
            match barrier.error:
                case RetryAfter() as early:
                    return max(early.seconds, delay(1))
                case Transient():
                    return delay(tries + 1)
            self._settle(ref, wanted, barrier.error)
            return 0

    def _settle(self, ref: str, wanted: _Wanted | None, error: Exception | None = None) -> None:
        if wanted is None:
            return
        if self._wanted.get(ref) is wanted:
            del self._wanted[ref]
        if wanted.over.done():
            if error is not None:
                _log.error("a message could not be changed", exc_info=error)
        elif error is not None:
            wanted.over.set_exception(error)
        else:
            wanted.over.set_result(None)


class NewestMessages:
    """The newest message of each chat that a process sees, by its number, which rises in a chat; nothing is stored."""

    def __init__(self) -> None:
        self._newest = Recent[str, int](KEPT)
        self._read = Recent[tuple[str, int], int](KEPT)

    def came(self, chat: str, number: int) -> None:
        """Note that a message is in a chat."""
        self._newest[chat] = max(number, self._newest.get(chat, 0))

    def pressed(self, chat: str, number: int) -> None:
        """Note that a person looks at a message, even with others below it."""
        self.came(chat, number)
        self._read[chat, number] = self._newest[chat]

    def buried(self, chat: str, number: int) -> bool:
        """Whether a message came below another since that was sent or pressed, or nothing is known of the chat."""
        newest = self._newest.get(chat)
        return newest is None or newest > max(number, self._read.get((chat, number), 0))
