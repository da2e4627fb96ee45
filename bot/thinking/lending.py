"""`klop lend URL`: searches for a bot elsewhere over HTTPS. docs/lending.md is the protocol."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from aiohttp import (
    ClientError,
    ClientHandlerType,
    ClientRequest,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    hdrs,
)

from bot.thinking.jobs import Job
from bot.thinking.ports import SearchFailed, Solver
from rules.core import Reason

PROTOCOL: Final = 1
"""The version of the protocol."""

RENEW: Final = 1.0  # seconds between two signs of life of a job
FIRST: Final = 0.1
FACTOR: Final = 4.0
LONGEST: Final = 30.0
"""Seconds of the first pause after an error, by how much each next one is longer, and of the longest; each at random up to that."""

_ANSWERED: Final = 45.0  # seconds for an answer: `acquire` waits for a job
_LEAVING: Final = 2.0  # seconds to give a job back
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")


_log: Final = logging.getLogger(__name__)

T = TypeVar("T")


class LendingFailure(Reason):
    """Why this computer cannot be lent."""

    NO_KEY = "bot.lend.no-key"
    NOT_HTTPS = "bot.lend.not-https"  # url
    WRONG_KEY = "bot.lend.wrong-key"  # url
    TOO_OLD = "bot.lend.too-old"  # url
    SUSPENDED = "bot.lend.suspended"  # url


class CannotLend(Exception):
    """Something that only the person who lends the computer can mend."""

    def __init__(self, reason: LendingFailure, **fields: str) -> None:
        super().__init__(reason, fields)
        self.reason = reason
        self.fields = fields


class _Later(Exception):
    """The server cannot be reached, or wants no request for some `seconds`."""

    def __init__(self, said: str, seconds: float = 0.0) -> None:
        super().__init__(said)
        self.seconds = seconds


class _Given(msgspec.Struct):
    """What `acquire` answers."""

    id: str
    seconds: float
    job: Job


class _Key(msgspec.Struct):
    """What a key allows."""

    classes: list[str]
    at_once: int


class _Status(msgspec.Struct):
    """What `status` answers, as far as it is needed."""

    key: _Key


class LentWorker:
    """Takes jobs of the bot at a URL, as many at once as there are workers here and the key allows; both are said to `begun`.

    Raises:
        CannotLend: the URL is not safe for a key.
    """

    def __init__(
        self,
        url: str,
        key: str,
        pool: Solver,
        *,
        begun: Callable[[int, Sequence[str]], None] = lambda _places, _classes: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        parts = urlsplit(url)
        if not parts.hostname or not (
            parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL)
        ):
            raise CannotLend(LendingFailure.NOT_HTTPS, url=url)
        self._url: Final = url.rstrip("/")
        self._key: Final = key
        self._pool: Final = pool
        self._sleep: Final = sleep
        self._begin: Final = begun
        self._searching: set[asyncio.Task[Any] | None] = set()
        self._session: ClientSession

    async def run(self) -> None:
        """Work until cancelled; jobs under way are given back then.

        Raises:
            CannotLend: the key is refused or suspended, or the bot speaks another protocol.
        """
        limits = ClientTimeout(total=_ANSWERED, sock_connect=10.0)
        # With trust_env the proxies of the environment are used.
        session = ClientSession(timeout=limits, trust_env=True, middlewares=[self._authorized])
        async with session as self._session:
            key = await self._accepted()
            places = min(self._pool.workers, key.at_once)
            self._begin(places, key.classes)
            tasks = [asyncio.create_task(self._place()) for _ in range(places)]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
                for task in done:
                    task.result()
            finally:
                # First those that wait for a job: they would be given what the others give back.
                for some in ([task for task in tasks if task not in self._searching], tasks):
                    for task in some:
                        task.cancel()
                    await asyncio.gather(*some, return_exceptions=True)

    async def _authorized(self, request: ClientRequest, send: ClientHandlerType) -> ClientResponse:
        """Send a request with the key.

        As a header of the session it could not be combined with an entry of ~/.netrc for the host: aiohttp raises ValueError.
        """
        request.headers[hdrs.AUTHORIZATION] = f"Bearer {self._key}"
        return await send(request)

    async def _accepted(self) -> _Key:
        """Return what the key allows, once the bot says so."""
        backoff = _Backoff()
        while True:
            try:
                return _read(await self._asked("status") or b"", _Status).key
            except _Later as later:
                await self._wait(backoff, later)

    async def _place(self) -> None:
        """Do one job after the other."""
        backoff = _Backoff()
        while True:
            try:
                await self._one()
                backoff = _Backoff()
            except _Later as later:
                await self._wait(backoff, later)

    async def _wait(self, backoff: _Backoff, later: _Later) -> None:
        level = logging.WARNING if backoff.fresh else logging.INFO
        pause = max(later.seconds, backoff.next())
        _log.log(level, "%s: %s; next request in %.1f s", self._url, later, pause)
        await self._sleep(pause)

    async def _one(self) -> None:
        """Acquire a job and do it, if there is one."""
        answer = await self._asked("acquire", {"protocol": PROTOCOL})
        if not answer:
            await self._sleep(FIRST)
            return
        given = _read(answer, _Given)
        here, answered = asyncio.current_task(), False
        self._searching.add(here)
        searching = asyncio.create_task(self._pool.solve(given.job, given.seconds))
        renewing = asyncio.create_task(self._renew(given.id))
        try:
            await asyncio.wait((searching, renewing), return_when=asyncio.FIRST_COMPLETED)
            if searching.done():
                await self._asked(f"{given.id}/result", msgspec.to_builtins(searching.result()))
            answered = True  # or it is another's
        except SearchFailed as failed:
            raise _Later(f"a search failed: {failed}") from failed
        finally:
            for task in (searching, renewing):
                task.cancel()
            if not answered:
                await _whole(self._aborted(given.id))
            await asyncio.gather(searching, renewing, return_exceptions=True)
            self._searching.discard(here)

    async def _renew(self, job_id: str) -> None:
        """Renew the lease of a job; return once it is another's."""
        while True:
            await self._sleep(RENEW)
            with suppress(_Later):  # the next one may come through
                if await self._asked(f"{job_id}/progress") is None:
                    return

    async def _aborted(self, job_id: str) -> None:
        with suppress(_Later, TimeoutError):
            async with asyncio.timeout(_LEAVING):
                await self._asked(f"{job_id}/abort")

    async def _asked(self, path: str, body: object = None) -> bytes | None:
        """Return the answer to a request; None if the job is not, or not any more, this computer's.

        Raises:
            CannotLend: the key is refused or suspended, or the protocol is another.
            _Later: there is no answer, or one that says no.
        """
        method = "GET" if path == "status" else "POST"
        try:
            async with self._session.request(
                method, f"{self._url}/jobs/{path}", json=body, allow_redirects=False
            ) as answer:
                content = await answer.read()
        except (ClientError, OSError, TimeoutError) as error:
            raise _Later(f"no answer: {type(error).__name__}") from error
        match answer.status:
            case HTTPStatus.OK | HTTPStatus.NO_CONTENT:
                return content
            case HTTPStatus.NOT_FOUND if path not in ("status", "acquire"):
                return None
            case HTTPStatus.UNAUTHORIZED:
                raise CannotLend(LendingFailure.WRONG_KEY, url=self._url)
            case HTTPStatus.FORBIDDEN:
                raise CannotLend(LendingFailure.SUSPENDED, url=self._url)
            case HTTPStatus.NOT_ACCEPTABLE:
                raise CannotLend(LendingFailure.TOO_OLD, url=self._url)
        seconds = answer.headers.get("Retry-After", "0")
        said = content[:200].decode(errors="replace")
        raise _Later(f"{answer.status} {said}", float(seconds) if seconds.isdecimal() else 0.0)


def _read(answer: bytes, what: type[T]) -> T:
    """Parse an answer; what another server says is no answer."""
    try:
        return msgspec.json.decode(answer, type=what)
    except (ValueError, RecursionError) as odd:
        raise _Later(f"an answer that is not understood: {odd}") from odd


async def _whole(work: Coroutine[Any, Any, None]) -> None:
    """Do something to its end, also when cancelled."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


class _Backoff:
    """Pauses at random, which grow; so that many computers do not come back at once."""

    def __init__(self) -> None:
        self._most = FIRST

    @property
    def fresh(self) -> bool:
        """Whether there was no pause yet."""
        return self._most == FIRST

    def next(self) -> float:
        """Return the next pause, in seconds."""
        pause = random.uniform(0, self._most)  # noqa: S311 - no secret
        self._most = min(LONGEST, self._most * FACTOR)
        return pause
