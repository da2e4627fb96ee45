"""The job queue over HTTP, for computers that are lent: docs/lending.md is the protocol.

A key is a worker of the queue; its leases, and what becomes of them, are the queue's, and what it did with jobs is in the store. The
server itself remembers nothing that another process, or a restart, would miss.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from math import ceil
from typing import Final, NoReturn

import msgspec
from aiohttp import web

from bot.config import ListenAddress
from bot.listening import Bounds, listen
from bot.thinking.checking import WrongReply, checked
from bot.thinking.jobs import Job, JobClass
from bot.thinking.lender_trust import Disproved, LenderTrust
from bot.thinking.lenders import Lender, Lenders
from bot.thinking.lending import PROTOCOL
from bot.thinking.ports import Solver
from bot.thinking.remote import time_for
from play.errors import Unavailable
from storage import RedisStore
from storage.outgoing import Bucket, Limit
from storage.redis.jobs import LeasedJob

MAX_BODY: Final = 262_144  # bytes
BODY_WITHIN: Final = 10.0  # seconds for a request's body
WAIT: Final = 20.0  # seconds that `acquire` waits for a job
LOOK: Final = 0.2  # seconds between looks for one
LATE: Final = 0.5  # seconds before the bot gives a job up by which its result is to be there

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

    def __init__(self, store: RedisStore, lenders: Lenders, pool: Solver, bucket: Bucket) -> None:
        self._jobs = store.jobs()
        self._bucket = bucket
        self._lenders = lenders
        self._now = store.now
        self._trust = LenderTrust(store, bucket, pool)
        self._waiting: Counter[str] = Counter()  # by key: requests that wait for a job
        self._taking = asyncio.Lock()  # or two requests of a key would take one job too many

    async def run(self, address: ListenAddress) -> None:
        """Serve until cancelled; raises `CannotListen`."""
        try:
            await listen(self.app(), address, Bounds(MOST_OPEN, HEADERS_WITHIN))
        finally:
            await self._trust.close()

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
            if problem.status not in _ERRORS:
                raise
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
        record = await self._trust.record(lender)
        if record.suspended is not None:
            raise Refused(HTTPStatus.FORBIDDEN, "suspended", why=record.why)
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
        if wait := await self._trust.pause(lender):
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "wrong-results", wait=wait)
        most, wait = await self._trust.allowed(lender)
        if wait:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "no-answers", wait=wait)
        if self._waiting[lender.name] >= lender.at_once:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too-many-at-once", wait=LOOK)
        self._waiting[lender.name] += 1
        try:
            leased = await self._wait_for_job(lender, most, request)
        finally:
            self._waiting[lender.name] -= 1
        if leased is None:
            return web.Response(status=HTTPStatus.NO_CONTENT)
        await self._trust.given(lender)
        given = {
            "id": f"{leased.job_class}-{leased.entry}",
            "seconds": round(min(time_for(leased), _left(leased)), 3),
            "job": msgspec.Raw(leased.text.encode()),
        }
        return web.Response(body=msgspec.json.encode(given), content_type="application/json")

    async def _wait_for_job(self, lender: Lender, most: int, request: web.Request) -> LeasedJob | None:
        """Return a job that is leased to a key which may have so many at once; None if there is none for long, or who asked is gone."""
        loop, worker = asyncio.get_running_loop(), lender.worker
        until = loop.time() + WAIT
        while not _is_gone(request):
            async with self._taking:
                await self._jobs.beat(worker, await self._now(), lender.classes)
                found: Sequence[LeasedJob] = ()
                if await self._jobs.held(worker) < most:
                    found = await self._jobs.take(worker, 1, lender.classes)
            for leased in found:
                if _is_gone(request):
                    await self._jobs.give_back(worker, leased)
                    return None
                with suppress(ValueError):
                    if Job.unpack(leased.text).total <= _left(leased):
                        return leased
                await self._jobs.done(leased, "")  # the bot has given it up, or will before it is searched
            if not found:
                if loop.time() >= until:
                    return None
                await asyncio.sleep(LOOK)
        return None

    async def _progress(self, request: web.Request) -> web.Response:
        lender, leased = request[_LENDER], await self._leased(request)
        await self._jobs.renew(lender.worker, leased)
        await self._jobs.beat(lender.worker, await self._now(), lender.classes)
        return web.Response(status=HTTPStatus.NO_CONTENT)

    async def _abort(self, request: web.Request) -> web.Response:
        lender, leased = request[_LENDER], await self._leased(request)
        await self._jobs.give_back(lender.worker, leased)
        await self._trust.returned(lender)
        return web.Response(status=HTTPStatus.NO_CONTENT)

    async def _result(self, request: web.Request) -> web.Response:
        lender, leased = request[_LENDER], await self._leased(request)
        body = await _body(request)
        try:
            job = Job.unpack(leased.text)
            reply = await asyncio.to_thread(checked, job, body.decode())
            reply = await self._trust.examined(lender, job, reply)
        except (WrongReply, UnicodeDecodeError) as wrong:
            await self._trust.wrong(lender, str(wrong))
            await self._jobs.give_back(lender.worker, leased)
            await self._refuse(lender, str(wrong))
        except Disproved as false:
            await self._refuse(lender, str(false))
        await self._jobs.done(leased, reply.pack())
        await self._trust.answered(lender)
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
            leased = await self._jobs.leased(request[_LENDER].worker, named[1], named[2])
        if leased is None or leased.age >= leased.seconds:
            raise Refused(HTTPStatus.NOT_FOUND, "not-yours")
        return leased

    async def _refuse(self, lender: Lender, why: str) -> NoReturn:
        """Refuse a result, whose job another worker gets."""
        await self._trust.answered(lender)
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "wrong-result", why=why)


def _left(leased: LeasedJob) -> float:
    """Return for how many seconds a result is waited for."""
    return leased.seconds - leased.age - LATE


def _is_gone(request: web.Request) -> bool:
    """Whether the connection of a request is closed."""
    return request.transport is None or request.transport.is_closing()


async def _body(request: web.Request) -> bytes:
    async with asyncio.timeout(BODY_WITHIN):
        return await request.read()
