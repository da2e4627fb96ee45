"""What Discord's refusals mean for whoever carries messages there.

The library waits by itself where it is told that it is too fast, and tries again where the server stumbles. That would
hold up the sender without its knowing, and other processes would not hear of it. So while a message is carried, both are
raised at once (`Watch`), and the sender decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Final

import aiohttp
import discord

from bot.sender.ports import Blocked, CourierError, Gone, NoMessage, RetryAfter, Transient

MISSING_PERMISSIONS: Final = 50013
"""Some permission is missing; it is not said which."""

_ARCHIVED: Final = 50083
_UNKNOWN_MESSAGE: Final = 10008
_NO_MORE: Final = frozenset(
    {
        _UNKNOWN_MESSAGE,
        30046,  # too many edits of a message older than an hour
        50005,  # somebody else's message
    }
)
_CLOSED: Final = frozenset(
    {
        50007,  # a person who does not want to be written to
        50033,  # no such person
        50278,  # no server in common with that person
    }
)
_LOCKED: Final = 160005  # a thread
_TOO_FAST: Final = 429
_STUMBLED: Final = 500
_LONG: Final = 60.0  # seconds to be silent where it is not said how long


class ThreadArchived(Transient):
    """A thread that has to be taken out of the archive first."""


class ChannelMissing(Gone):
    """The channel is not there any more."""


_BY_STATUS: Final[Mapping[int, type[CourierError]]] = {401: Transient, 403: Gone, 404: ChannelMissing}

_delivering: ContextVar[bool] = ContextVar("carrying", default=False)


@contextmanager
def delivering() -> Iterator[None]:
    """While a message is carried: every trouble becomes a `CourierError`.

    Raises:
        RetryAfter: too fast.
        Transient: no answer, or none that says anything about the message.
        Archived: a thread that has to be taken out of the archive first.
        Absent: the place is not there.
        Closed: the person is not to be written to.
        Gone: the place is not for us.
        NoMessage: the message is not there, or cannot be changed any more.
    """
    token = _delivering.set(True)
    try:
        yield
    except discord.RateLimited as late:
        raise RetryAfter(late.retry_after) from None
    except discord.HTTPException as refused:
        raise meaning(refused) from refused
    except (TimeoutError, aiohttp.ClientError, OSError) as broken:
        raise Transient from broken
    finally:
        _delivering.reset(token)


def meaning(refused: discord.HTTPException) -> CourierError | discord.HTTPException:
    """What a refusal means; itself where it means that we said something wrong."""
    if refused.code in _NO_MORE:
        return NoMessage()
    if refused.code in _CLOSED:
        return Blocked()
    if refused.code == _LOCKED:
        return Gone()
    if refused.code == _ARCHIVED:
        return ThreadArchived()
    if refused.status == _TOO_FAST:
        return RetryAfter(_LONG, everywhere=True)
    kind = Transient if refused.status >= _STUMBLED else _BY_STATUS.get(refused.status)
    return kind() if kind else refused


class ErrorTracing(aiohttp.TraceConfig):
    """Looks at every answer before the library does."""

    def __init__(self) -> None:
        super().__init__()
        self.on_request_end.append(_answered)


async def _answered(
    _session: aiohttp.ClientSession, _context: SimpleNamespace, ended: aiohttp.TraceRequestEndParams
) -> None:
    if not _delivering.get():
        return
    status, headers = ended.response.status, ended.response.headers
    if status == _TOO_FAST:
        # Without this header it is not Discord that answers, but whoever guards it: all of us are too fast.
        guarded = "Via" not in headers
        everywhere = (
            guarded or headers.get("X-RateLimit-Scope") == "global" or "X-RateLimit-Global" in headers
        )
        raise RetryAfter(_seconds(headers.get("Retry-After")), everywhere=everywhere)
    if status >= _STUMBLED:
        raise Transient


def _seconds(text: str | None) -> float:
    try:
        return max(0.0, float(text or ""))
    except ValueError:
        return _LONG
