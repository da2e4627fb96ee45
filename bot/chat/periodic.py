"""Periodic work: a step, taken again and again; exponential backoff between tries; the barrier of what must go on; the time."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Final, NoReturn, Self, TypeAlias

from play.errors import Unavailable

FIRST: Final = 0.5  # seconds before the second try
LONGEST: Final = 60.0  # seconds between tries, once there have been many

Sleep: TypeAlias = Callable[[float], Awaitable[None]]


def delay(tries: int) -> float:
    """Return the seconds to wait after so many failed tries: twice as long each time."""
    return min(FIRST * 2.0 ** min(tries - 1, 20), LONGEST)


class Barrier:
    """The last barrier of a task that must go on: keeps an exception that is not `passing` as its `error`."""

    def __init__(self, *passing: type[Exception]) -> None:
        self.error: Exception | None = None
        self._passing = passing

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._passing):
            return False
        self.error = error
        return True


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


_BEGAN: Final = datetime.now(UTC) - timedelta(seconds=time.monotonic())


class StoreClock:
    """The store's time: this machine's, corrected at each look at the timers. It does not follow the machine's clock when that is set."""

    def __init__(
        self, own: Callable[[], datetime] = lambda: _BEGAN + timedelta(seconds=time.monotonic())
    ) -> None:
        self._own = own
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        """Return the time."""
        return self._own() + self._ahead

    def set(self, at: datetime) -> None:
        """Set the present time of the store."""
        self._ahead = at - self._own()
