"""Long polling: updates are accepted into the inbox, and confirmed by the next request.

`getUpdates` with an offset confirms all updates before it, so the offset moves on only once they are in the inbox. What is
not there yet, because the store does not answer or the process ended, Telegram delivers again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias
from urllib.parse import urlencode

from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError
from telegram.request import BaseRequest

from bot import metrics
from bot.on_telegram.errors import silence
from bot.on_telegram.places import PLATFORM
from bot.on_telegram.raw_updates import KINDS, Raw, stored
from bot.sender.backoff import Sleep, delay
from play.errors import Unavailable
from storage.inbox import Update

_log: Final = logging.getLogger(__name__)

PATIENCE: Final = 50  # seconds that Telegram waits for an update before it answers that there is none

_GRACE: Final = 10  # seconds that the answer may take beyond that
_BATCH: Final = 100

Accept: TypeAlias = Callable[[Sequence[Update]], Awaitable[None]]
"""Accepts updates into the inbox; raises `Unavailable` if the store does not answer."""


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
    """Asks for updates and accepts them."""

    def __init__(
        self, ask: GetUpdates, accept: Accept, *, sleep: Sleep = asyncio.sleep, patience: int = PATIENCE
    ) -> None:
        self._ask = ask
        self._accept = accept
        self._sleep = sleep
        self._patience = patience
        self._offset: int | None = None  # the first update that is not in the inbox
        self._heard: float | None = None  # by the loop's clock: when Telegram last answered

    def silence(self) -> float:
        """Return the seconds since Telegram last answered; infinite before the first time."""
        if self._heard is None:
            return math.inf
        return asyncio.get_running_loop().time() - self._heard

    async def run(self) -> None:
        """Poll until cancelled, or until Telegram rejects the token. It has answered another request just before."""
        tries, self._heard = 0, asyncio.get_running_loop().time()
        try:
            while True:
                try:
                    found = await self._ask(self._offset, self._patience)
                    self._heard = asyncio.get_running_loop().time()
                    await self._take(found)
                    tries = 0
                except InvalidToken:
                    raise
                except (TelegramError, Unavailable) as error:
                    tries += 1
                    await self._sleep(_pause(error, tries))
        finally:
            await self._leave()

    async def _take(self, found: Sequence[Raw]) -> None:
        if found:
            await self._accept([update for raw in found if (update := _readable(raw))])
            self._offset = found[-1]["update_id"] + 1

    async def _leave(self) -> None:
        """Confirm what was accepted, so that the next process does not get it."""
        if self._offset is not None:
            with suppress(TelegramError, TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(3):
                    await self._ask(self._offset, 0)


def _readable(raw: Raw) -> Update | None:
    """Return an update for the inbox; None for one that cannot be read, which would come again."""
    try:
        return stored(raw)
    except (TypeError, ValueError) as error:
        metrics.UNREADABLE.add(PLATFORM)
        _log.warning("an update cannot be read: %s", error)
        return None


def _pause(error: TelegramError | Unavailable, tries: int) -> float:
    """Log an error; return the seconds to wait."""
    if isinstance(error, RetryAfter):
        return silence(error)
    if isinstance(error, Conflict):
        _log.warning("another program asks for this bot's updates, or it has a webhook: %s", error)
    else:
        _log.log(logging.INFO if tries < 3 else logging.WARNING, "no updates: %s", error)
    return delay(tries)
