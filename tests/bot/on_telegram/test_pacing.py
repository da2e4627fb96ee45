"""Waiting for Telegram: no chat waits for what is sent, and one person's many answers delay no one else's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot.callback_data import CallbackData, Verb
from bot.on_telegram.keyboard import NOTHING
from tests.platforms.telegram.harness import TelegramHarness
from tests.support.waiting import eventually


async def test_no_chat_waits_until_telegram_has_taken_an_answer(f: TelegramHarness) -> None:
    ann, bob, hall = await f.begun()
    go = asyncio.Event()
    for method in (
        "_answerCallbackQuery",
        "_answerInlineQuery",
        "_sendChatAction",
        "_sendMessage",
        "_getFile",
    ):
        setattr(f.api, method, _after(go, getattr(f.api, method)))
    f.api.press(bob, f.board(hall), NOTHING)
    f.api.press(bob, f.board(hall), CallbackData(Verb.FLIP, f.matches[0].id, 0).pack())
    f.api.press(bob, f.board(hall), "an old key")
    f.api.ask_inline(bob, "lgame")
    f.api.say(bob, hall, "/games")
    f.api.give(bob, hall, "match.txt", b"no match", caption="/import")
    f.api.say(ann, hall, "/move a2-a3")
    await eventually(lambda: f.matches[0].log)
    go.set()
    await f.settled()


def _after(go: asyncio.Event, method: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def waiting(*given: object) -> object:
        await go.wait()
        return await method(*given)

    return waiting
