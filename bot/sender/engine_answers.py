"""Facts that an engine is about to answer: held back for a moment, so that one board shows both moves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from bot.sender.backoff import Sleep
from bot.sender.ports import Recipient
from bot.sender.queue import Bundle
from play.events.facts import AnyFact

MOMENT: Final = 1.0
"""Seconds that a fact waits at most for the answer of an engine."""

_Key: TypeAlias = tuple[Recipient, str]


class EngineAnswers:
    """Bundles on the way to their queues. Those that wait for an engine delay no other match."""

    def __init__(
        self,
        awaited: Callable[[AnyFact], bool],
        put: Callable[[Recipient, Bundle], None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._awaited = awaited
        self._put = put
        self._sleep: Sleep = sleep
        self._held: dict[_Key, tuple[Bundle, asyncio.Task[None]]] = {}

    def pass_on(self, to: Recipient, bundle: Bundle) -> None:
        """Pass a bundle on to its queue: at once, or with the answer of an engine if that comes within a moment."""
        key = (to, bundle.match_id)
        awaited = self._awaited(bundle.facts[-1])
        if (held := self._held.get(key)) is not None:
            held[0].add(bundle)
            if not awaited:
                held[1].cancel()
                self._release(key)
        elif awaited:
            self._held[key] = (bundle, asyncio.create_task(self._later(key), name="answer of an engine"))
        else:
            self._put(to, bundle)

    async def close(self) -> None:
        """Forget what is held; another sender reads it again."""
        held = [task for _, task in self._held.values()]
        self._held.clear()
        for task in held:
            task.cancel()
        await asyncio.gather(*held, return_exceptions=True)

    async def _later(self, key: _Key) -> None:
        await self._sleep(MOMENT)
        self._release(key)

    def _release(self, key: _Key) -> None:
        bundle, _ = self._held.pop(key)
        self._put(key[0], bundle)
