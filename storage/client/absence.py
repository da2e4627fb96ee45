"""Whether a server is away: the errors that say so, and the probes that find out when it is back."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from redis import exceptions

PATIENCE: Final = 2.0  # seconds for which a server that is away is waited for
PAUSES: Final = (0.02, 0.05, 0.1, 0.2, 0.4)  # seconds between tries
_REFUSED: Final = 0.005
"""Seconds until a call fails that is not sent: a task that repeats it at once must not stop all others."""
_UNASKED: Final = 60.0  # seconds after which a server that no task asks is not probed any more
_IN_SCRIPT: Final = re.compile(r" script: .*", re.DOTALL)
_LONGEST: Final = 300  # characters of an error

_log: Final = logging.getLogger(__name__)


class Uncopied(exceptions.ConnectionError):
    """No replica took in time what was written, or the server is itself a replica: another server may be the master."""


class ServerAway(exceptions.ConnectionError):
    """The server is known to be away (`why`), so the command was not sent; `lasting`: for longer than it is waited for."""

    def __init__(self, why: Exception, *, lasting: bool) -> None:
        super().__init__(str(why))
        self.why = why
        self.lasting = lasting


LOST: Final = (
    exceptions.ConnectionError,  # it cannot be reached, ends, restarts or loads its data
    exceptions.TimeoutError,
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
)
"""Errors of a server that is away, or that is no master with its replicas."""

CLIENT_ERRORS: Final = (
    *(exceptions.RedisError, exceptions.RedisClusterException, OSError, EOFError),
    *(RuntimeError, AttributeError, LookupError, TypeError, ValueError),
)
"""What redis-py and asyncio raise while a node disappears; only calls of theirs belong where these are caught."""


def translated(error: Exception) -> exceptions.RedisError:
    """Return one of redis-py's errors for what it raised: `ConnectionError` for what is none of them."""
    if isinstance(error, exceptions.RedisError) and not isinstance(error, exceptions.InvalidResponse):
        return error
    found: exceptions.RedisError = exceptions.ConnectionError(f"{type(error).__name__}: {error}")
    if isinstance(error, TimeoutError):
        found = exceptions.TimeoutError("no reply")
    found.__cause__ = error
    return found


def words_of(error: BaseException) -> str:
    """Return why a call failed in the words of the server, or of the system if the server says nothing."""
    cause: BaseException | None = error.__cause__
    while cause is not None and not str(cause):
        cause = cause.__cause__
    return " ".join(_IN_SCRIPT.sub("", str(cause or "no reply")).split())[:_LONGEST]


def is_lost(reply: Any) -> bool:
    """Whether a reply says that the server is away; one that rejects the password is there."""
    return isinstance(reply, LOST) and not isinstance(reply, exceptions.AuthenticationError)


class Absence:
    """Whether a server is away, found out by probes for all calls: together they wait no longer than one of them alone."""

    def __init__(self, patience: float) -> None:
        self._patience = patience  # seconds for which it is waited for
        self._since = self._asked = 0.0
        self._probed = False  # without success, since this absence began
        self.why: Exception | None = None  # the error that says so; None if it is not away
        self._probing: asyncio.Task[None] | None = None

    def error(self, why: Exception) -> ServerAway:
        """Return what a call fails with that need not be sent, for it is away."""
        self._asked = asyncio.get_running_loop().time()
        return ServerAway(why, lasting=self._lasting())

    def begin(self, why: Exception, since: float, probe: Callable[[], Awaitable[Exception | None]]) -> None:
        """Note that a call which began then has failed; `probe` returns why the server is still away, until it is not."""
        if self.why is None:
            self._since = self._asked = since
            self.why = why
            self._probing = asyncio.create_task(self._probe(probe), name="probe of the store")

    async def _probe(self, probe: Callable[[], Awaitable[Exception | None]]) -> None:
        clock = asyncio.get_running_loop().time
        tries = 0
        try:
            while (why := await probe()) is not None:
                self.why, self._probed = why, True
                if clock() - self._asked >= _UNASKED:
                    return
                await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
                tries += 1
            if self._lasting():
                _log.warning("the store answers again")
        finally:
            self.why, self._probed = None, False

    def _lasting(self) -> bool:
        return self._probed and asyncio.get_running_loop().time() - self._since >= self._patience


async def waited_for(error: Exception, tries: int) -> bool:
    """Pause after a call has failed; return whether it is to be tried again."""
    final = isinstance(error, exceptions.AuthenticationError)
    if isinstance(error, ServerAway) and error.lasting:
        await asyncio.sleep(_REFUSED)
        final = True
    if not final:
        await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
    return not final
