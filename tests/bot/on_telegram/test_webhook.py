"""Updates that Telegram brings: believed with the secret only, acknowledged once they are in the inbox."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import itertools
import json
import socket
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from aiohttp import ClientSession, ClientTimeout

from bot.chat import metrics
from bot.config import ListenAddress
from bot.platforms.listening import PostLimits
from bot.platforms.telegram.adapter import Webhook
from play.errors import Unavailable
from storage.ports import Update
from tests.support.servers import free_port

SECRET = "a-Secret_9"
HEADER = "X-Telegram-Bot-Api-Secret-Token"
UPDATE = {"update_id": 5, "message": {"chat": {"id": 1}, "text": "hello"}}


class Hook:
    def __init__(self) -> None:
        self.accepted: list[str] = []
        self.away = False
        self.port = free_port()

    async def accept(self, updates: Sequence[Update]) -> None:
        if self.away:
            raise Unavailable
        self.accepted += [update.id for update in updates]

    async def post(self, body: object, secret: str | None = SECRET, path: str = "/hook") -> int:
        headers = {HEADER: secret} if secret is not None else {}
        async with ClientSession(timeout=ClientTimeout(total=20)) as session:
            how = {"data": io.BytesIO(body)} if isinstance(body, bytes) else {"json": body}
            async with session.post(f"http://127.0.0.1:{self.port}{path}", headers=headers, **how) as answer:
                return answer.status


@contextlib.asynccontextmanager
async def serving(**limits: Any) -> AsyncIterator[Hook]:
    hook = Hook()
    webhook = Webhook(hook.accept, SECRET, "/hook", PostLimits(**limits))
    task = asyncio.create_task(webhook.serve(ListenAddress("127.0.0.1", hook.port, "")))
    try:
        async with asyncio.timeout(20):
            while True:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", hook.port), 1).close()
                    break
                await asyncio.sleep(0.01)
        yield hook
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_a_request_without_the_secret_is_rejected() -> None:
    async with serving() as hook:
        for secret in (None, "", "a-secret_9", SECRET + "x", "й"):
            assert await hook.post(UPDATE, secret) == 401
        assert hook.accepted == []


async def test_an_update_is_acknowledged_once_it_is_in_the_inbox() -> None:
    async with serving() as hook:
        hook.away = True
        assert await hook.post(UPDATE) == 503  # Telegram brings it again
        hook.away = False
        assert await hook.post(UPDATE) == 200
        assert hook.accepted == ["5"]


UNREADABLE = (
    b"", b"{", b"[]", b'"x"', b"{}", b'{"update_id": "5"}', b"[" * 100_000, b"\xff\xfe", b"null",
    b'{"update_id": 5, "message": {"text": "\xe9"}}', gzip.compress(json.dumps(UPDATE).encode()), b'{"update_id": ' + b"9" * 5000 + b"}",
    b'{"update_id": -1}', b'{"update_id": 5, "message": {"chat": [1]}}', b'{"update_id": 5, "message": {"from": "x"}}',
    b'{"update_id": 5, "message": "x", "poll": 1}', b" " * (PostLimits().largest + 10),
)  # fmt: skip


async def test_what_cannot_be_read_is_counted_and_not_brought_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics.UNREADABLE, "add", counted.append)
    async with serving() as hook:
        for body in UNREADABLE:
            assert await hook.post(body, "another") == 401
        assert counted == []
        for body in UNREADABLE:
            assert await hook.post(body) == 200, body[:50]
        assert counted == ["telegram"] * len(UNREADABLE)
        assert await hook.post(UPDATE, path="/other") == 404
        assert hook.accepted == []


@pytest.mark.parametrize("more", ["Transfer-Encoding: chunked\r\n\r\nzz\r\n", "Content-Length: 99\r\n\r\n{"])
async def test_what_breaks_http_or_breaks_off_is_no_failure_of_the_bot(
    more: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving() as hook, asyncio.timeout(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", hook.port)
        writer.write(f"POST /hook HTTP/1.1\r\nHost: x\r\n{HEADER}: {SECRET}\r\n{more}".encode())
        writer.write_eof()
        assert not (await reader.read()).startswith(b"HTTP/1.1 500")
        writer.close()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_an_update_of_another_kind_is_taken_and_forgotten() -> None:
    """Telegram would bring it again and again."""
    async with serving() as hook:
        assert await hook.post({"update_id": 9, "poll": {"id": "1"}}) == 200


async def test_half_a_header_and_half_a_body_do_not_hold_a_connection() -> None:
    headers = f"POST /hook HTTP/1.1\r\nHost: x\r\n{HEADER}: {SECRET}\r\nContent-Length: 99\r\n"
    async with serving(headers_within=0.05, body_within=0.05) as hook, asyncio.timeout(20):
        for sent, answered in (("", b""), (headers, b""), (f"{headers}\r\n{{", b"HTTP/1.1 408 ")):
            reader, writer = await asyncio.open_connection("127.0.0.1", hook.port)
            writer.write(sent.encode())
            assert (await reader.read()).startswith(answered), "closed by the bot"
            writer.close()
            await writer.wait_closed()
        assert await hook.post(UPDATE) == 200


async def test_who_sends_a_header_or_a_body_slowly_is_cut_off_while_sending() -> None:
    """Each byte is sent in time; it is the whole that takes too long."""
    whole = f"POST /hook HTTP/1.1\r\nHost: x\r\n{HEADER}: {SECRET}\r\nContent-Length: 100000\r\n"
    async with serving(headers_within=0.2, body_within=0.2) as hook, asyncio.timeout(20):
        for first, then, answered in (("", f"{whole}X-Slow: ", b""), (f"{whole}\r\n", "", b"HTTP/1.1 408 ")):
            reader, writer = await asyncio.open_connection("127.0.0.1", hook.port)
            writer.write(first.encode())
            answer = asyncio.create_task(reader.read())
            for byte in itertools.chain(then, itertools.repeat("x")):
                with contextlib.suppress(OSError):
                    writer.write(byte.encode())
                    await writer.drain()
                await asyncio.wait([answer], timeout=0.005)
                if answer.done():
                    break
            with contextlib.suppress(ConnectionError):
                assert (await answer).startswith(answered)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        assert await hook.post(UPDATE) == 200
