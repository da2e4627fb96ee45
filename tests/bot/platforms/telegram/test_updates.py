"""Updates: confirmed to polling and acknowledged to the webhook once they are in the inbox."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from aiohttp import ClientSession, ClientTimeout
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter

from bot.chat import metrics
from bot.config import ListenAddress
from bot.platforms.listening import PostLimits
from bot.platforms.telegram.adapter import Polling, Raw, Webhook, lean, stored
from play.errors import Unavailable
from storage.ports import Update
from tests.support.servers import free_port

# An update is confirmed once it is in the inbox, not before.


def said(number: int, chat: int = 1) -> Raw:
    return {"update_id": number, "message": {"chat": {"id": chat}, "text": str(number)}}


class Source:
    """Telegram, as far as updates go."""

    def __init__(self, updates: Sequence[Raw]) -> None:
        self.updates = list(updates)
        self.offsets: list[int | None] = []
        self.trouble: list[Exception] = []

    async def __call__(self, offset: int | None, wait: int) -> list[Raw]:
        self.offsets.append(offset)
        if self.trouble:
            raise self.trouble.pop(0)
        if offset is not None:
            self.updates = [each for each in self.updates if each["update_id"] >= offset]
        await asyncio.sleep(0)
        return self.updates[:100]


class Store:
    """An inbox, which is away as often as it is told."""

    def __init__(self, away: int = 0) -> None:
        self.away = away
        self.accepted: list[str] = []

    async def accept(self, updates: Sequence[Update]) -> None:
        if self.away:
            self.away -= 1
            raise Unavailable
        self.accepted += [update.id for update in updates]


@contextlib.asynccontextmanager
async def polling(source: Source, store: Store) -> AsyncIterator[tuple[asyncio.Task[None], list[float]]]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0)

    task = asyncio.create_task(Polling(source, store.accept, sleep=sleep).run())
    try:
        yield task, waits
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, InvalidToken):
            await task


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_updates_are_confirmed_once_they_are_in_the_inbox() -> None:
    source, store = Source([said(n) for n in range(1, 151)]), Store()
    async with polling(source, store):
        await until(lambda: not source.updates)
    assert store.accepted == [str(n) for n in range(1, 151)]
    assert source.offsets[:3] == [None, 101, 151]


async def test_what_the_store_did_not_take_is_delivered_again() -> None:
    source, store = Source([said(1), said(2)]), Store(away=3)
    async with polling(source, store) as (_, waits):
        await until(lambda: not source.updates)
        assert len(waits) == 3
    assert store.accepted == ["1", "2"]
    assert source.offsets[:4] == [None] * 4


async def test_an_update_that_cannot_be_read_is_counted_and_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics.UNREADABLE, "add", counted.append)
    parts = [{"chat": "x"}, {"chat": [1]}, {"from": 7}, {"sender_chat": "x"}, {"chat": {"id": "\ud800"}}]
    odd: list[Raw] = [{"update_id": number, "message": part} for number, part in enumerate(parts, 2)]
    odd.append({"update_id": 7, "callback_query": {"message": "x", "from": {"id": 1}}})
    source, store = Source([said(1), *odd, said(9)]), Store()
    async with polling(source, store) as (_, waits):
        await until(lambda: not source.updates)
        assert not waits
    assert store.accepted == ["1", "9"]
    assert counted == ["telegram"] * len(odd)


async def test_what_was_accepted_is_confirmed_when_the_bot_ends() -> None:
    source, store = Source([said(1), said(2)]), Store()
    async with polling(source, store):
        await until(lambda: store.accepted == ["1", "2"])
    assert source.offsets[-1] == 3


async def test_trouble_is_waited_out() -> None:
    source, store = Source([said(1)]), Store()
    source.trouble = [NetworkError("no"), RetryAfter(17), Conflict("another"), NetworkError("no")]
    async with polling(source, store) as (_, waits):
        await until(lambda: store.accepted == ["1"])
        assert 17.0 in waits
        assert len(waits) == 4


async def test_a_token_that_is_not_known_any_more_ends_it() -> None:
    source = Source([])
    source.trouble = [InvalidToken("no")]
    async with polling(source, Store()) as (task, _):
        with pytest.raises(InvalidToken):
            await task


@pytest.mark.parametrize(
    ("raw", "chat", "person"),
    [
        ({"message": {"chat": {"id": -5}, "from": {"id": 3}}}, "-5", "3"),
        ({"message": {"chat": {"id": -5}, "from": {"id": 3}, "sender_chat": {"id": -5}}}, "-5", "-5"),
        ({"callback_query": {"from": {"id": 3}, "message": {"chat": {"id": -5}}}}, "-5", "3"),
        ({"callback_query": {"from": {"id": 3}, "inline_message_id": "abc"}}, "inline:abc", "3"),
        ({"inline_query": {"from": {"id": 3}}}, "3", "3"),
        ({"my_chat_member": {"chat": {"id": -7}, "from": {"id": 3}}}, "-7", "3"),
        ({"message": {"chat": {"id": 1}}}, "1", ""),
        ({}, "", ""),
    ],
)
def test_an_update_is_of_a_chat_and_a_person(raw: Raw, chat: str, person: str) -> None:
    kept = stored({"update_id": 1, **raw})
    assert (kept.chat, kept.person) == (chat, person)


def test_an_update_is_kept_without_what_is_not_read() -> None:
    raw = {"update_id": 7, "message": {"chat": {"id": 1}, "text": "ї\ud800", "reply_markup": {"x": 1}}}
    kept = stored(raw)
    assert (kept.id, kept.chat, kept.person) == ("7", "1", "")
    assert json.loads(kept.body.decode(errors="surrogatepass")) == lean(raw)
    assert b"reply_markup" not in kept.body


# Updates that Telegram brings: believed with the secret only, acknowledged once they are in the inbox.


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


WHOLE = f"POST /hook HTTP/1.1\r\nHost: x\r\n{HEADER}: {SECRET}\r\nContent-Length: 100000\r\n"


@pytest.mark.parametrize(
    ("sent", "more", "answered"),
    [
        ("", "", b""),
        (WHOLE, "", b""),
        (f"{WHOLE}X-Slow: ", "x", b""),
        (f"{WHOLE}\r\n{{", "", b"HTTP/1.1 408 "),
        (f"{WHOLE}\r\n", "x", b"HTTP/1.1 408 "),
    ],
)
async def test_who_takes_long_over_a_header_or_a_body_is_cut_off(
    sent: str, more: str, answered: bytes
) -> None:
    """More of it may come in time; it is the whole that takes too long."""
    async with serving(headers_within=0.1, body_within=0.1) as hook, asyncio.timeout(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", hook.port)
        writer.write(sent.encode())
        answer = asyncio.create_task(reader.read())
        while not answer.done():
            with contextlib.suppress(OSError):
                writer.write(more.encode())
                await writer.drain()
            await asyncio.wait([answer], timeout=0.005)
        with contextlib.suppress(ConnectionError):
            assert (await answer).startswith(answered)
        writer.close()
        assert await hook.post(UPDATE) == 200
