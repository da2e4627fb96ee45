"""Updates that Telegram brings: believed with the secret only, acknowledged once they are handled."""

from __future__ import annotations

import asyncio
import contextlib
import io
import socket
from collections.abc import AsyncIterator

from aiohttp import ClientSession, ClientTimeout

from bot.on_telegram.chat_queues import ChatQueues, Raw
from bot.on_telegram.webhook import LARGEST, Webhook

SECRET = "a-Secret_9"
HEADER = "X-Telegram-Bot-Api-Secret-Token"
UPDATE = {"update_id": 5, "message": {"chat": {"id": 1}, "text": "hello"}}


class Hook:
    def __init__(self) -> None:
        self.handled: list[int] = []
        self.begun = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.queues = ChatQueues(self._handle)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])

    async def _handle(self, raw: Raw) -> None:
        self.begun.set()
        await self.gate.wait()
        self.handled.append(raw["update_id"])

    async def post(self, body: object, secret: str | None = SECRET, path: str = "/hook") -> int:
        headers = {HEADER: secret} if secret is not None else {}
        async with ClientSession(timeout=ClientTimeout(total=20)) as session:
            how = {"data": io.BytesIO(body)} if isinstance(body, bytes) else {"json": body}
            async with session.post(f"http://127.0.0.1:{self.port}{path}", headers=headers, **how) as answer:
                return answer.status


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[Hook]:
    hook = Hook()
    task = asyncio.create_task(Webhook(hook.queues, SECRET, "/hook").serve("127.0.0.1", hook.port))
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
        await hook.queues.close()


async def test_a_request_without_the_secret_is_rejected() -> None:
    async with serving() as hook:
        for secret in (None, "", "a-secret_9", SECRET + "x", "й"):
            assert await hook.post(UPDATE, secret) == 401
        assert hook.handled == []


async def test_an_update_is_acknowledged_when_it_has_been_handled() -> None:
    async with serving() as hook:
        assert await hook.post(UPDATE) == 200
        assert hook.handled == [5]
        hook.gate.clear()
        hook.begun.clear()
        waiting = asyncio.create_task(hook.post({**UPDATE, "update_id": 6}))
        await asyncio.wait_for(hook.begun.wait(), 60)
        assert not waiting.done()
        hook.gate.set()
        assert await waiting == 200
        assert hook.handled == [5, 6]


async def test_one_that_was_under_way_when_the_bot_ended_is_not_acknowledged() -> None:
    async with serving() as hook:
        hook.gate.clear()
        waiting = asyncio.create_task(hook.post(UPDATE))
        await asyncio.wait_for(hook.begun.wait(), 60)
        await hook.queues.close()
        assert await waiting == 503


async def test_what_is_no_update_is_refused() -> None:
    bodies = (b"", b"{", b"[]", b'"x"', b"{}", b'{"update_id": "5"}', b"[" * 100_000, b"\xff\xfe", b"null")
    async with serving() as hook:
        for body in bodies:
            assert await hook.post(body) == 400, body[:20]
        assert await hook.post(b" " * (LARGEST + 10)) == 413
        assert await hook.post(UPDATE, path="/other") == 404
        assert hook.handled == []


async def test_an_update_of_another_kind_is_taken_and_forgotten() -> None:
    """Telegram would bring it again and again."""
    async with serving() as hook:
        assert await hook.post({"update_id": 9, "poll": {"id": "1"}}) == 200
