"""Lanes: requests are handled one at a time for each person and each chat, people by turns."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

_log: Final = logging.getLogger(__name__)

MOST: Final = 32  # requests handled at once
LONGEST: Final = 60.0  # seconds that one may take, and as many that its answer may take

Rest: TypeAlias = Coroutine[Any, Any, None] | None
"""What of an answer is still to be shown. It may take long, and no later request waits for it."""

Handle: TypeAlias = Callable[[], Awaitable[Rest]]


@dataclass(frozen=True, slots=True, eq=False)
class Handling:
    """A request that waits for its turn, or is being handled.

    Attributes:
        person: Who asks; a chat's own where that is unknown.
        chat: Where, or what stands for it; a request is handled after the earlier ones of the same person and chat.
        handle: Decides the request, and returns what of the answer is still to be shown.
        done: Done once the request is handled and its answer is shown, also if that failed.
    """

    person: str
    chat: str
    handle: Handle
    done: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Lanes:
    """Handles requests in time. One that fails is logged and counts as handled.

    The person whose last request is the longest ago is next, so that many requests of one person delay those of others by
    one.
    """

    def __init__(self, most: int = MOST, longest: float = LONGEST) -> None:
        self._most = most
        self._longest = longest
        self._waiting: dict[str, deque[Handling]] = {}  # by person, in the order of their turns
        self._people: set[str] = set()  # whose requests are being handled
        self._chats: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, request: Handling) -> None:
        """Queue a request."""
        self._waiting.setdefault(request.person, deque()).append(request)
        self._serve()

    def _serve(self) -> None:
        """Begin all requests whose turn it is."""
        while len(self._people) < self._most and (request := self._next()) is not None:
            self._people.add(request.person)
            self._chats.add(request.chat)
            self._start(self._handled(request), f"request in {request.chat}")

    def _next(self) -> Handling | None:
        """Remove and return the first request of the first person who is free, in a chat that is free."""
        for person, requests in self._waiting.items():
            if person in self._people or requests[0].chat in self._chats:
                continue
            del self._waiting[person]
            request = requests.popleft()
            if requests:
                self._waiting[person] = requests  # behind the others
            return request
        return None

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _handled(self, request: Handling) -> None:
        rest: Rest = None
        try:
            async with asyncio.timeout(self._longest):
                rest = await request.handle()
        except Exception:  # noqa: BLE001 - a bug must not stop the later requests
            _log.exception("a request in %s failed", request.chat)
        self._people.remove(request.person)
        self._chats.remove(request.chat)
        if rest is None:
            _settle(request)
        else:
            self._start(self._shown(request, rest), f"answer in {request.chat}")
        self._serve()

    async def _shown(self, request: Handling, rest: Coroutine[Any, Any, None]) -> None:
        try:
            async with asyncio.timeout(self._longest):
                await rest
        except Exception:  # noqa: BLE001 - the later answers are shown all the same
            _log.exception("an answer in %s failed", request.chat)
        _settle(request)

    async def settled(self) -> None:
        """Wait until all that was put is handled and answered."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Stop, and cancel what is not done."""
        waiting = [request for requests in self._waiting.values() for request in requests]
        self._waiting.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for request in waiting:
            request.done.cancel()


def _settle(request: Handling) -> None:
    if not request.done.done():
        request.done.set_result(None)
