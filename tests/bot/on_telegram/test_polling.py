"""An update is confirmed once it is in the inbox, not before."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter

from bot.chat import metrics
from bot.platforms.telegram.adapter import Polling
from bot.platforms.telegram.raw_updates import Raw, chat_of, lean, person_of, stored
from play.errors import Unavailable
from storage.ports import Update


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


def test_updates_are_ordered_by_chats_cards_and_people() -> None:
    assert chat_of(said(1, chat=-5)) == "-5"
    press = {"id": "q", "from": {"id": 3}, "message": {"chat": {"id": -5}}}
    assert chat_of({"update_id": 1, "callback_query": press}) == "-5"
    card = {"id": "q", "from": {"id": 3}, "inline_message_id": "abc"}
    assert chat_of({"update_id": 1, "callback_query": card}) == "inline:abc"
    assert chat_of({"update_id": 1, "inline_query": {"from": {"id": 3}}}) == "3"
    assert chat_of({"update_id": 1, "my_chat_member": {"chat": {"id": -7}, "from": {"id": 3}}}) == "-7"
    assert chat_of({"update_id": 1}) == ""


def test_updates_are_of_users_or_of_chats_that_write() -> None:
    by_user = {"chat": {"id": -5}, "from": {"id": 3}, "text": "x"}
    assert person_of({"update_id": 1, "message": by_user}) == "3"
    assert person_of({"update_id": 1, "message": {**by_user, "sender_chat": {"id": -5}}}) == "-5"
    assert person_of({"update_id": 1, "inline_query": {"from": {"id": 3}}}) == "3"
    assert person_of(said(1)) == ""


def test_an_update_is_kept_without_what_is_not_read() -> None:
    raw = {"update_id": 7, "message": {"chat": {"id": 1}, "text": "ї\ud800", "reply_markup": {"x": 1}}}
    kept = stored(raw)
    assert (kept.id, kept.chat, kept.person) == ("7", "1", "")
    assert json.loads(kept.body.decode(errors="surrogatepass")) == lean(raw)
    assert b"reply_markup" not in kept.body
