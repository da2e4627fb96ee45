"""Long polling that confirms an update only once it has been handled.

`getUpdates` with an offset confirms all updates before it. The library's own loop sends the offset after the last update
as soon as it has it: updates in progress are lost if the process is killed. Here the offset stays at the first update
that is still being handled. Telegram returns it and the later ones again with the next answer; the known ones are
skipped.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Protocol
from urllib.parse import urlencode

from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError
from telegram.request import BaseRequest

from bot.on_telegram.chat_queues import KINDS, ChatQueues, Raw
from bot.on_telegram.errors import silence
from bot.sender.backoff import delay

_log: Final = logging.getLogger(__name__)

PATIENCE: Final = 50  # seconds that Telegram waits for an update before it answers that there is none

_GRACE: Final = 10  # seconds that the answer may take beyond that
_SOON: Final = 0.05  # seconds until Telegram is asked again while an update is being handled, at first
_LATER: Final = 0.2  # and at last: new updates come only when it is asked
_BATCH: Final = 100


class GetUpdates(Protocol):
    """Asks for updates."""

    async def __call__(self, offset: int | None, wait: int) -> list[Raw]:
        """Return the updates from an offset on, waiting at most so many seconds for one; earlier ones are confirmed."""


def get_updates(request: BaseRequest, url: str) -> GetUpdates:
    """Return a function that asks Telegram for updates, at the URL of the bot's methods.

    The request is used for nothing else, since it waits for long.
    """

    async def ask(offset: int | None, wait: int) -> list[Raw]:
        said = {"timeout": wait, "limit": _BATCH, "allowed_updates": json.dumps(KINDS)}
        if offset is not None:
            said["offset"] = offset
        found: Any = await request.post(f"{url}/getUpdates?{urlencode(said)}", read_timeout=wait + _GRACE)
        return list(found)

    return ask


class Polling:
    """Asks for updates and queues them."""

    def __init__(
        self,
        ask: GetUpdates,
        queues: ChatQueues,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        patience: int = PATIENCE,
    ) -> None:
        self._ask = ask
        self._queues = queues
        self._sleep = sleep
        self._patience = patience
        self._going: dict[int, asyncio.Future[None]] = {}
        self._handled: set[int] = set()  # and not confirmed: an earlier one is still being handled
        self._next: int | None = None

    @property
    def offset(self) -> int | None:
        """The first update that has not been handled."""
        return min(self._going, default=self._next)

    async def run(self) -> None:
        """Poll until cancelled, or until Telegram rejects the token."""
        tries, rest = 0, _SOON
        try:
            while True:
                try:
                    offset = self.offset
                    found = await self._ask(offset, self._patience)
                    tries = 0
                except InvalidToken:
                    raise
                except TelegramError as error:
                    tries += 1
                    await self._sleep(self._pause(error, tries))
                    continue
                self._handled = {number for number in self._handled if offset is None or number >= offset}
                news = self._take(found)
                rest = _SOON if news else min(2 * rest, _LATER)
                await self._wait(rest)
        finally:
            await self._leave()

    def _take(self, found: list[Raw]) -> bool:
        """Queue new updates; whether there were any."""
        new = [raw for raw in found if raw["update_id"] not in self._going.keys() | self._handled]
        for raw in new:
            self._going[raw["update_id"]] = self._queues.put(raw)
            self._next = raw["update_id"] + 1
        return bool(new)

    async def _wait(self, rest: float) -> None:
        """Return once all updates are handled, or after so many seconds."""
        if self._going:
            await asyncio.wait(self._going.values(), timeout=rest)
            self._settle()

    def _settle(self) -> None:
        for number in [
            number for number, done in self._going.items() if done.done() and not done.cancelled()
        ]:
            del self._going[number]
            self._handled.add(number)

    def _pause(self, error: TelegramError, tries: int) -> float:
        """Log an error; return the seconds to wait."""
        if isinstance(error, RetryAfter):
            return silence(error)
        if isinstance(error, Conflict):
            _log.warning("another program asks for this bot's updates, or it has a webhook: %s", error)
        else:
            _log.log(logging.INFO if tries < 3 else logging.WARNING, "no updates: %s", error)
        return delay(tries)

    async def _leave(self) -> None:
        """Confirm the handled updates, so that the next process does not get them."""
        self._settle()
        if self.offset is not None:
            with suppress(TelegramError, TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(3):
                    await self._ask(self.offset, 0)
