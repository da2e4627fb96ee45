"""The job queue over HTTP, for computers that are lent: docs/lending.md is the protocol.

A key is a worker of the queue; its leases, and what becomes of them, are the queue's. The server itself remembers nothing that
another process, or a restart, would miss.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from http import HTTPStatus
from math import ceil
from typing import Final, NoReturn

import msgspec
from aiohttp import web

from bot.listening import Bounds, listen
from bot.thinking.checking import WrongReply, checked
from bot.thinking.jobs import Job, JobClass
from bot.thinking.lenders import Lender, Lenders
from bot.thinking.remote import time_for
from play.errors import Unavailable
from storage.outgoing import Bucket, Limit
from storage.redis.jobs import LeasedJob, RedisJobs

PROTOCOL: Final = 1
"""The version of the protocol."""

MAX_BODY: Final = 262_144  # bytes
BODY_WITHIN: Final = 10.0  # seconds for a request's body
WAIT: Final = 20.0  # seconds that `acquire` waits for a job
LOOK: Final = 0.2  # seconds between looks for one
SLOWER: Final = 5.0  # seconds without a job after a wrong result: another worker takes it
FAILURES: Final = 5
WITHIN: Final = 600.0
REFUSED: Final = 600.0
"""After so many wrong results of a key within so many seconds, it gets no job for so many seconds."""

MOST_OPEN: Final = 200  # connections at once; more are refused
HEADERS_WITHIN: Final = 30.0  # seconds; a connection between two requests is kept for as long

_JOB: Final = re.compile(rf"({'|'.join(JobClass)})-([0-9]{{1,20}}-[0-9]{{1,20}})", re.ASCII)

_log: Final = logging.getLogger(__name__)

_ERRORS: Final = {404: "no-such-path", 405: "wrong-method", 413: "too-large"}

_LENDER: Final = web.RequestKey("lender", Lender)


class Acquire(msgspec.Struct):
    """The body of `acquire`."""

    protocol: int


class Refused(Exception):
    """A request that is refused, with a word for programs."""

    def __init__(self, status: HTTPStatus, error: str, *, why: str = "", wait: float = 0.0) -> None:
        super().__init__(status, error)
        self.status = status
        self.body = {"error": error} | ({"why": why[:200]} if why else {})
        self.headers = {"Retry-After": str(ceil(wait))} if wait else {}


class JobServer:
    """Serves the jobs of a store; `run` is a part of the bot."""

    def __init__(
        self, jobs: RedisJobs, bucket: Bucket, lenders: Lenders, now: Callable[[], Awaitable[datetime]]
    ) -> None:
        self._jobs = jobs
        self._bucket = bucket
        self._lenders = lenders
        self._now = now
        self._waiting: Counter[str] = Counter()  # by key: requests that wait for a job
        self._taking = asyncio.Lock()  # or two requests of a key would take one job too many

    async def run(self, host: str, port: int) -> None:
        """Serve until cancelled; raises OSError if the address cannot be listened on."""
        await listen(self.app(), host, port, Bounds(MOST_OPEN, HEADERS_WITHIN))

    def app(self) -> web.Application:
        """Return the routes."""
        app = web.Application(client_max_size=MAX_BODY, middlewares=[self._guard])
        app.router.add_post("/jobs/acquire", self._acquire)
        app.router.add_get("/jobs/status", self._status)
        app.router.add_post("/jobs/{id}/progress", self._progress)
        app.router.add_post("/jobs/{id}/result", self._result)
        app.router.add_post("/jobs/{id}/abort", self._abort)
        return app

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Ask for the key before anything else, bound its rate, and turn each refusal into an answer."""
        try:
            request[_LENDER] = await self._admitted(request)
            return await handler(request)
        except Refused as refused:
            return web.json_response(refused.body, status=refused.status, headers=refused.headers)
        except web.HTTPException as problem:
            return web.json_response({"error": _ERRORS[problem.status]}, status=problem.status)
        except TimeoutError:
            return web.json_response({"error": "too-slow"}, status=HTTPStatus.REQUEST_TIMEOUT)
        except Unavailable:
            body, status = {"error": "no-store"}, HTTPStatus.SERVICE_UNAVAILABLE
            return web.json_response(body, status=status, headers={"Retry-After": "1"})

    async def _admitted(self, request: web.Request) -> Lender:
        """Return whose key a request has, and count the request."""
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        lender = self._lenders.of(key) if scheme == "Bearer" else None
        if lender is None:
            raise Refused(HTTPStatus.UNAUTHORIZED, "no-such-key")
        rate = Limit(f"lent:{lender.name}", 5 + 4 * lender.at_once, 10 + 8 * lender.at_once)
        if wait := await self._bucket.take(rate):
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too-many-requests", wait=wait)
        return lender

    # --- the requests

    async def _acquire(self, request: web.Request) -> web.Response:
        lender = request[_LENDER]
        try:
            asked = msgspec.json.decode(await _body(request), type=Acquire)
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "bad-request") from None
        if asked.protocol != PROTOCOL:
            raise Refused(HTTPStatus.NOT_ACCEPTABLE, "other-protocol", why=f"this is protocol {PROTOCOL}")
        if wait := await self._bucket.take(_pause(lender)):
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "wrong-results", wait=wait)
        if self._waiting[lender.name] >= lender.at_once:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too-many-at-once", wait=LOOK)
        self._waiting[lender.name] += 1
        try:
            leased = await self._wait_for_job(lender, request)
        finally:
            self._waiting[lender.name] -= 1
        if leased is None:
            return web.Response(status=HTTPStatus.NO_CONTENT)
        given = {
            "id": f"{leased.job_class}-{leased.entry}",
            "seconds": round(time_for(leased), 3),
            "job": msgspec.Raw(leased.text.encode()),
        }
        return web.Response(body=msgspec.json.encode(given), content_type="application/json")

    async def _wait_for_job(self, lender: Lender, request: web.Request) -> LeasedJob | None:
        """Return a job that is leased to a key; None if there is none for long, or who asked is gone."""
        loop, worker = asyncio.get_running_loop(), _worker(lender)
        until = loop.time() + WAIT
        while not _is_gone(request):
            async with self._taking:
                await self._jobs.beat(worker, await self._now(), lender.classes)
                found: Sequence[LeasedJob] = ()
                if await self._jobs.held(worker) < lender.at_once:
                    found = await self._jobs.take(worker, 1, lender.classes)
            for leased in found:
                if _is_gone(request):
                    await self._jobs.give_back(worker, leased)
                    return None
                with suppress(ValueError):
                    Job.unpack(leased.text)
                    if leased.age < leased.seconds:
                        return leased
                await self._jobs.done(leased, "")  # the bot has given it up
            if not found:
                if loop.time() >= until:
                    return None
                await asyncio.sleep(LOOK)
        return None

    async def _progress(self, request: web.Request) -> web.Response:
        lender, leased = request[_LENDER], await self._leased(request)
        await self._jobs.renew(_worker(lender), leased)
        await self._jobs.beat(_worker(lender), await self._now(), lender.classes)
        return web.Response(status=HTTPStatus.NO_CONTENT)

    async def _abort(self, request: web.Request) -> web.Response:
        leased = await self._leased(request)
        await self._jobs.give_back(_worker(request[_LENDER]), leased)
        return web.Response(status=HTTPStatus.NO_CONTENT)

    async def _result(self, request: web.Request) -> web.Response:
        lender, leased = request[_LENDER], await self._leased(request)
        body = await _body(request)
        try:
            job = Job.unpack(leased.text)
            reply = await asyncio.to_thread(checked, job, body.decode())
        except (WrongReply, UnicodeDecodeError) as wrong:
            await self._wrong(lender, leased, str(wrong))
        await self._jobs.done(leased, reply.pack())
        return web.Response(status=HTTPStatus.NO_CONTENT)

    async def _status(self, request: web.Request) -> web.Response:
        lender, backlog = request[_LENDER], await self._jobs.backlog()
        waiting = {
            name: {"queued": each.queued, "acquired": each.acquired, "oldest": round(each.oldest, 1)}
            for name, each in backlog.items()
        }
        key = {"name": lender.name, "classes": list(lender.classes), "at_once": lender.at_once}
        return web.json_response({"protocol": PROTOCOL, "key": key, "classes": waiting})

    # --- what they share

    async def _leased(self, request: web.Request) -> LeasedJob:
        """Return the job of a request, which is leased to its key and still waited for."""
        named, leased = _JOB.fullmatch(request.match_info["id"]), None
        if named is not None:
            leased = await self._jobs.leased(_worker(request[_LENDER]), named[1], named[2])
        if leased is None or leased.age >= leased.seconds:
            raise Refused(HTTPStatus.NOT_FOUND, "not-yours")
        return leased

    async def _wrong(self, lender: Lender, leased: LeasedJob, why: str) -> NoReturn:
        """Refuse a result: another worker gets the job, and the key none for a while."""
        _log.warning("a wrong result of the lent computer %s: %s", lender.name, why)
        failures = Limit(f"lent-wrong:{lender.name}", FAILURES / WITHIN, FAILURES - 1)
        pause = REFUSED if await self._bucket.take(failures) else SLOWER
        await self._bucket.hold(_pause(lender), pause)
        await self._jobs.give_back(_worker(lender), leased)
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "wrong-result", why=why)


def _worker(lender: Lender) -> str:
    """Return the name of a key among the workers; those of processes have other ones."""
    return f"lent:{lender.name}"


def _pause(lender: Lender) -> Limit:
    """Return the bucket that has no token while a key gets no jobs."""
    return Limit(f"lent-pause:{lender.name}", 1000.0, 1000)


def _is_gone(request: web.Request) -> bool:
    """Whether the connection of a request is closed."""
    return request.transport is None or request.transport.is_closing()


async def _body(request: web.Request) -> bytes:
    async with asyncio.timeout(BODY_WITHIN):
        return await request.read()
