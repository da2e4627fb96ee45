"""Edits that presses ask for, and those of the sender, which come first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from bot.on_telegram.key_menus import KeyMenus
from bot.on_telegram.places import BotMessage
from bot.on_telegram.rate_limit import RateLimiter
from bot.sender.latest_edits import Edit, LatestEdits
from bot.sender.turns import Urgency
from play.errors import Unavailable

KEPT: Final = 4096  # messages whose last revision is remembered
FOREVER: Final = 1 << 62
"""The revision up to which presses change nothing in a message that is retired."""


class Redraws:
    """The edits under way. The sender's edits come first: what presses asked for before them is dropped."""

    def __init__(self, rate_limiter: RateLimiter, menus: KeyMenus) -> None:
        self._rate_limiter = rate_limiter
        self._menus = menus
        self._edits = LatestEdits()
        self._revisions: OrderedDict[str, int] = OrderedDict()

    async def show(self, ours: BotMessage, revision: int, change: Edit) -> None:
        """Have `change` edit a message to a revision of its match, unless a newer edit comes first."""

        async def turn() -> None:
            with suppress(Unavailable):  # an answer that says so matters more than the pace
                await self._rate_limiter.chat(ours.pace_key, Urgency.PRESS, new=False)

        if revision >= self._revisions.get(ours.ref, 0):
            await self._edits.show(ours.ref, change, turn)

    @asynccontextmanager
    async def dropped(self, ours: BotMessage, revision: int) -> AsyncIterator[None]:
        """Edit a message for the sender, at a revision of its match: what presses asked for until then is not shown."""
        async with self._edits.lock(ours.ref):
            self._edits.drop(ours.ref)
            self._menus.release(ours.ref)
            self._revisions[ours.ref] = revision
            self._revisions.move_to_end(ours.ref)
            while len(self._revisions) > KEPT:
                self._revisions.popitem(last=False)
            yield

    def close(self) -> None:
        """Change nothing any more."""
        self._edits.close()
