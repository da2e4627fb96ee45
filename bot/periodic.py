"""Periodic work: a step, taken again and again."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

from bot.sender.backoff import Sleep
from play.errors import Unavailable

_log: Final = logging.getLogger(__name__)


async def periodically(
    step: Callable[[], Awaitable[object]], pause: float, sleep: Sleep, what: str
) -> NoReturn:
    """Take a step now and after each pause of so many seconds, until cancelled.

    While the store does not answer, it is only logged `what` cannot be done.
    """
    while True:
        try:
            await step()
        except Unavailable:
            _log.info("%s: the store does not answer", what)
        await sleep(pause)
