"""Errors of Discord, and what they mean to the sender.

The library itself waits after a rate limit, and tries again after a server error. That would hold up the sender without
its knowledge, and other processes would not learn of it. So while a message is delivered, `ErrorTracing` raises both at
once, and the sender decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Final

import aiohttp
import discord

from bot.metrics import LIMITED, PLATFORM_REQUESTS
from bot.on_discord.places import PLATFORM
from bot.sender.ports import Blocked, CourierError, Gone, NoMessage, RetryAfter, Transient

MISSING_PERMISSIONS: Final = 50013  # the code for a missing permission; Discord does not say which

UNKNOWN_MEMBER: Final = 10007  # of a server
UNKNOWN_USER: Final = 10013
_ARCHIVED: Final = 50083
_UNKNOWN_MESSAGE: Final = 10008
_NO_MORE: Final = frozenset(
    {
        _UNKNOWN_MESSAGE,
        30046,  # too many edits of a message older than an hour
        50005,  # another author's message
    }
)
_CLOSED: Final = frozenset(
    {
        50007,  # a person who takes no messages
        50033,  # no such person
        50278,  # no server in common with that person
    }
)
_SHUT: Final = frozenset(
    {
        160005,  # a locked thread
        160006,  # as many open threads as a server may have
    }
)
_TOO_FAST: Final = 429
_STUMBLED: Final = 500
_SCOPES: Final = ("user", "global", "shared")
_VERSION: Final = re.compile(r"^/api(/v\d+)?")
_WITH_TOKEN: Final = ("webhooks", "interactions")  # an id and a token come after these words
_LONG: Final = 60.0  # seconds to wait where Discord does not say


class ThreadArchived(Transient):
    """The thread has to be taken out of the archive first."""


_BY_STATUS: Final[Mapping[int, type[CourierError]]] = {401: Transient, 403: Gone, 404: Gone}

_delivering: ContextVar[bool] = ContextVar("carrying", default=False)


@contextmanager
def delivering() -> Iterator[None]:
    """Raise errors as `CourierError` while a message is delivered; see `meaning`."""
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
    """Return what an error means to the sender; the error itself if the request was wrong."""
    if refused.code in _NO_MORE:
        return NoMessage()
    if refused.code in _CLOSED:
        return Blocked()
    if refused.code in _SHUT:
        return Gone()
    if refused.code == _ARCHIVED:
        return ThreadArchived()
    if refused.status == _TOO_FAST:
        return RetryAfter(_LONG, everywhere=True)
    kind = Transient if refused.status >= _STUMBLED else _BY_STATUS.get(refused.status)
    return kind() if kind else refused


class ErrorTracing(aiohttp.TraceConfig):
    """Raises errors before the library handles them, and counts requests."""

    def __init__(self) -> None:
        super().__init__()
        self.on_request_end.append(_answered)
        self.on_request_exception.append(_broken)


async def _broken(
    _session: aiohttp.ClientSession, _context: SimpleNamespace, failed: aiohttp.TraceRequestExceptionParams
) -> None:
    PLATFORM_REQUESTS.add(PLATFORM, route(failed.method, failed.url.path), "0")


async def _answered(
    _session: aiohttp.ClientSession, _context: SimpleNamespace, ended: aiohttp.TraceRequestEndParams
) -> None:
    status, headers = ended.response.status, ended.response.headers
    PLATFORM_REQUESTS.add(PLATFORM, route(ended.method, ended.url.path), str(status))
    if status == _TOO_FAST:
        scope = headers.get("X-RateLimit-Scope", "global")
        LIMITED.add(PLATFORM, scope if scope in _SCOPES else "other", by=_seconds(headers.get("Retry-After")))
    if not _delivering.get():
        return
    if status == _TOO_FAST:
        # An answer without this header comes from the proxy before Discord: the limit is for all requests.
        proxied = "Via" not in headers
        everywhere = (
            proxied or headers.get("X-RateLimit-Scope") == "global" or "X-RateLimit-Global" in headers
        )
        raise RetryAfter(_seconds(headers.get("Retry-After")), everywhere=everywhere)
    if status >= _STUMBLED:
        raise Transient


def route(method: str, path: str) -> str:
    """Return a request without its ids and tokens: `POST /channels/{id}/messages`."""
    words = _VERSION.sub("", path).split("/")
    for place, word in enumerate(words):
        if word.isdigit():
            words[place] = "{id}"
        elif words[max(0, place - 2)] in _WITH_TOKEN and words[place - 1] == "{id}":
            words[place] = "{token}"
    return f"{method} {'/'.join(words)}"


def _seconds(text: str | None) -> float:
    try:
        return max(0.0, float(text or ""))
    except ValueError:
        return _LONG
