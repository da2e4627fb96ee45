"""Queues of updates: in order within a chat, concurrent across chats."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final, TypeAlias, TypeVar

_log: Final = logging.getLogger(__name__)

Raw: TypeAlias = dict[str, Any]  # an update as it comes over the wire
T = TypeVar("T")

LONGEST: Final = 60.0  # seconds that handling one update may take

KINDS: Final = (
    "message", "edited_message", "callback_query", "inline_query", "chosen_inline_result", "my_chat_member",
)  # fmt: skip
"""The kinds of updates that are asked for."""


def queue_of(raw: Mapping[str, Any]) -> str:
    """Return the queue of an update: its chat, its inline message or its person."""
    for kind in KINDS:
        held = raw.get(kind)
        if isinstance(held, dict):
            if named := held.get("inline_message_id"):
                return f"inline:{named}"
            chat = held.get("chat") or (held.get("message") or {}).get("chat") or held.get("from") or {}
            return str(chat.get("id"))
    return ""


Rest: TypeAlias = Coroutine[Any, Any, None] | None
"""What of an answer is still to be shown, which may take long and stops no later update."""


class ChatQueues:
    """Handles updates, in time. One that fails is logged and counts as handled.

    What of an answer is still to be shown is in memory only: an update counts as handled once it is decided.
    """

    def __init__(self, handle: Callable[[Raw], Awaitable[Rest]], longest: float = LONGEST) -> None:
        self._handle = handle
        self._longest = longest
        self._waiting: dict[str, deque[tuple[Raw, asyncio.Future[None]]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, raw: Raw) -> asyncio.Future[None]:
        """Queue an update; return a future that is done once it has been handled."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        key = queue_of(raw)
        if key in self._waiting:
            self._waiting[key].append((raw, done))
        else:
            self._waiting[key] = deque([(raw, done)])
            self._start(self._serve(key), f"updates of {key}")
        return done

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, key: str) -> None:
        queue = self._waiting[key]
        while queue:
            raw, done = queue[0]
            if (rest := await self._in_time(raw, self._handle(raw))) is not None:
                self._start(self._in_time(raw, rest), f"answer in {key}")
            if not done.done():
                done.set_result(None)
            queue.popleft()
        del self._waiting[key]

    async def _in_time(self, raw: Raw, work: Awaitable[T]) -> T | None:
        """Return the result of some work on an update, or None after logging why there is none."""
        try:
            async with asyncio.timeout(self._longest):
                return await work
        except Exception:  # noqa: BLE001 - a bug must not stop the later updates
            _log.exception("an update failed: %s", raw.get("update_id"))
        return None

    async def settled(self) -> None:
        """Wait until all that was put is handled, and answered."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Stop. Telegram delivers the unhandled updates again to the next process."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for queue in self._waiting.values():
            for _, done in queue:
                done.cancel()
        self._waiting.clear()
