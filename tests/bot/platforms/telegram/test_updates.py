"""Updates: confirmed to polling and acknowledged to the webhook once they are in the inbox."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
from collections.abc import AsyncIterator, Sequence
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
from tests.support.waiting import eventually


def said(number: int, chat: int = 1) -> Raw:
    return {"update_id": number, "message": {"chat": {"id": chat}, "text": str(number)}}


class Source:
    """Telegram, as far as updates go."""

    def __init__(self, updates: Sequence[Raw], *trouble: Exception) -> None:
        self.updates = list(updates)
        self.offsets: list[int | None] = []
        self.trouble = list(trouble)

    async def __call__(self, offset: int | None, wait: int) -> list[Raw]:
        self.offsets.append(offset)
        if self.trouble:
            raise self.trouble.pop(0)
        if offset is not None:
            self.updates = [each for each in self.updates if each["update_id"] >= offset]
        await asyncio.sleep(0)
        return self.updates[:100]


class Inbox:
    """An inbox, which is away as often as it is told."""

    def __init__(self, away: int = 0) -> None:
        self.away = away
        self.accepted: list[str] = []

    async def accept(self, updates: Sequence[Update]) -> None:
        if self.away:
            self.away -= 1
            raise Unavailable
        self.accepted += [update.id for update in updates]


async def polled(source: Source, inbox: Inbox) -> list[float]:
    """Poll until all updates are confirmed; return the pauses."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    task = asyncio.create_task(Polling(source, inbox.accept, sleep=sleep).run())
    await eventually(lambda: task.done() or not source.updates)
    if not task.done():
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    return waits


async def test_updates_are_confirmed_once_they_are_in_the_inbox_also_when_the_bot_ends() -> None:
    source, inbox = Source([said(n) for n in range(1, 151)]), Inbox()
    await polled(source, inbox)
    assert inbox.accepted == [str(n) for n in range(1, 151)]
    assert source.offsets[:3] == [None, 101, 151]
    assert source.offsets[-1] == 151


async def test_what_the_store_did_not_take_is_delivered_again() -> None:
    source, inbox = Source([said(1), said(2)]), Inbox(away=3)
    assert len(await polled(source, inbox)) == 3
    assert inbox.accepted == ["1", "2"]
    assert source.offsets[:4] == [None] * 4


async def test_an_update_that_cannot_be_read_is_counted_and_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics.UNREADABLE, "add", counted.append)
    parts = [{"chat": "x"}, {"chat": [1]}, {"from": 7}, {"sender_chat": "x"}, {"chat": {"id": "\ud800"}}]
    odd: list[Raw] = [{"update_id": number, "message": part} for number, part in enumerate(parts, 2)]
    odd.append({"update_id": 7, "callback_query": {"message": "x", "from": {"id": 1}}})
    inbox = Inbox()
    assert not await polled(Source([said(1), *odd, said(9)]), inbox)
    assert inbox.accepted == ["1", "9"]
    assert counted == ["telegram"] * len(odd)


async def test_trouble_is_waited_out() -> None:
    trouble = [NetworkError("no"), RetryAfter(17), Conflict("another"), NetworkError("no")]
    inbox = Inbox()
    waits = await polled(Source([said(1)], *trouble), inbox)
    assert inbox.accepted == ["1"]
    assert waits[1] == 17.0
    assert len(waits) == 4


async def test_a_token_that_is_not_known_any_more_ends_it() -> None:
    with pytest.raises(InvalidToken):
        await polled(Source([said(1)], InvalidToken("no")), Inbox())


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


class Hook(Inbox):
    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()

    async def post(self, body: object, secret: str | None = SECRET, path: str = "/hook") -> int:
        headers = {HEADER: secret} if secret is not None else {}
        async with ClientSession(timeout=ClientTimeout(total=20)) as session:
            how = {"data": io.BytesIO(body)} if isinstance(body, bytes) else {"json": body}
            async with session.post(f"http://127.0.0.1:{self.port}{path}", headers=headers, **how) as answer:
                return answer.status


@contextlib.asynccontextmanager
async def serving(**limits: Any) -> AsyncIterator[Hook]:
    hook, listening = Hook(), asyncio.Event()
    webhook = Webhook(hook.accept, SECRET, "/hook", PostLimits(**limits))
    address = ListenAddress("127.0.0.1", hook.port, "")
    task = asyncio.create_task(webhook.serve(address, listening.set))
    try:
        async with asyncio.timeout(20):
            await listening.wait()
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
        hook.away = 1
        assert await hook.post(UPDATE) == 503  # Telegram brings it again
        assert await hook.post(UPDATE) == 200
        assert hook.accepted == ["5"]
        # One of another kind is taken and forgotten: Telegram would bring it again and again.
        assert await hook.post({"update_id": 9, "poll": {"id": "1"}}) == 200


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
