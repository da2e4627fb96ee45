"""Edits that presses ask for: one at a time for each message, and of several only the newest is drawn and sent."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from bot.on_telegram.key_menus import KeyMenus
from bot.on_telegram.places import BotMessage
from bot.on_telegram.rate_limit import RateLimiter
from bot.sender.turns import Urgency

KEPT: Final = 4096  # messages whose last revision is remembered
FOREVER: Final = 1 << 62
"""The revision up to which presses change nothing in a message that is retired."""

_log: Final = logging.getLogger(__name__)


class Redraws:
    """The edits under way. The sender's edits come first: what presses asked for before them is dropped."""

    def __init__(self, rate_limiter: RateLimiter, menus: KeyMenus) -> None:
        self._rate_limiter = rate_limiter
        self._menus = menus
        self._wanted: dict[str, Callable[[], Awaitable[None]]] = {}
        self._drawn: set[str] = set()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._revisions: OrderedDict[str, int] = OrderedDict()

    async def show(self, ours: BotMessage, revision: int, change: Callable[[], Awaitable[None]]) -> None:
        """Have `change` edit a message to a revision of its match, unless a newer edit comes first."""
        ref = ours.ref
        if revision < self._revisions.get(ref, 0):
            return
        self._wanted[ref] = change
        if ref in self._drawn:
            return  # the edit under way goes on with this one
        self._drawn.add(ref)
        try:
            while ref in self._wanted:
                if not await self._rate_limiter.answer(ours.pace_key, Urgency.PRESS, new=False):
                    _log.info("no time to change a message of %s", ours.pace_key)
                    return
                async with self._lock(ref):
                    if (newest := self._wanted.pop(ref, None)) is not None:
                        await newest()
        finally:
            self._drawn.discard(ref)
            self._wanted.pop(ref, None)

    @asynccontextmanager
    async def dropped(self, ours: BotMessage, revision: int) -> AsyncIterator[None]:
        """Edit a message for the sender, at a revision of its match: what presses asked for until then is not shown."""
        async with self._lock(ours.ref):
            self._wanted.pop(ours.ref, None)
            self._menus.release(ours.ref)
            self._revisions[ours.ref] = revision
            self._revisions.move_to_end(ours.ref)
            while len(self._revisions) > KEPT:
                self._revisions.popitem(last=False)
            yield

    def _lock(self, ref: str) -> asyncio.Lock:
        lock = self._locks.get(ref)
        if lock is None:
            lock = self._locks[ref] = asyncio.Lock()
        return lock
