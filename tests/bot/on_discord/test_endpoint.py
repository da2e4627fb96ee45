"""Interactions and webhook events that Discord posts: rejected unless it signed them just now, answered, and handled once."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession, ClientTimeout
from nacl.signing import SigningKey

from bot.chat.callback_data import MAX_BYTES
from bot.config import ListenAddress
from bot.platforms.discord.endpoint import FRESH, LIMITS, Endpoint, Raw, Response
from bot.platforms.discord.rendering import EMBEDS, LONGEST
from play.errors import Unavailable
from tests.platforms.discord.posting import PUBLIC_KEY, signed
from tests.support.servers import free_port
from tests.support.waiting import eventually

AT = datetime(2026, 11, 21, 18, tzinfo=UTC)
PING = {"type": 1, "id": "5", "token": "t", "version": 1, "application_id": "1"}
PRESS = {"type": 3, "id": "6", "token": "t"}
EVENT = {"type": 1, "event": {"type": "APPLICATION_AUTHORIZED"}}


class Posted:
    """An endpoint, and what it took."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.taken: list[Raw] = []
        self.away = False
        self.response: Response | None = {"type": 6}

    async def take(self, raw: Raw) -> Response | None:
        if self.away:
            raise Unavailable
        self.taken.append(raw)
        return None if "event" in raw else self.response

    async def post(
        self,
        body: object,
        headers: Mapping[str, str] | None = None,
        method: str = "POST",
        path: str = "/discord",
    ) -> tuple[int, Any]:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = signed(sent, AT.timestamp()) if headers is None else headers
        async with (
            ClientSession(timeout=ClientTimeout(total=20)) as session,
            session.request(method, self.url + path, data=sent, headers=headers) as answer,
        ):
            said = await answer.read()
            assert answer.content_type == "application/json" or answer.status >= 400
            return answer.status, json.loads(said) if said and answer.status == 200 else None


@contextlib.asynccontextmanager
async def posted(**limits: Any) -> AsyncIterator[Posted]:
    port, listening = free_port(), asyncio.Event()
    there = Posted(port)
    endpoint = Endpoint(there.take, PUBLIC_KEY, "/discord", lambda: AT, replace(LIMITS, **limits))
    task = asyncio.create_task(endpoint.serve(ListenAddress("127.0.0.1", port, ""), listening.set))
    try:
        await eventually(listening.is_set)
        yield there
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_ping_is_answered_and_goes_no_further() -> None:
    async with posted() as there:
        assert await there.post(PING) == (200, {"type": 1})
        assert await there.post({"type": 0, "version": 1, "application_id": "1"}) == (204, None)
        assert there.taken == []


async def test_what_is_taken_has_its_response_or_none() -> None:
    async with posted() as there:
        assert await there.post(PRESS) == (200, {"type": 6})
        there.response = None  # sent by a request of its own
        assert await there.post(PRESS) == (202, None)
        assert await there.post(EVENT) == (204, None)
        assert there.taken == [PRESS, PRESS, EVENT]


async def test_what_is_not_stored_is_not_acknowledged() -> None:
    async with posted() as there:
        there.away = True
        assert (await there.post(EVENT))[0] == 503, "Discord brings it again"


def tampered(name: str, value: str) -> dict[str, str]:
    return {**signed(json.dumps(PRESS).encode(), AT.timestamp()), name: value}


FORGED = {
    "no headers": {},
    "no signature": tampered("X-Signature-Ed25519", ""),
    "half a signature": tampered("X-Signature-Ed25519", "ab" * 32),
    "no hexadecimal number": tampered("X-Signature-Ed25519", "xy" * 64),
    "no digits": tampered("X-Signature-Ed25519", "й" * 128),
    "a signature of zeros": tampered("X-Signature-Ed25519", "00" * 64),
    "another key": signed(json.dumps(PRESS).encode(), AT.timestamp(), SigningKey(bytes(32))),
    "another body": signed(json.dumps(PING).encode(), AT.timestamp()),
    "no time": tampered("X-Signature-Timestamp", ""),
    "another time": tampered("X-Signature-Timestamp", str(int(AT.timestamp()) + 1)),
    "a time beyond all times": tampered("X-Signature-Timestamp", "9" * 30),
    "a time that is no number": tampered("X-Signature-Timestamp", "now"),
    "a stale time": signed(json.dumps(PRESS).encode(), (AT - FRESH - timedelta(seconds=1)).timestamp()),
    "a time to come": signed(json.dumps(PRESS).encode(), (AT + FRESH + timedelta(seconds=1)).timestamp()),
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
async def test_what_discord_has_not_signed_just_now_is_rejected(headers: Mapping[str, str]) -> None:
    async with posted() as there:
        given = {name: value.encode("utf-8", "replace").decode("latin-1") for name, value in headers.items()}
        assert (await there.post(PRESS, given))[0] == 401
        assert (await there.post(PING, given if headers is not FORGED["another body"] else {}))[0] == 401
        assert there.taken == []


async def test_a_request_within_the_time_that_clocks_may_differ_is_taken() -> None:
    async with posted() as there:
        for off in (FRESH, -FRESH):
            headers = signed(json.dumps(PRESS).encode(), (AT + off).timestamp())
            assert (await there.post(PRESS, headers))[0] == 200


async def test_what_is_no_interaction_is_refused() -> None:
    bodies = (b"", b"{", b"[]", b'"x"', b"{}", b'{"type": "1"}', b"[" * 100_000, b"\xff\xfe", b"null")
    async with posted() as there:
        for body in bodies:
            assert (await there.post(body))[0] == 400, body[:20]
        assert (await there.post(PRESS, method="GET"))[0] == 405
        assert (await there.post(PRESS, method="PUT"))[0] == 405
        assert (await there.post(PRESS, path="/other"))[0] == 404
        assert there.taken == []


def head(length: int | None, headers: Mapping[str, str]) -> bytes:
    """The headers of a request, whose body has a length, or is sent in chunks."""
    body = f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked"
    given = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /discord HTTP/1.1\r\nHost: x\r\n{body}\r\n{given}\r\n".encode()


class Slow:
    """A stranger who sends headers, and the body never."""

    def __init__(self, there: Posted) -> None:
        self._port = urlsplit(there.url).port

    async def send(self, sent: bytes) -> Self:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port)
        self.writer.write(sent)
        await self.writer.drain()
        return self

    async def status(self) -> int:
        """The status of the answer; the connection is closed."""
        async with asyncio.timeout(20):
            line = await self.reader.readline()
        self.writer.close()
        return int(line.split()[1])


SIGNED = signed(json.dumps(PRESS).encode(), AT.timestamp())


@pytest.mark.parametrize(
    ("length", "headers", "status"),
    [
        (LIMITS.largest + 1, SIGNED, 413),
        (10**12, SIGNED, 413),
        (100, {}, 401),
        (LIMITS.largest + 1, {}, 401),
        (None, {}, 401),
        (100, FORGED["half a signature"], 401),
        (100, FORGED["a stale time"], 401),
        (100, {"X-Signature-Timestamp": SIGNED["X-Signature-Timestamp"]}, 401),
    ],
)
async def test_a_body_that_would_be_refused_is_not_waited_for(
    length: int | None, headers: Mapping[str, str], status: int
) -> None:
    async with posted(body_within=1e6) as there:
        assert await (await Slow(there).send(head(length, headers))).status() == status


async def test_a_body_of_unknown_length_is_read_up_to_the_bound() -> None:
    async with posted(largest=2000, small=1000, body_within=1e6) as there:
        chunk = b"3e8\r\n" + b" " * 1000 + b"\r\n"
        assert await (await Slow(there).send(head(None, SIGNED) + 3 * chunk)).status() == 413
    assert there.taken == []


@pytest.mark.parametrize("length", [LIMITS.small + 1, None])
async def test_few_large_bodies_are_read_at_once_and_those_that_do_not_come_give_way(
    length: int | None,
) -> None:
    whole = json.dumps({**PRESS, "data": "v" * LIMITS.small}).encode()
    async with posted(body_within=1e6) as there:
        held = [await Slow(there).send(head(length, SIGNED)) for _ in range(LIMITS.large_at_once + 2)]
        ended = [asyncio.create_task(each.reader.read()) for each in held]
        async with asyncio.timeout(20):
            assert [await first for first in ended[:2]] == [b"", b""]
            assert (await there.post(PRESS))[0] == 200
            assert sum(each.done() for each in ended) == 2
            assert (await there.post(whole))[0] == 200
            assert await ended[2] == b""
        for one, end in zip(held, ended, strict=True):
            one.writer.close()
            end.cancel()
        await asyncio.gather(*ended, return_exceptions=True)
    bound = (100 - LIMITS.large_at_once) * LIMITS.small + LIMITS.large_at_once * LIMITS.largest
    assert LIMITS.most_open == 100
    assert bound < 10 << 20


async def test_a_body_that_does_not_come_frees_its_place() -> None:
    async with posted(body_within=0.05, large_at_once=1) as there:
        for _ in range(2):
            assert await (await Slow(there).send(head(LIMITS.largest, SIGNED))).status() == 408
    assert LIMITS.body_within <= 3, "seconds after which Discord gives up"


def member(number: int) -> dict[str, Any]:
    roles = [str(10**18 + role) for role in range(250)]
    return {"roles": roles, "nick": "ї" * 32, "permissions": "9" * 20, "avatar": "a" * 34, "flags": number}


async def test_the_largest_interaction_is_taken() -> None:
    """As Discord bounds the text of what this bot sends and asks for, with every letter escaped."""
    entry = {"label": "ї" * 100, "value": "v" * MAX_BYTES}
    menus = [{"type": 3, "custom_id": "i" * 100, "placeholder": "ї" * 150, "options": [entry] * 25}] * 5
    message = {
        "embeds": [{"description": "ї" * 4096}, {"description": "ї" * (EMBEDS - 4096)}],
        "components": [{"type": 1, "components": [menu]} for menu in menus],
        "attachments": [{"url": "u" * 400, "proxy_url": "u" * 400, "description": "ї" * 1024}],
    }
    file = {"components": [{"type": 18, "component": {"type": 4, "value": "🟣" * LONGEST}}]}
    people = {"resolved": {"members": {str(number): member(number) for number in range(10)}}}
    async with posted() as there:
        for data in (file, people):
            whole = {**PRESS, "data": data, "message": message, "member": member(0)}
            assert len(json.dumps(whole)) > LIMITS.small
            assert (await there.post(whole))[0] == 200


BROKEN = {
    "no HTTP": b"garbage\r\n\r\n",
    "bad chunks": b"POST /discord HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "half a body": b"POST /discord HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
    "compressed": b"POST /discord HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab",
}


@pytest.mark.parametrize("sent", BROKEN.values(), ids=BROKEN)
async def test_strangers_cannot_fill_the_log(sent: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with posted() as there:
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(there.url).port)
        writer.write(sent)
        writer.write_eof()
        await reader.read()
        writer.close()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert there.taken == []
