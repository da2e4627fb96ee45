"""Have the server's append-only file rewritten after people were forgotten: what was deleted stands in it until then.

At most one rewrite an hour serves all who were forgotten before it. Requests are stored, so they survive a restart. A rewrite
counts once it has succeeded, and if no fact or update from before the request was left to be done when it began.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

from play.errors import Unavailable
from storage.ports import FullStore
from storage.timestamps import read_time

EVERY: Final = timedelta(hours=1)
"""The shortest time between rewrites."""
AFTER: Final = timedelta(minutes=2)
"""How long after a request the first may begin: the answer to it is sent, and its rate limits have run out."""
LOOK: Final = 20.0  # seconds between checks

_ASKED: Final = "rewrite"  # the timeline of the requests
_BEGUN: Final = "rewrite:begun"
_REFUSED: Final = "rewrite:refused"
_log: Final = logging.getLogger(__name__)


async def request_rewrite(store: FullStore) -> bool:
    """Store a request for a rewrite; return whether the server lets the bot do that, as far as is known."""
    at = await store.now()
    await store.timelines.add(_ASKED, at.isoformat(), at)
    (refused,) = await store.notes.read(_REFUSED)
    if refused is None:  # the first request of all finds out
        return await _rewrite(store)
    return not refused


async def last_rewrite(store: FullStore) -> datetime | None:
    """Return when the last rewrite for forgotten people began; None if none did."""
    return (await _begun(store))[0]


class Rewrites:
    """Carries out the requests. Several processes may share one store."""

    def __init__(self, store: FullStore, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store = store
        self._sleep = sleep

    async def run(self) -> None:
        """Carry out requests until cancelled."""
        while True:
            try:
                await self.tick(await self._store.now())
            except Unavailable:
                _log.info("the store does not answer: the append-only file is rewritten later")
            await self._sleep(LOOK)

    async def tick(self, at: datetime) -> None:
        """Begin a rewrite if one is due, or settle the requests that the last one has served.

        Raises:
            Unavailable: the store does not answer.
        """
        asked = await self._asked(at)
        if not asked:
            return
        state = await self._store.journal.state()
        if state.rewriting:
            return
        begun, run, served = await _begun(self._store)
        if served is not None and run == state.run and not state.failed:
            for request in [request for request in asked if request <= served]:
                await self._store.timelines.remove(_ASKED, request.isoformat())
            asked = [request for request in asked if request > served]
        if not asked or (begun is not None and timedelta() <= at - begun < EVERY):
            return
        oldest = await self._store.journal.oldest_entry()
        whole = oldest is None or oldest > asked[-1]
        if not whole and timedelta() <= at - asked[0] < EVERY:
            return
        allowed = await _rewrite(self._store)
        noted = [at.isoformat(), state.run, asked[-1].isoformat() if whole and allowed else None]
        await self._store.notes.write(_BEGUN, json.dumps(noted))

    async def _asked(self, at: datetime) -> list[datetime]:
        """Return the requests that are old enough at a time, or later than it: the clock was set back since."""
        asked = map(datetime.fromisoformat, await self._store.timelines.read(_ASKED))
        return [request for request in asked if not timedelta() <= at - request < AFTER]


async def _rewrite(store: FullStore) -> bool:
    allowed = await store.journal.rewrite()
    await store.notes.write(_REFUSED, "" if allowed else "refused")
    if not allowed:
        _log.warning("the server does not let the bot rewrite the append-only file (BGREWRITEAOF)")
    return allowed


async def _begun(store: FullStore) -> tuple[datetime | None, str, datetime | None]:
    """Return when the last rewrite began, in which run of the server, and up to which request it serves."""
    (noted,) = await store.notes.read(_BEGUN)
    if noted is None:
        return None, "", None
    try:
        began, run, served = json.loads(noted)
        return datetime.fromisoformat(began), run, read_time(served)
    except ValueError:  # damaged
        return None, "", None
